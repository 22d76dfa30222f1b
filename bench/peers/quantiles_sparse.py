"""Sparse text through quantile summaries: non-zeros a second, and bytes by distinct values.

Run: python bench/peers/quantiles_sparse.py

The data sets are not part of the project: see `bench/data.py`.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from data import load
from driftsieve import Fading, Screening

BATCH, LEAST = 1_000, 5e6


def learnt(X, y, **options):
    sieve = Screening("mutual_information", k=100, **options)
    for i in range(0, X.shape[0], BATCH):
        sieve.partial_fit(X[i : i + BATCH], y[i : i + BATCH])
    return sieve


def distinct(X):
    """Count the different (feature, value) pairs."""
    order = np.lexsort([X.data, X.indices])
    features, values = X.indices[order], X.data[order]
    return 1 + np.count_nonzero((np.diff(features) != 0) | (np.diff(values) != 0))


def line(name, X, y):
    X = X.astype(np.float32)
    times = race(
        {
            "learning": lambda: learnt(X, y),
            "fading": lambda: learnt(X, y, memory=Fading.half_life(10_000)),
            "learning and scores": lambda: learnt(X, y).scores_,
        },
        rounds=3,
    )
    rates = {what: X.nnz / seconds for what, seconds in times.items()}
    pairs, sieve = distinct(X), learnt(X, y)
    return [
        name,
        f"{X.shape[0]:,} × {X.shape[1]:,}",
        f"{X.nnz:,}",
        *(f"{rate / 1e6:.1f}" for rate in rates.values()),
        verdict(rates["learning"], LEAST, at_most=False),
        f"{pairs:,}",
        f"{sieve.nbytes / pairs:.0f}",
        f"{sieve.nbytes / (X.shape[1] * 1000):.3f}",
    ]


def main():
    sets = {name: load(name) for name in ("farm_ads", "news20_bydate", "tdt2")}
    lines = [line(name, held[0], held[1]) for name, held in sets.items() if held is not None]
    if not lines:
        return
    write_result(
        "quantiles_sparse",
        f"""# Sparse rows in quantile summaries

{environment("scipy")}

Written by `python bench/peers/quantiles_sparse.py`: mutual information, epsilon = 0.001, batches of
{BATCH:,} CSR rows, one thread; medians of interleaved rounds. Millions of non-zeros a second; the
target is at least 5.

{
            table(
                ["data", "shape", "non-zeros", "learning", "with fading", "with scores at the end",
                 "", "different (feature, value)", "bytes for each", "bytes for p / epsilon"],
                lines,
            )
        }
What is held follows the different values of the features, and the rows that wait, not the number of
features divided by epsilon.
""",
    )  # fmt: skip


if __name__ == "__main__":
    main()
