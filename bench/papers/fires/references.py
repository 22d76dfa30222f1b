"""The paper's references on all features: online boosting of naive Bayes, and VFDT, of river.

They learn row by row and feature by feature in Python, and so see the first rows only: at least
FEWEST_ROWS, and as many as MOST_CELLS allow.
"""

import sys
from collections.abc import Callable, Collection
from pathlib import Path
from time import process_time
from typing import Any

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import RESULTS
from setting import BATCHES, DATA_SETS, SEED, DataSet

from driftsieve.evaluation.prequential import prequential

try:
    from river.ensemble import AdaBoostClassifier
    from river.naive_bayes import GaussianNB
    from river.tree import HoeffdingTreeClassifier
except ImportError:
    REFERENCES: dict[str, Callable[[], Any]] = {}
else:
    REFERENCES = {
        "Boosting": lambda: AdaBoostClassifier(GaussianNB(), n_models=3, seed=SEED),
        "VFDT": lambda: HoeffdingTreeClassifier(leaf_prediction="mc"),
    }

BATCH = 100
FEWEST_ROWS, MOST_CELLS = 300, 600_000
STEP = sum(BATCHES) / len(BATCHES)
"""Rows of a step, on average over the grid: what takes so long per row takes so much per step."""
PATH = RESULTS / "fires_references.csv"


def measured(data_set: DataSet, name: str) -> dict[str, object]:
    rows = min(len(data_set.y), max(FEWEST_ROWS, MOST_CELLS // data_set.X.shape[1]))
    part = DataSet(data_set.name, data_set.X[:rows], data_set.y[:rows])
    begin = process_time()
    run = prequential(part.batches(BATCH), None, REFERENCES[name](), classes=[0, 1])
    seconds = process_time() - begin
    return {
        "data": data_set.name,
        "reference": name,
        "rows": rows,
        "accuracy": run.summary()["accuracy"],
        "ms": 1000 * seconds / rows * STEP,
    }


def measure(names: Collection[str]) -> pl.DataFrame:
    """Measure the references on these data sets, and return everything measured so far."""
    for name in names:
        data_set = DATA_SETS[name].load()
        if data_set is None or not REFERENCES:
            continue
        found = pl.DataFrame([measured(data_set, reference) for reference in REFERENCES])
        earlier = kept()
        if earlier.height:
            found = pl.concat([earlier.filter(pl.col("data") != name), found])
        found.write_csv(PATH, float_precision=6)
        print(name, "references", found.filter(pl.col("data") == name).rows(), flush=True)
    return kept()


def kept() -> pl.DataFrame:
    return pl.read_csv(PATH) if PATH.is_file() else pl.DataFrame()


def described(found: pl.DataFrame) -> str:
    """Say what the references are, and what they have seen."""
    if not found.height:
        return "Online boosting and VFDT need river, and were not measured."
    rows = dict(found.select("data", "rows").iter_rows())
    return f"""Online boosting (three naive Bayes models) and VFDT (majority classes in the leaves)
are river's `AdaBoostClassifier` and `HoeffdingTreeClassifier`, on all features. They see only the
first rows: {", ".join(f"{name} {n:,}" for name, n in rows.items())}. The paper's figures are of all
rows. Where these are more, the two do not compare with the rest of the table."""
