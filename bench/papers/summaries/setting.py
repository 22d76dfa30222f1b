"""What the figures of Pawling, Chawla & Chaudhary (2006) share: data, scenarios, summaries, gains.

A run puts the same batches into all summaries and asks them at each tenth of the stream.
"""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import matplotlib as mpl
import numpy as np
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import RESULTS

from data import load
from driftsieve import Batch
from driftsieve.scores.tables import information_gain
from driftsieve.streams.scenarios import by_class, collect, sorted_by_feature, stationary
from driftsieve.summaries.equal_width import EqualWidth
from driftsieve.summaries.exact import Exact
from driftsieve.summaries.quantiles import Quantiles
from driftsieve.summaries.samplers import EqualFrequency, ExponentialFrequency

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "driftsieve"

BATCH = 10_000
TENTHS = 10
MISSING = 0.3
SUMMARIES = {
    "equal width": EqualWidth,
    "equal frequency": EqualFrequency,
    "exponential": ExponentialFrequency,
    "quantiles": partial(Quantiles, epsilon=1e-3),
}
"""Those of the paper, and ours."""
STYLES = {
    "exact": ("#444444", "o"),
    "equal width": ("#d95f02", "s"),
    "equal frequency": ("#7570b3", "^"),
    "exponential": ("#1b9e77", "D"),
    "quantiles": ("#e7298a", "v"),
    "REQ": ("#1f78b4", "P"),
}


def artificial(rows: int = 1_000_000, seed: int = 0) -> tuple[Any, Any]:
    """Six normal features with normal noise, of which two decide the class: on which side of a line
    through the middle, in a random direction, they lie without their noise."""
    rng = np.random.default_rng(seed)
    centre, spread = rng.uniform(-5, 5, 6), rng.uniform(1, 4, 6)
    X = rng.standard_normal((rows, 6)) * spread + centre
    direction = rng.standard_normal(2)
    y = ((X[:, :2] - centre[:2]) @ direction > 0).astype(int)
    X += rng.standard_normal((rows, 6)) * rng.uniform(0.1, 1, 6)
    return X, y


def continuous(X: Any) -> Any:
    """The columns of more than twenty values: as in the paper, nominal features are left out."""
    some = X[:: max(1, len(X) // 50_000)]
    return np.flatnonzero([len(np.unique(some[:, j])) > 20 for j in range(X.shape[1])])


def data_set(name: str) -> tuple[Any, Any] | None:
    """The artificial set, or a real one without its nominal features, if it is there."""
    if name == "artificial":
        return artificial()
    held = load(name)
    if held is None:
        return None
    X = np.asarray(held[0], np.float64)
    return np.ascontiguousarray(X[:, continuous(X)]), held[1]


def arrange(X: Any, y: Any, scenario: str) -> Batch:
    """All rows in the order of a scenario of the paper's section 5."""
    shuffled = collect(stationary([Batch(X, y)]))
    if scenario == "stationary":
        return shuffled
    if scenario == "missing":
        values = np.asarray(shuffled.X).copy()
        values[np.random.default_rng(1).random(values.shape) < MISSING] = np.nan
        return shuffled.replace(X=values)
    if scenario == "by class":
        return collect(by_class([shuffled]))
    exact = Exact(X.shape[1])
    exact.update(shuffled)
    return collect(sorted_by_feature([shuffled], int(np.nanargmax(information_gain(exact)))))


SCENARIOS = "stationary", "sorted", "by class", "missing"
"""The paper's stationary, non-stationary-feature, non-stationary-class, missing values."""


@dataclass
class Answers:
    """What a summary said at each tenth of a stream."""

    gains: list[Any]
    nbytes: list[int]
    seconds: float = 0.0


def run(stream: Batch, summaries: dict[str, Any]) -> dict[str, Answers]:
    """Put a stream into summaries, the exact one among them, and ask at each tenth."""
    kinds = {"exact": Exact, **summaries}
    made = {name: kind(stream.n_features) for name, kind in kinds.items()}
    found = {name: Answers([], []) for name in kinds}
    for tenth in range(TENTHS):
        first, last = (stream.n_rows * t // TENTHS for t in (tenth, tenth + 1))
        for name, summary in made.items():
            begin = perf_counter()
            for row in range(first, last, BATCH):
                summary.update(stream.take(slice(row, min(row + BATCH, last))))
            found[name].seconds += perf_counter() - begin
            found[name].gains.append(information_gain(summary))
            found[name].nbytes.append(summary.nbytes)
    return found


def errors(found: dict[str, Answers], name: str) -> list[float]:
    """The relative error of the best feature's gain at each tenth; the exact gain says which."""
    wrong = []
    for exact, gains in zip(found["exact"].gains, found[name].gains):
        if np.isnan(exact).all():  # one class so far
            wrong.append(np.nan)
            continue
        best = np.nanargmax(exact)
        estimate = 0.0 if np.isnan(gains[best]) else gains[best]
        wrong.append(abs(estimate - exact[best]) / exact[best])
    return wrong


def correlations(found: dict[str, Answers], name: str) -> list[float]:
    """Spearman's correlation of the gains of all features with the exact ones, at each tenth."""
    pairs = zip(found["exact"].gains, found[name].gains)
    return [
        np.nan
        if np.isnan(exact).any()
        else spearmanr(exact, np.nan_to_num(gains, nan=-1.0)).statistic
        for exact, gains in pairs
    ]


def save(figure: Any, name: str) -> str:
    figure.savefig(RESULTS / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    return f"![{name}]({name}.svg)\n"
