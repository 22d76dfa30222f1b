"""The report: one HTML file that asks nobody for anything."""

import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from driftsieve import __version__
from driftsieve.report import tables
from driftsieve.report.heat import heat_map
from driftsieve.report.lines import line_chart
from driftsieve.report.markup import Markup, joined, tag
from driftsieve.report.story import LINES, Story, tell

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load: nothing but the styles within the page."""

MOST_BYTES, MOST_HALVINGS = 1_000_000, 4
"""Detail is halved until the page is below that, as often as makes a difference."""

NOTES = {
    "accuracy": "Share of rows predicted correctly before they were learnt",
    "kappa": "Accuracy beyond chance: 0 is chance, 1 is perfect",
    "log_loss": "Cost of confident mistakes: less is better",
    "stability": "How much successive selections agree: 1 is always the same, 0 is chance",
    "stability_within": "The same, of selections between which there was no drift",
    "recall": "Share of the truly relevant features that is selected",
    "precision": "Share of the selected features that is truly relevant",
    "n_selected": "How many features are selected",
}


def write_report(
    path: str | os.PathLike[str],
    runs: Any,
    *,
    title: str = "Which features matter",
) -> None:
    """Write a report of one or several runs to an HTML file.

    `runs` is a run, a list of runs, or a dict of runs by name. What is shown is thinned out to what
    a page can show, and the page says so; it stays below 1 MB.
    """
    text = page(runs, title=title)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:  # a full disk does not say whose it is
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def page(runs: Any, *, title: str = "Which features matter") -> str:
    """Return the report as HTML."""
    by_name = named(runs)
    for halvings in range(MOST_HALVINGS + 1):
        detail = len(by_name) << halvings
        stories = [tell(name, run, detail) for name, run in by_name.items()]
        text = drawn(stories, title)
        if len(text.encode()) < MOST_BYTES:
            break
    return text


def drawn(stories: Sequence[Story], title: str) -> str:
    """Return the page that tells these stories."""
    return document(title, subtitle(stories), sections(stories))


def document(title: str, about: str, main: Markup) -> str:
    """Return a page as HTML."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"driftsieve {__version__}"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Markup(files("driftsieve.report").joinpath("style.css").read_text("utf-8"))),
    )
    body = tag(
        "body",
        tag("header", tag("h1", title), tag("p", about)),
        tag("main", main),
        tag("footer", tag("p", f"Drawn by driftsieve {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def named(runs: Any) -> dict[str, Any]:
    """Return runs by name, whichever way they were given."""
    if isinstance(runs, Mapping):
        return {str(name): run for name, run in runs.items()}
    if not isinstance(runs, Sequence):
        runs = [runs]
    named: dict[str, Any] = {}
    for run in runs:
        name = str(run.settings.get("name") or run.settings.get("selector") or "run")
        same = sum(other == name or other.startswith(f"{name} (") for other in named)
        named[f"{name} ({same + 1})" if same else name] = run
    return named


def sections(stories: Sequence[Story]) -> Markup:
    """Return the parts of the page that have anything to show."""
    if not stories:
        return tag("p", "There are no runs to show.", class_="nothing")
    many = " many" if len(stories) > 1 else ""
    maps = [heat_map(story, i) for i, story in enumerate(stories)]
    charts = [line_chart(measure, stories, NOTES[measure]) for measure in worth_drawing(stories)]
    parts = [
        ("summary", "Summary", tables.summary(stories), None),
        (
            "ranking",
            "What matters now",
            tag("div", [tables.ranking(s, i) for i, s in enumerate(stories)], class_="grid" + many),
            None,
        ),
        ("selection", "Selection over time", tag("div", maps, class_="grid" + many), None),
        (
            "quality",
            "Quality over time",
            tag("div", charts, class_="grid charts") if any(charts) else None,
            thinned(stories),
        ),
        ("drifts", "Drifts", tables.drifts(stories), None),
        ("settings", "Settings", tables.settings(stories), None),
    ]
    return sections_of(parts)


def sections_of(parts: Sequence[tuple[str, str, Markup | None, str | None]]) -> Markup:
    """Return sections by their name, heading, content and note; those without content are left
    out."""
    return joined(
        tag(
            "section",
            tag("h2", heading),
            tag("p", note, class_="note") if note else None,
            content,
            id=name,
        )
        for name, heading, content, note in parts
        if content is not None
    )


def worth_drawing(stories: Sequence[Story]) -> list[str]:
    """Return the measures whose lines say something that no other line says."""

    def values(measure: str) -> list[list[float | None]]:
        return [story.lines[measure].values for story in stories if measure in story.lines]

    sizes = {size for line in values("n_selected") for size in line}
    dull = {"n_selected"} if len(sizes) < 2 else set()
    if values("precision") == values("recall"):  # as many selected as are relevant
        dull.add("precision")
    if values("stability_within") == values("stability"):  # no drifts
        dull.add("stability_within")
    return [measure for measure in LINES if measure not in dull]


def subtitle(stories: Sequence[Story]) -> str:
    """Say what the page is about."""
    if not stories:
        return ""
    rows, steps = max(s.rows for s in stories), max(s.steps for s in stories)
    runs = f"{len(stories)} runs over " if len(stories) > 1 else ""
    return f"{runs}{rows:,} rows in {steps:,} {'step' if steps == 1 else 'steps'}"


def thinned(stories: Sequence[Story]) -> str:
    """Say what the lines are."""
    step = max(story.steps_per_point for story in stories)
    text = "Strong lines are over a window of rows, where there is one, faint ones over all rows."
    return text if step == 1 else f"{text} Each point is the mean of {step:,} steps."
