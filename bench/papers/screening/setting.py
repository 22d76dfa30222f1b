"""The setting of section 3.1: epsilons, data sets, and both summaries fed in minibatches.

Wang & Barbu (2021), Online Feature Screening for Data Streams with Concept Drift.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import table
from offline import class_tables, scores

import data
from driftsieve import Screening

BINS = 5
MINIBATCH = 250
FRACTIONS = 5, 50, 100, 500, 1000, 1500, 2000
SUMMARIES = "quantiles", "levels"
PARTS = 16

SAME = {
    "dexter": "600 × 20,000, sparse",
    "gisette_valid": "1,000 × 5,000: of the 7,000 rows of the paper's gisette only these are here",
    "madelon": "2,600 × 500",
}
"""The data sets of the paper that are here."""
STAND_INS = {
    "micro_chowdary": "104 × 22,283, a microarray, for SMK_CAN_187",
    "farm_ads": "4,143 × 54,877, sparse and binary, for dorothea",
    "news20_bydate": "18,846 × 25,456, sparse, 20 classes, for url",
    "usenet": "5,931 × 658, sparse and binary, for kdd12",
}
"""Data sets in place of those that are not here: alike in shape, but their numbers are others."""
LARGE = {
    "mnist": "70,000 × 784, 10 classes",
    "kdd99_10pct": "494,021 × 41, rows of a class together",
    "covtype": "581,012 × 54, 7 classes",
}
"""Beyond the paper: enough rows for values to be joined at every epsilon."""
PAPERS_NAME = {"gisette_valid": "gisette"}


@dataclass(frozen=True)
class DataSet:
    name: str
    X: Any
    y: Any

    @cached_property
    def exact(self) -> Any:
        """The class counts of the offline twin: features by bins by classes."""
        return class_tables(self.X, self.y, BINS)

    @cached_property
    def exact_scores(self) -> dict[str, Any]:
        """The scores of the offline twin, larger is better, 0 where there is none."""
        found = scores(self.exact)
        whole = 1 - ((self.exact[0].sum(axis=0) / len(self.y)) ** 2).sum()
        found["gini"] = whole - found["gini"]
        return {name: np.nan_to_num(score) for name, score in found.items()}


def data_sets(*names: str) -> Iterator[DataSet]:
    """Yield those of the data sets that are there; without any, end the program."""
    none = True
    for name in names:
        if found := data.load(name):
            none = False
            yield DataSet(name, *found[:2])
    if none:
        sys.exit("no data, and so no page")


def sieve_of(X: Any, y: Any, fraction: int, summary: str, minibatch: int = MINIBATCH) -> Screening:
    """Return a sieve that has learnt the rows in minibatches, with epsilon 1 / `fraction`."""
    sieve = Screening("chi2", bins=BINS, epsilon=1 / fraction, summary=summary)
    for i in range(0, X.shape[0], minibatch):
        sieve.partial_fit(X[i : i + minibatch], y[i : i + minibatch])
    return sieve


def merged(X: Any, y: Any, fraction: int, summary: str) -> Screening:
    """Return a sieve merged of those that have each learnt a sixteenth of the rows, in a row."""
    borders = np.linspace(0, X.shape[0], PARTS + 1).astype(int)
    first, *others = (sieve_of(X[a:b], y[a:b], fraction, summary) for a, b in pairwise(borders))
    for other in others:
        first.merge(other)
    return first


WAYS = {
    "quantiles": lambda X, y, f: sieve_of(X, y, f, "quantiles"),
    "levels": lambda X, y, f: sieve_of(X, y, f, "levels"),
    "quantiles, 16 merged": lambda X, y, f: merged(X, y, f, "quantiles"),
    "levels, 16 merged": lambda X, y, f: merged(X, y, f, "levels"),
}
"""How a data set may be learnt."""


def counts_of(sieve: Screening) -> Any:
    """Return the class counts of a sieve as those of the offline twin are: classes in order."""
    tables = sieve.tables_
    classes = np.argsort(np.array(tables.classes))
    return tables.counts.reshape(tables.n_features, BINS, -1)[:, :, classes]


def scores_of(sieve: Screening, name: str) -> Any:
    """Return the scores of a sieve, larger is better, 0 where there is none."""
    return np.nan_to_num(sieve.set_params(score=name).scores_)


def headed(rows: list[list[Any]], *columns: str) -> str:
    """Return a table of values by epsilon."""
    return table([*columns, *(f"ε = 1/{fraction}" for fraction in FRACTIONS)], rows)


def described(names: dict[str, str]) -> str:
    return "\n".join(f"- {name}: {text}" for name, text in names.items())
