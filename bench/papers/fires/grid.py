"""The grid of section 4.2: each selector on each data set, by rows per batch and share selected.

What was measured is kept in results/fires_grid.csv, so that tables and figures show the same runs,
and a single data set or selector can be measured anew.
"""

import sys
from collections.abc import Collection
from itertools import product
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import RESULTS
from setting import (
    BATCHES,
    DATA_SETS,
    FRACTIONS,
    LARGE,
    SELECTORS,
    STABILITY_WINDOW,
    DataSet,
    Selector,
    learner,
)
from threadpoolctl import threadpool_limits

from driftsieve.evaluation.prequential import prequential
from driftsieve.evaluation.run import Run

PATH = RESULTS / "fires_grid.csv"
KEY = "data", "selector", "batch", "fraction"


def run_of(data_set: DataSet, selector: Selector, batch: int, k: int, *, window: int = 1000) -> Run:
    """Test, then train, in batches of the size of a step."""
    with threadpool_limits(1):
        return prequential(
            data_set.batches(batch),
            selector(k, batch),
            learner(),
            classes=[0, 1],
            window=window,
            stability_window=STABILITY_WINDOW,
        )


def measured(data_set: DataSet, name: str, batch: int, fraction: float) -> dict[str, object]:
    """Return the figures of a run: accuracy over all rows but those of the first step, stability as
    a mean over the steps, milliseconds as medians, which a busy machine disturbs less."""
    k = max(1, round(fraction * data_set.X.shape[1]))
    run = run_of(data_set, SELECTORS[name], batch, k)
    summary, steps = run.summary(), run.steps
    return {
        "data": data_set.name,
        "selector": name,
        "batch": batch,
        "fraction": fraction,
        "k": k,
        "rows": len(data_set.y),
        "steps": steps.height,
        "accuracy": summary["accuracy"],
        "stability": summary["mean_stability"],
        "selector_ms": 1000 * steps["selector_seconds"].median(),
        "learner_ms": 1000 * steps["learner_seconds"].median(),
    }


def measure(names: Collection[str], selectors: Collection[str], whole: bool) -> pl.DataFrame:
    """Measure these selectors on these data sets, on large ones over the whole grid if wanted, and
    return everything measured so far."""
    for name in names:
        data_set = DATA_SETS[name].load()
        if data_set is None:
            continue
        fractions = FRACTIONS if whole or name not in LARGE else FRACTIONS[1:2]
        for selector in selectors:
            cells = product(BATCHES, fractions)
            found = pl.DataFrame([measured(data_set, selector, *cell) for cell in cells])
            keep(found)
            print(name, selector, found.select(pl.col(pl.Float64).mean()).row(0), flush=True)
    return kept()


def keep(found: pl.DataFrame) -> None:
    """Put figures in the place of earlier ones of the same data sets and selectors."""
    earlier = kept()
    if earlier.height:
        found = pl.concat([earlier.join(found, on=KEY[:2], how="anti"), found])
    found.sort(*KEY).write_csv(PATH, float_precision=6)


def kept() -> pl.DataFrame:
    """Return everything measured so far."""
    return pl.read_csv(PATH) if PATH.is_file() else pl.DataFrame()


def left_out(runs: pl.DataFrame) -> str:
    """Say on which data sets the grid is not whole."""
    cells = runs.group_by("data", "selector").len()
    cut = set(cells.filter(pl.col("len") < len(BATCHES) * len(FRACTIONS))["data"])
    names = [name for name in DATA_SETS if name in cut]
    said = [f"On {', '.join(names)} only {FRACTIONS[1]:.0%} of the features are tried."]
    if cells.height < cells["data"].n_unique() * cells["selector"].n_unique():
        said.append("Where only the paper's figure stands, nothing was measured.")
    return " ".join(said[not names :])
