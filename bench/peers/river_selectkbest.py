"""`Screening` against river's SelectKBest on the same rows: how many are learnt per second.

River learns as many rows as it manages in some seconds; its rows are made into dicts beforehand.
The batches of driftsieve are timed between slices of river's work, so that a noisy machine
disturbs both alike.
"""

import sys
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from river import feature_selection, stats

from driftsieve import Screening
from driftsieve.adapters.river import RiverSelector

sys.path.append(str(Path(__file__).parents[1]))
from common import environment, table, verdict, write_result

FEATURES, BATCH, BATCHES, K = 5_000, 1_000, 8, 50
DICTS = 100
SLICES, SECONDS = 7, 2.0
TARGET = 1_000


def stream() -> list[tuple[np.ndarray, np.ndarray]]:
    """Batches of rows of two classes, of whose features every tenth says something."""
    rng = np.random.default_rng(0)
    batches = []
    for _ in range(BATCHES):
        y = rng.integers(0, 2, BATCH)
        X = rng.standard_normal((BATCH, FEATURES))
        X[:, ::10] += 0.3 * y[:, None]
        batches.append((X, y))
    return batches


def one_by_one(model, rows) -> float:
    """Learn rows for a slice of time; return rows per second."""
    begin, learnt = perf_counter(), 0
    while perf_counter() - begin < SECONDS:
        model.learn_one(*next(rows))
        learnt += 1
    return learnt / (perf_counter() - begin)


def in_batches(sieve, batches) -> float:
    """Learn batches; return rows per second."""
    begin = perf_counter()
    for X, y in batches:
        sieve.partial_fit(X, y)
    return len(batches) * BATCH / (perf_counter() - begin)


def main() -> None:
    batches = stream()
    names = [f"x{j}" for j in range(FEATURES)]
    X, y = batches[0]
    dicts = [(dict(zip(names, x)), label) for x, label in zip(X[:DICTS].tolist(), y.tolist())]
    rows = cycle(dicts)
    peer = feature_selection.SelectKBest(stats.PearsonCorr(), k=K)
    adapter = RiverSelector(Screening("t", k=K), refresh=100)
    ours = {dtype: Screening("t", k=K) for dtype in (np.float32, np.float64)}
    given = {dtype: [(X.astype(dtype), y) for X, y in batches] for dtype in ours}
    for dtype, sieve in ours.items():
        in_batches(sieve, given[dtype][:1])  # compiles on a machine's first run
    speeds: dict[str, list[float]] = {}
    for _ in range(SLICES):
        measured = {
            "river SelectKBest (Pearson)": one_by_one(peer, rows),
            "RiverSelector(Screening), one row at a time": one_by_one(adapter, rows),
        }
        for dtype, sieve in ours.items():
            name = f"Screening.partial_fit, {dtype.__name__}"
            measured[name] = in_batches(sieve, given[dtype])
        for name, speed in measured.items():
            speeds.setdefault(name, []).append(speed)
    medians = {name: median(values) for name, values in speeds.items()}
    slowest = next(iter(medians.values()))
    ratio = medians["Screening.partial_fit, float64"] / slowest
    met = verdict(ratio, TARGET, at_most=False)
    text = f"""# Rows learnt per second, against river's SelectKBest

**{ratio:,.0f} times as many** by `Screening.partial_fit` in batches of {BATCH:,} rows of \
{FEATURES:,} float64 features (target: at least {TARGET:,}: {met}).

"""
    lines = [[name, f"{speed:,.0f}", f"{speed / slowest:,.0f}"] for name, speed in medians.items()]
    text += table(["", "rows per second", "times river"], lines)
    text += f"""
One thread; medians of {SLICES} turns. In a turn, `partial_fit` learns {BATCHES} batches, and who \
takes one row at a time cycles for {SECONDS:.0f} s through the first {DICTS} of the same rows, \
made into dicts beforehand. SelectKBest correlates each feature with the label; Screening keeps \
what Welch's t of each needs, a measure of the same thing for two classes. Neither is asked for \
its selection.

{environment("river")}
"""
    write_result("river_selectkbest", text)


if __name__ == "__main__":
    main()
