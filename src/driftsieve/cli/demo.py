"""`driftsieve demo`: a drifting stream, three ways to remember, and a report."""

from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.evaluating import Runs, require_folder
from driftsieve.cli.selectors import make_selector
from driftsieve.cli.working import remark

ROWS = 60_000
SHIFT_EVERY = 10_000
RELEVANT = 6
SELECTORS = {
    "t, fading": "t:half-life=2000",
    "t, never forgets": "t",
    "fisher, last 3,000": "fisher:window=3000",
}


@click.command("demo", short_help="See a drifting stream being sieved.")
@click.option(
    "--out",
    type=options.FILE,
    default="demo",
    show_default=True,
    metavar="FOLDER",
    help="Where the runs and the report go.",
)
@options.output_options
def command(out: Path, as_json: bool, quiet: bool) -> int:
    """Sieve a drifting stream with three selectors, and write a report.

    40 features, of which 6 matter; every 10,000 rows 3 of them are replaced by others. What
    forgets follows, and what never forgets does not.
    """
    hidden = as_json or quiet
    require_folder(out)
    remark(
        f"{ROWS:,} rows of 40 features, of which {RELEVANT} matter; "
        f"every {SHIFT_EVERY:,} rows half of them are replaced.",
        hidden,
    )
    runs = Runs(hidden)
    for name, wish in SELECTORS.items():
        runs.evaluate(name, stream, make_selector(wish, k=RELEVANT), learner="sgd")
    runs.write(None, out, "A drifting stream: which features matter")
    return runs.show(as_json)


def stream() -> Any:
    """Return the stream of the demonstration."""
    from driftsieve.streams.linear import DriftingLinear

    return DriftingLinear(
        n_features=40,
        k=RELEVANT,
        step=RELEVANT // 2,
        shift_every=SHIFT_EVERY,
        n_rows=ROWS,
        batch=500,
        seed=1,
    )
