"""Quantile summaries by class against sketches that keep no classes, and against sorting it all.

Run: python bench/peers/quantiles.py

`datasketches` (Apache, C++) and `xgboost-cpu` come with the extra `bench`.
"""

import sys
from functools import partial
from pathlib import Path
from time import perf_counter

import datasketches
import numpy as np
import xgboost

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from driftsieve import Fading, Screening

ROWS, FEATURES, BATCH, BINS = 200_000, 100, 1_000, 5


def data(rows=ROWS, features=FEATURES, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, features), dtype=np.float32), rng.integers(0, 2, rows)


def ours(X, y, epsilon, batch=BATCH, **options):
    sieve = Screening("mutual_information", k=10, epsilon=epsilon, **options)
    for i in range(0, len(X), batch):
        sieve.partial_fit(X[i : i + batch], y[i : i + batch])
    return sieve


def kll_size(epsilon):
    """Return the smallest k whose rank error is at most epsilon."""
    error = datasketches.kll_floats_sketch.get_normalized_rank_error
    return next(k for k in range(8, 60_000) if error(k, False) <= epsilon)


def kll(X, k):
    sketches = datasketches.vector_of_kll_floats_sketches(k, X.shape[1])
    for i in range(0, len(X), BATCH):
        sketches.update(X[i : i + BATCH])


def sort_bin_count(X, y):
    """The offline way: sort every column, find the bin of every value, count."""
    n = len(X)
    at = [n * b // BINS - 1 for b in range(1, BINS)]
    for j in range(X.shape[1]):
        column = np.ascontiguousarray(X[:, j])
        codes = np.searchsorted(np.sort(column)[at], column)
        np.bincount(codes * 2 + y, minlength=2 * BINS)


def sort_compare_count(X, y):
    """The same without a code for each value: compare columns with four edges, and count."""
    n = len(X)
    at = [n * b // BINS - 1 for b in range(1, BINS)]
    of_class = [y == c for c in (0, 1)]
    for column in np.ascontiguousarray(X.T):
        for edge in np.sort(column)[at]:
            below = column <= edge
            for rows in of_class:
                np.count_nonzero(below & rows)


def speed():
    X, y = data()
    fine, coarse = kll_size(0.001), kll_size(0.01)
    times = race(
        {
            "ours": lambda: ours(X, y, 0.001).scores_,
            "two threads": lambda: ours(X, y, 0.001, n_jobs=2).scores_,
            "fading": lambda: ours(X, y, 0.001, memory=Fading(0.9999)).scores_,
            "levels": lambda: ours(X, y, 0.001, summary="levels").scores_,
            "kll": lambda: kll(X, fine),
            "offline": lambda: sort_bin_count(X, y),
            "compare": lambda: sort_compare_count(X, y),
            "ours, coarse": lambda: ours(X, y, 0.01).scores_,
            "kll, coarse": lambda: kll(X, coarse),
        },
        rounds=5,
    )
    times |= race(  # one round, because it takes so long
        {"xgboost": lambda: xgboost.QuantileDMatrix(X, y, max_bin=1024, nthread=1)}, rounds=1
    )
    wide, labels = data(60_000, 512)
    times |= race(
        {
            "wide": lambda: ours(wide, labels, 0.001).scores_,
            "wide, two threads": lambda: ours(wide, labels, 0.001, n_jobs=2).scores_,
        },
        rounds=5,
    )
    mine = times["ours"]
    lines = [
        ("0.001", f"datasketches' vectorised KLL, k = {fine}", times["kll"] / mine, 4.0),
        ("0.001", "xgboost's QuantileDMatrix, 1,024 bins", times["xgboost"] / mine, 12.0),
        ("0.001", "offline: sort, bin, count", times["offline"] / mine, 1.5),
        ("0.001", "offline, tuned: sort, compare, count", times["compare"] / mine, None),
        ("0.001", "ours in levels", times["levels"] / mine, None),
        ("0.001", "ours, fading", times["fading"] / mine, None),
        ("0.001", "two threads against one", mine / times["two threads"], 1.7),
        ("0.001", "the same, 60,000 × 512", times["wide"] / times["wide, two threads"], 1.7),
        ("0.01", f"KLL, k = {coarse}", times["kll, coarse"] / times["ours, coarse"], 6.0),
    ]
    return table(
        ["epsilon", "against", "values per second, times", "at least", ""],
        [
            [e, what, f"{r:.2f}", least or "", verdict(r, least, at_most=False) if least else ""]
            for e, what, r, least in lines
        ],
    )


def growth():
    """Time per value in ever longer streams."""
    sieve = Screening("mutual_information", k=5)
    lines, taken = [], []
    for chunk in range(100):
        X, y = data(100_000, 10, seed=chunk)
        begin = perf_counter()
        for i in range(0, len(X), BATCH):
            sieve.partial_fit(X[i : i + BATCH], y[i : i + BATCH])
        taken.append(perf_counter() - begin)
        if chunk + 1 in (1, 10, 100):
            lines.append([f"{100_000 * (chunk + 1):,}", f"{np.mean(taken) / taken[0]:.2f}"])
    ratio = np.mean(taken) / taken[0]
    return table(["rows", "time per value, ratio"], lines) + (
        f"\nAt most 1.3: {verdict(ratio, 1.3, at_most=True)}.\n"
    )


def single_rows():
    X, y = data(12_000)
    sieve = ours(X[:8_000], y[:8_000], 0.001)
    begin = perf_counter()
    for i in range(8_000, 12_000):  # two blocks, which are sorted and merged on the way
        sieve.partial_fit(X[i : i + 1], y[i : i + 1])
    rate = 4_000 / (perf_counter() - begin)
    return f"{rate:,.0f} rows per second (at least 5,000: {verdict(rate, 5_000, at_most=False)})"


def asking():
    X, y = data(12_000, 10_000)
    sieve = ours(X[:10_000], y[:10_000], 0.001)
    times = {"learning": [], "asking": []}
    for i in (10_000, 11_000):
        for name, run in (
            ("learning", partial(sieve.partial_fit, X[i : i + BATCH], y[i : i + BATCH])),
            ("asking", lambda: sieve.scores_),
        ):
            begin = perf_counter()
            run()
            times[name].append(perf_counter() - begin)
    ratio = sum(times["asking"]) / sum(times["learning"])
    return f"{ratio:.2f} of the time of one call (at most 2: {verdict(ratio, 2, at_most=True)})"


def main():
    write_result(
        "quantiles",
        f"""# Quantile summaries

{environment("datasketches", "xgboost-cpu")}

Written by `python bench/peers/quantiles.py`. Medians of interleaved rounds in one run, one thread
unless said.

## Values per second: {ROWS:,} × {FEATURES} float32, 2 classes, batches of {BATCH:,}

{speed()}
Ours ends with the scores of all features. KLL and xgboost know no classes and give no scores; the
offline ways hold all rows. The tuned one costs little more than NumPy's sort of a whole column.

What two threads cannot share is what a call of `partial_fit` costs whatever the number of features:
looking at the labels, waking the other thread. With 100 features that is a tenth of the time; so
the calling thread takes fewer features than the other one, and does not wait for it in the end.

## Long streams: 10 features, batches of {BATCH:,}

{growth()}
## One row at a time, {FEATURES} features

{single_rows()}

## Scores of 10,000 features, against `partial_fit` of {BATCH:,} rows

{asking()}
""",
    )


if __name__ == "__main__":
    main()
