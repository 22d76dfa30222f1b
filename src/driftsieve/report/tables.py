"""The tables of a report: the ranking with bars, the summary, the drifts, the settings."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from driftsieve.evaluation.run import SMALLER_IS_BETTER
from driftsieve.report.markup import Markup, long_name, plotted, tag
from driftsieve.report.story import Ranked, Story
from driftsieve.report.words import (
    MEASURES,
    NOTHING,
    measured,
    number,
    title_of,
)

MOST_DRIFTS = 20


def ranking(story: Story, place: int) -> Markup:
    """Draw the current ranking as bars."""
    shown = story.ranking[: story.most_ranked]
    hint = f"After {story.rows:,} rows"
    if len(shown) < len(story.ranking):
        hint += f"; the first {len(shown)} of {len(story.ranking):,}"
    caption = tag("figcaption", tag("h3", story.name), tag("p", hint))
    if not shown:
        nothing = tag("p", "Nothing is selected.", class_="nothing")
        return tag("figure", caption, nothing, class_="panel ranking empty")
    truth = any(one.relevant is not None for one in shown)
    head = tag(
        "tr",
        tag("th", "Rank", class_="number"),
        tag("th", "Feature"),
        tag("th", "Score", class_="number", colspan=2),
        tag("th", "Relevant", class_="truth") if truth else None,
    )
    finite = [abs(one.score) for one in shown if one.score is not None and isfinite(one.score)]
    largest = max(finite, default=0.0)
    rows = [
        tag(
            "tr",
            tag("td", one.rank, class_="number"),
            tag("th", long_name(one.name), scope="row"),
            tag("td", _bar(one, largest), class_="bar"),
            tag("td", number(one.score), class_="number"),
            tag("td", _mark(one.relevant), class_="truth") if truth else None,
        )
        for one in shown
    ]
    table = tag("table", tag("thead", head), tag("tbody", rows), class_=f"run{place}")
    return tag("figure", caption, table, class_="panel ranking")


def summary(stories: Sequence[Story]) -> Markup | None:
    """Lay out what the runs came to: tiles for one run, a table for several."""
    names = _measures(stories)
    if not names:
        return None
    if len(stories) == 1:
        tiles = [
            tag("div", tag("dt", title_of(name)), tag("dd", _value(name, stories[0])))
            for name in names
        ]
        return tag("dl", tiles, class_="tiles")
    best = {name: _best(name, stories) for name in names}
    head = tag("tr", tag("th", "Run"), [tag("th", title_of(n), class_="number") for n in names])
    rows = [
        tag(
            "tr",
            tag("th", tag("i", class_=f"swatch run{i}"), story.name, scope="row"),
            [
                tag(
                    "td",
                    _value(name, story),
                    class_="number best" if i in best[name] else "number",
                )
                for name in names
            ],
        )
        for i, story in enumerate(stories)
    ]
    return _scrolled(tag("table", tag("thead", head), tag("tbody", rows), class_="summary"))


def drifts(stories: Sequence[Story]) -> Markup | None:
    """Say how soon each known drift was found."""
    lags = [dict(story.drifts) for story in stories]
    points = sorted({row for known in lags for row in known})
    if not points:
        return None
    shown = points[:MOST_DRIFTS]
    head = tag(
        "tr",
        tag("th", "Drift at row", class_="number"),
        [tag("th", story.name, class_="number") for story in stories],
    )
    rows = [
        tag(
            "tr",
            tag("th", f"{row:,}", scope="row", class_="number"),
            [tag("td", _lag(row, known), class_="number") for known in lags],
        )
        for row in shown
    ]
    more = len(points) - len(shown)
    note = tag("p", f"{more:,} later drifts are not shown.", class_="note") if more else None
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="drift-table")
    return tag("div", _scrolled(table), note)


def settings(stories: Sequence[Story]) -> Markup:
    """Lay out the settings of all runs, those in which they differ marked."""
    flat = [flattened(story.settings) for story in stories]
    keys = list(dict.fromkeys(key for one in flat for key in one))
    head = tag("tr", tag("th", "Setting"), [tag("th", story.name) for story in stories])
    rows = []
    for key in keys:
        values = [one.get(key, NOTHING) for one in flat]
        rows.append(
            tag(
                "tr",
                tag("th", key.replace("_", " "), scope="row"),
                [tag("td", value) for value in values],
                class_="differs" if len(set(values)) > 1 else None,
            )
        )
    return _scrolled(tag("table", tag("thead", head), tag("tbody", rows), class_="settings"))


def flattened(settings: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """Return nested settings as one level of names and texts."""
    flat: dict[str, str] = {}
    for key, value in settings.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{name} · ")
        elif isinstance(value, bool) or value is None:
            flat[name] = NOTHING if value is None else ("yes" if value else "no")
        elif isinstance(value, (list, tuple)):
            texts = [str(item) for item in value[:20]]
            flat[name] = ", ".join(texts + (["…"] if len(value) > 20 else [])) or NOTHING
        elif isinstance(value, int):
            flat[name] = f"{value:,}" if abs(value) >= 10_000 else str(value)
        else:
            flat[name] = str(value)
    return flat


def _bar(one: Ranked, largest: float) -> Markup | None:
    if one.score is None or one.score != one.score:
        return None
    share = abs(one.score) / largest if largest and isfinite(one.score) else float(bool(one.score))
    hit = {True: " hit", False: " miss", None: ""}[one.relevant]
    return tag("i", style=f"width:{plotted(max(100 * share, 0.5))}%", class_=f"fill{hit}")


def _mark(relevant: bool | None) -> Markup | None:
    if relevant is None:
        return None
    return tag("span", "yes" if relevant else "no", class_="hit" if relevant else "miss")


def _measures(stories: Sequence[Story]) -> list[str]:
    """Return the measures that any run has."""
    return [
        name
        for name in MEASURES
        if any(_known(story.summary.get(name)) for story in stories)
        and (name != "drifts_found" or any(story.drifts for story in stories))
    ]


def _known(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == value


def _value(name: str, story: Story) -> str:
    if name == "drifts_found" and story.drifts:
        return f"{story.summary[name]} of {len(story.drifts)}"
    return measured(name, story.summary.get(name))


def _best(name: str, stories: Sequence[Story]) -> set[int]:
    """Return the runs that are best by a measure, as it is shown; none where all are equal."""
    known = {i: story.summary[name] for i, story in enumerate(stories)
             if _known(story.summary.get(name))}  # fmt: skip
    texts = {i: _value(name, stories[i]) for i in known}
    if len(set(texts.values())) < 2:
        return set()
    best = (min if name in SMALLER_IS_BETTER else max)(known, key=lambda i: known[i])
    return {i for i, text in texts.items() if text == texts[best]}


def _lag(row: int, known: Mapping[int, int | None]) -> str:
    if row not in known:
        return NOTHING
    lag = known[row]
    return "not found" if lag is None else f"{lag:,.0f} rows later"


def _scrolled(table: Markup) -> Markup:
    return tag("div", table, class_="scroll", tabindex="0")
