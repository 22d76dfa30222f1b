"""Moments against a plain sum over the same matrix, and Screening against f_classif.

Run: python bench/peers/moments.py
"""

import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_selection import f_classif

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from driftsieve import Batch, Fading, Screening
from driftsieve.remembered import remember
from driftsieve.summaries.moments import Moments

ROWS, FEATURES, CLASSES, BATCH = 20_000, 2_000, 3, 1_000


def learn(batches, n_jobs=1, memory=None):
    remembered = remember(lambda p: Moments(p, n_jobs=n_jobs), batches[0].n_features, memory)
    for batch in batches:
        remembered.update(batch)
    return remembered


def dense():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES), dtype=np.float32)
    y = rng.integers(0, CLASSES, ROWS)
    whole = [Batch(X, y)]
    parts = [Batch(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, ROWS, BATCH)]
    sieve = Screening("fisher")
    times = race(
        {
            "sum": lambda: X.sum(axis=0),
            "whole": lambda: learn(whole),
            "whole, 2 threads": lambda: learn(whole, n_jobs=2),
            "whole, fading": lambda: learn(whole, memory=Fading(0.999)),
            "batches": lambda: learn(parts),
            "batches, 2 threads": lambda: learn(parts, n_jobs=2),
            "batches, fading": lambda: learn(parts, memory=Fading(0.999)),
            "batches, alpha 1": lambda: learn(parts, memory=Fading(1.0)),
        },
        rounds=15,
    )
    f_times = race({"f": lambda: f_classif(X, y), "fit": lambda: sieve.fit(X, y).scores_}, rounds=3)
    lines = [
        ("one batch", "X.sum(axis=0)", times["whole"] / times["sum"], 2.0),
        ("one batch, two threads", "X.sum(axis=0)", times["whole, 2 threads"] / times["sum"], 1.2),
        ("one batch, fading", "one batch", times["whole, fading"] / times["whole"], 1.1),
        ("batches of 1,000", "X.sum(axis=0)", times["batches"] / times["sum"], 2.0),
        (
            "batches of 1,000, two threads",
            "X.sum(axis=0)",
            times["batches, 2 threads"] / times["sum"],
            1.2,
        ),
        (
            "batches of 1,000, fading",
            "batches of 1,000",
            times["batches, fading"] / times["batches"],
            1.1,
        ),
        (
            "batches of 1,000, alpha = 1",
            "batches of 1,000",
            times["batches, alpha 1"] / times["batches"],
            1.1,
        ),
        ("Screening.fit and its scores", "f_classif", f_times["fit"] / f_times["f"], 0.1),
    ]
    return table(
        ["moments of", "against", "time ratio", "at most", ""],
        [[a, b, f"{r:.3g}", t, verdict(r, t, at_most=True)] for a, b, r, t in lines],
    )


def csr():
    """Equal non-zeros in ever more columns, and ever more non-zeros in equal columns."""
    rng = np.random.default_rng(0)
    rows, per_row = 1_150, 900
    y = rng.integers(0, 2, rows)

    def matrix(columns, per_row):
        indices = rng.integers(0, columns, (rows, per_row))
        indices.sort(axis=1)
        data = rng.random(rows * per_row, dtype=np.float32)
        indptr = np.arange(rows + 1) * per_row
        X = sparse.csr_array((data, indices.ravel(), indptr), shape=(rows, columns))
        X.sum_duplicates()
        return X

    cases = {
        "100,000 columns at 0.9 %": matrix(100_000, per_row),
        "half the non-zeros": matrix(100_000, per_row // 2),
        "1,000,000 columns": matrix(1_000_000, per_row),
        "10,000,000 columns": matrix(10_000_000, per_row),
    }
    runs = {}
    for name, X in cases.items():
        sieve = Screening("t").partial_fit(X, y)
        runs[name] = lambda sieve=sieve, X=X: sieve.partial_fit(X, y)
    times = race(runs, rounds=9)
    base = "100,000 columns at 0.9 %"
    nnz = {name: X.nnz for name, X in cases.items()}
    return table(
        ["1,150 CSR rows", "non-zeros, ratio", "time of partial_fit, ratio"],
        [
            [name, f"{nnz[name] / nnz[base]:.2f}", f"{times[name] / times[base]:.2f}"]
            for name in cases
        ],
    )


def main():
    write_result(
        "moments",
        f"""# Moments: T and Fisher scores

{environment("scikit-learn", "scipy")}

Written by `python bench/peers/moments.py`. Medians of interleaved rounds in one run, one thread
unless said.

## Dense: {ROWS:,} × {FEATURES:,} float32, {CLASSES} classes

{dense()}
Per class and feature the weight, mean and squared deviations are kept in float64; the sum adds up
float32 in float32 and knows no classes.

## Sparse: the cost of a batch follows its non-zeros

{csr()}
A batch touches nothing but the moments of its entries. What remains of a growth with the number of
columns is the memory: entries spread over more columns share fewer cache lines.
""",
    )


if __name__ == "__main__":
    main()
