"""Summaries of counts: rows per second beside the exact one, beside DataSketches' REQ alone, and
equal width beside `np.histogram`; bytes beside one sample list per level.

Run: python bench/peers/summaries.py

`datasketches` (Apache, C++) comes with the extra `bench`.
"""

import sys
from math import ceil, log
from pathlib import Path

import datasketches
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from driftsieve import Batch
from driftsieve.summaries.equal_width import EqualWidth
from driftsieve.summaries.exact import Exact
from driftsieve.summaries.quantiles import Quantiles
from driftsieve.summaries.samplers import EqualFrequency, ExponentialFrequency

ROWS, FEATURES, BATCH = 300_000, 10, 5_000
KINDS = {
    "exact": Exact,
    "equal width": EqualWidth,
    "equal frequency": EqualFrequency,
    "exponential": ExponentialFrequency,
    "quantiles": Quantiles,
}


def data(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, FEATURES)), rng.integers(0, 2, rows)


def learn(kind, X, y, batch=BATCH):
    summary = kind(X.shape[1])
    for i in range(0, len(X), batch):
        summary.update(Batch(X[i : i + batch], y[i : i + batch]))
    return summary


def req(X, y):
    """One sketch for each feature and class."""
    sketches = [[datasketches.req_floats_sketch(12) for _ in range(2)] for _ in range(X.shape[1])]
    narrow = X.astype(np.float32)
    for i in range(0, len(X), BATCH):
        rows, labels = narrow[i : i + BATCH], y[i : i + BATCH]
        for c in (0, 1):
            of_class = rows[labels == c]
            for j, pair in enumerate(sketches):
                pair[c].update(np.ascontiguousarray(of_class[:, j]))
    return sketches


def speed():
    X, y = data()
    runs = {name: lambda kind=kind: learn(kind, X, y) for name, kind in KINDS.items()}
    times = race({**runs, "REQ": lambda: req(X, y)}, rounds=3)
    lines = [
        [name, f"{ROWS / times[name]:,.0f}", f"{times['exact'] / times[name]:.2f}",
         f"{times['REQ'] / times[name]:.2f}"]
        for name in [*KINDS, "REQ"]
    ]  # fmt: skip
    return table(["summary", "rows per second", "times the exact one", "times REQ"], lines)


def histogram():
    X, y = data()
    columns = np.ascontiguousarray(X.T)
    times = race(
        {
            "ours": lambda: learn(EqualWidth, X, y),
            "histogram": lambda: [np.histogram(column, 64) for column in columns],
        },
        rounds=5,
    )
    ratio = times["ours"] / times["histogram"]
    return (
        f"{ratio:.2f} times the time of `np.histogram` of the same columns with 64 bins, which "
        f"knows no classes and has all rows at once (at most 3: "
        f"{verdict(ratio, 3, at_most=True)})."
    )


def lists_per_level(n, size, beta, item):
    """Bytes of a list for each level, of both sides, that a class of n rows has spawned: a sampler
    of rank r holds the values it took, `size` at most."""
    ranks = [size * beta**i for i in range(max(0, ceil(log(n / 2 / size) / log(beta))) + 1)]
    return 2 * item * sum(min(size, n * size / max(rank, size)) for rank in ranks)


def sizes():
    lines, ratios = [], []
    for rows in (10_000, 100_000, 1_000_000):
        X, y = data(rows)
        made = {name: learn(kind, X, y, 50_000) for name, kind in KINDS.items()}
        sampler = made["exponential"]
        per_level = FEATURES * 2 * lists_per_level(rows / 2, sampler.size, 1.05, 8)
        ratios.append(per_level / sampler.nbytes)
        lines.append(
            [f"{rows:,}", *(f"{made[name].nbytes:,}" for name in KINDS), f"{X.nbytes:,}",
             f"{per_level:,.0f}", f"{ratios[-1]:.1f}"]
        )  # fmt: skip
        below = sampler.nbytes < min(made["exact"].nbytes, X.nbytes)
        lines[-1].append("yes" if below else "no")
    header = [
        "rows",
        *KINDS,
        "the values alone",
        "a list per level",
        "to exponential",
        "below exact",
    ]
    return table(header, lines) + (
        f"\nNested samplers at least 10 times smaller than a list per level, at a million rows: "
        f'{verdict(ratios[-1], 10, at_most=False)}. "Below exact": below the exact summary, and '
        "below the values alone.\n"
    )


def main():
    write_result(
        "summaries",
        f"""# Summaries of counts

{environment("datasketches")}

Written by `python bench/peers/summaries.py`. {ROWS:,} rows of {FEATURES} float64 features, two
classes, batches of {BATCH:,}; medians of interleaved rounds in one run, one thread. REQ (k = 12) is
a sketch for each feature and class, of float32 values.

## Speed

{speed()}
Equal width: {histogram()}

## Bytes

{sizes()}""",
    )


if __name__ == "__main__":
    main()
