"""`driftsieve evaluate`: test, then train, with one selector and one learner."""

from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.evaluating import EVALUATION, Runs, evaluation_options
from driftsieve.cli.selectors import make_selector, needs_labels


@click.command("evaluate", short_help="How good is a selector on a file?")
@options.stream_options
@options.selector_option
@options.selection_options
@evaluation_options
@click.option("--save", type=options.FILE, metavar="FILE", help="Keep the run (.parquet, .jsonl).")
@options.report_option
@options.output_options
def command(
    source: str,
    selector: str,
    save: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Evaluate a selector on SOURCE: each batch is predicted before it is learnt.

    \b
    Examples:
      driftsieve evaluate clicks.parquet --target clicked --selector t --learner sgd
      driftsieve evaluate clicks.csv -t clicked --selector fisher:window=5000 --report clicks.html
    """
    from driftsieve.cli.source import open_source

    options.require_outputs(source, save=save, report=report)
    stream = open_source(source, **options.part(wishes, options.STREAM))
    chosen = make_selector(selector, **options.selection_of(wishes, stream))
    stream.needs_labels = wishes["learner"] != "none" or needs_labels(chosen)
    runs = Runs(as_json or quiet)
    runs.evaluate(selector, lambda: stream, chosen, **options.part(wishes, EVALUATION))
    if save is not None:
        runs.runs[selector].save(save)
    runs.write(report, None, f"{stream.file}: which features matter")
    return runs.show(as_json)
