"""`driftsieve compare`: several selectors side by side, on a file or on several."""

from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.evaluating import EVALUATION, Runs, evaluation_options, require_folder
from driftsieve.cli.over_streams import Streams, named
from driftsieve.cli.selectors import make_selector, needs_labels


@click.command("compare", short_help="Several selectors side by side, on a file or several.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@options.reading_options
@click.option(
    "--selectors",
    default="t,fisher",
    show_default=True,
    metavar="A,B,...",
    help="Names, each with options of its own if need be, as in t,t:half-life=5000.",
)
@options.selection_options
@evaluation_options
@click.option(
    "--measure",
    metavar="NAME",
    help="What selectors are compared by over several files: accuracy, or without a learner "
    "mean_recall, or any other figure that --json has.",
)
@click.option(
    "--out", type=options.FILE, metavar="FOLDER", help="Keep the runs and a report in a folder."
)
@options.report_option
@options.output_options
def command(
    sources: tuple[str, ...],
    selectors: str,
    measure: str | None,
    out: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Compare selectors on each SOURCE: each batch is predicted before it is learnt.

    \b
    Examples:
      driftsieve compare clicks.parquet --target clicked --selectors t,fisher
      driftsieve compare clicks.parquet -t clicked --selectors t,t:half-life=5000 --out runs
      driftsieve compare sea.parquet led.parquet bg.parquet -t y --report ranks.html

    Over several files, the selectors are ranked in each, and tests tell which of them differ:
    Wilcoxon's of two, Friedman's and Nemenyi's of more.
    """
    options.require_outputs(*sources, report=report)
    names = list(dict.fromkeys(name.strip() for name in selectors.split(",") if name.strip()))
    if not names:
        raise ValueError("--selectors names no selector")
    if len(sources) == 1 and measure is not None:
        raise ValueError("--measure is for several files: name more than one SOURCE")
    hidden = as_json or quiet
    files = {name: opened(source, wishes) for name, source in named(sources).items()}
    for name in names:  # not when the first file has been read for a long time
        make_selector(name, **options.part(wishes, options.SELECTION))
    require_folder(out)
    if len(sources) == 1:
        (stream,) = files.values()
        runs = evaluated(stream, names, wishes, hidden)
        runs.write(report, out, f"{stream.file}: which features matter")
        return runs.show(as_json)
    measure = measure or ("mean_recall" if wishes["learner"] == "none" else "accuracy")
    streams = Streams(measure, hidden)
    for name, stream in files.items():
        if not streams.interrupted:
            streams.runs[name] = evaluated(stream, names, wishes, hidden)
    streams.write(report, out)
    return streams.show(as_json)


def opened(source: str, wishes: dict[str, Any]) -> Any:
    """Open a file as the options say."""
    from driftsieve.cli.source import open_source

    return open_source(source, **options.part(wishes, options.STREAM))


def evaluated(stream: Any, names: list[str], wishes: dict[str, Any], hidden: bool) -> Runs:
    """Evaluate selectors by their names on a file."""
    made = {name: make_selector(name, **options.selection_of(wishes, stream)) for name in names}
    stream.needs_labels = wishes["learner"] != "none" or any(map(needs_labels, made.values()))
    runs = Runs(hidden)
    for name, selector in made.items():
        runs.evaluate(name, lambda: stream, selector, **options.part(wishes, EVALUATION))
    return runs
