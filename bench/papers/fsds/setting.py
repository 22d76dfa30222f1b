"""The setting of section 5: data sets, methods, and K-means as the judge.

H. Huang, S. Yoo and S. Kasiviswanathan (2015), Unsupervised Feature Selection on Data Streams.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from pictures import BLUE, GREEN, GREY, ORANGE, RED

from data import load
from driftsieve import FSDS, GFW
from driftsieve.evaluation.clustering import clustering_nmi, nmi_by_number
from driftsieve.scores.lasso import lasso_weights
from driftsieve.scores.neighbours import (
    Graph,
    laplacian_scores,
    neighbour_graph,
    spectral_targets,
)
from driftsieve.scores.subspace import unit_rows

PAPER = (
    "H. Huang, S. Yoo and S. Kasiviswanathan (2015), *Unsupervised Feature Selection on Data\n"
    "Streams*"
)
BATCH = 1_000
"""The paper's n_t."""
JUDGED = 5_000
"""Rows that K-means runs on at most, chosen at random."""
REPEATS = 3
LEARNT = 20_000
"""Rows that features are selected on at most, chosen at random: MNIST has more."""
SEED = 0
ROOMY = 16 * 2**30
"""What batch methods may take of memory here."""

IMAGES = {"usps": "USPS", "mnist": "MNIST"}
TEXTS = {"tdt2": "TDT2", "news20_bydate": "20Newsgroup"}
OTHERS = {"skf_COIL20": "(not in the paper)"}
IMAGE_NUMBERS = range(25, 201, 25)
"""The paper's numbers of features for images."""
TEXT_NUMBERS = 200, 400, 600, 800
"""The paper has 200 to 2,400 in steps of 200."""

METHODS = "FSDS", "GFW-p2", "MCFS", "Laplacian score"
COLOURS = dict(zip(METHODS, (BLUE, GREEN, ORANGE, GREY))) | {"GFW-p1": RED}


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows of length 1, in random order unless they have times, and their classes."""

    name: str
    X: Any
    y: Any
    numbers: Sequence[int]
    time: Any = None

    @property
    def clusters(self) -> int:
        return len(np.unique(self.y))

    @property
    def affinity(self) -> str:
        """How rows are tied for the graph methods: texts by angle, images by distance."""
        return "cosine" if self.name in TEXTS else "heat"

    def take(self, rows: Any) -> "DataSet":
        time = None if self.time is None else self.time[rows]
        return DataSet(self.name, self.X[rows], self.y[rows], self.numbers, time)

    def some(self, rows: int, seed: int = SEED) -> "DataSet":
        """Return so many rows, chosen at random, in random order."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        return self.take(order[:rows])

    def batches(self, size: int = BATCH) -> list[Any]:
        return [self.X[i : i + size] for i in range(0, len(self.y), size)]


def data_set(name: str, *, in_time: bool = False) -> DataSet | None:
    """Load a data set: shuffled, or in the order of its times."""
    loaded = load(name)
    if loaded is None:
        return None
    X, y, extras = loaded
    numbers = TEXT_NUMBERS if name in TEXTS else IMAGE_NUMBERS
    whole = DataSet(name, unit_rows(X.astype(np.float64)), y, numbers, extras.get("time"))
    if in_time:
        return whole.take(np.argsort(whole.time, kind="stable"))
    return whole.some(LEARNT)


def data_sets(*names: str) -> list[DataSet]:
    found = [data_set(name) for name in names or [*IMAGES, *OTHERS, *TEXTS]]
    return [one for one in found if one is not None]


def fsds(of: DataSet, batch: int = BATCH, **options: Any) -> FSDS:
    """Let FSDS see the rows once, in their order."""
    sieve = FSDS(k=1, directions=of.clusters, **options)
    for X in of.batches(batch):
        sieve.partial_fit(X)
    return sieve


@lru_cache(maxsize=1)
def graph_of(of: DataSet) -> Graph:
    """The graph of neighbours, which two methods begin with."""
    return neighbour_graph(of.X, 5, of.affinity)


def mcfs_scores(of: DataSet, numbers: Sequence[int]) -> Any:
    """Return the scores of MCFS for each number of features: one path gives them all."""
    targets = spectral_targets(graph_of(of), of.clusters)
    return lasso_weights(of.X, targets, list(numbers))


SCORES: dict[str, Callable[[DataSet, Sequence[int]], Any]] = {
    "FSDS": lambda of, numbers: [fsds(of).scores_] * len(numbers),
    "GFW-p2": lambda of, numbers: (
        [GFW(directions=of.clusters, max_bytes=ROOMY).fit(of.X).scores_] * len(numbers)
    ),
    "MCFS": mcfs_scores,
    "Laplacian score": lambda of, numbers: [-laplacian_scores(of.X, graph_of(of))] * len(numbers),
}
"""The scores of each method, for each number of features that will be selected by them."""


def judged(of: DataSet) -> DataSet:
    """The rows that K-means runs on."""
    return of if len(of.y) <= JUDGED else of.some(JUDGED, seed=SEED + 1)


def nmi_of(of: DataSet, scores: Any, number: int, repeats: int = REPEATS) -> float:
    """The mean NMI of K-means on the best features, on at most JUDGED rows."""
    rows = judged(of)
    table = nmi_by_number(rows.X, rows.y, scores, [number], clusters=of.clusters, repeats=repeats)
    return float(table["nmi"].mean())  # type: ignore[arg-type]


def nmi_of_all(of: DataSet, repeats: int = REPEATS) -> float:
    """The mean NMI of K-means on all features."""
    rows = judged(of)
    return float(clustering_nmi(rows.X, rows.y, clusters=of.clusters, repeats=repeats).mean())


def called(name: str) -> str:
    """A data set's name, and that in the paper."""
    return f"{name} = {({**IMAGES, **TEXTS} | OTHERS)[name]}"
