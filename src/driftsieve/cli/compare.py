"""`driftsieve compare`: the same file for several selectors, side by side."""

from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.evaluating import EVALUATION, Runs, evaluation_options, require_folder
from driftsieve.cli.selectors import make_selector, needs_labels


@click.command("compare", short_help="Several selectors on a file, side by side.")
@options.stream_options
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
    "--out", type=options.FILE, metavar="FOLDER", help="Keep the runs and a report in a folder."
)
@options.report_option
@options.output_options
def command(
    source: str,
    selectors: str,
    out: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Compare selectors on SOURCE: each batch is predicted before it is learnt.

    \b
    Examples:
      driftsieve compare clicks.parquet --target clicked --selectors t,fisher
      driftsieve compare clicks.parquet -t clicked --selectors t,t:half-life=5000 --out runs
    """
    from driftsieve.cli.source import open_source

    options.require_outputs(source, report=report)
    names = list(dict.fromkeys(name.strip() for name in selectors.split(",") if name.strip()))
    if not names:
        raise ValueError("--selectors names no selector")
    stream = open_source(source, **options.part(wishes, options.STREAM))
    made = {name: make_selector(name, **options.selection_of(wishes, stream)) for name in names}
    require_folder(out)
    stream.needs_labels = wishes["learner"] != "none" or any(map(needs_labels, made.values()))
    runs = Runs(as_json or quiet)
    for name, selector in made.items():
        runs.evaluate(name, lambda: stream, selector, **options.part(wishes, EVALUATION))
    runs.write(report, out, f"{stream.file}: which features matter")
    return runs.show(as_json)
