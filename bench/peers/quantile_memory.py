"""Bytes of quantile summaries, by the order in which a million rows arrive.

Run: python bench/peers/quantile_memory.py
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, table, verdict, write_result

from driftsieve import Batch
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles

ROWS, BATCH, FEATURES, EPSILON = 1_000_000, 1_000, 10, 0.001


def orders(x):
    """The same values in several orders."""
    n, low, high = len(x), np.sort(x), np.sort(x)[::-1]
    inwards = np.empty_like(x)
    inwards[0::2], inwards[1::2] = low[: n // 2], high[: n // 2]
    steps = low.reshape(100, -1)[np.random.default_rng(1).permutation(100)].ravel()
    yield "random", x
    yield "sorted", low
    yield "reversed", high
    yield "zoom-in: extremes first", inwards
    yield "zoom-out: extremes last", inwards[::-1]
    yield "in shuffled steps of 10,000", steps
    yield "heavy tail (Cauchy), random", np.random.default_rng(2).standard_cauchy(n)
    yield "1,000 values", np.random.default_rng(3).integers(0, 1_000, n)
    yield "10,000 values", np.random.default_rng(3).integers(0, 10_000, n)
    yield "constant", np.zeros(n)


def bytes_of(kind, x):
    """Return the bytes per feature at the end, the most on the way, and what they cannot exceed."""
    y = np.random.default_rng(0).integers(0, 2, len(x))
    summary = kind(FEATURES, epsilon=EPSILON)
    most = 0
    for i in range(0, len(x), BATCH):
        X = np.repeat(x[i : i + BATCH, None].astype(np.float32), FEATURES, axis=1)
        summary.update(Batch(X, y[i : i + BATCH]))
        if i > len(x) // 10:
            most = max(most, summary.nbytes)
    return [size / FEATURES for size in (summary.nbytes, most, summary.most_bytes(len(x)))]


def main():
    x = np.random.default_rng(0).standard_normal(ROWS)
    lines, random, worst = [], 0.0, 0.0
    for name, values in orders(x):
        at_end, most, bound = bytes_of(Quantiles, values)
        random, worst = (most if name == "random" else random), max(worst, most)
        in_levels, most_in_levels, bound_in_levels = bytes_of(LevelQuantiles, values)
        lines.append(
            [name] + [f"{size / 1024:.1f}" for size in (at_end, most, in_levels, most_in_levels)]
        )
    write_result(
        "quantile_memory",
        f"""# Memory of quantile summaries

{environment()}

Written by `python bench/peers/quantile_memory.py`.

KiB per feature: {ROWS:,} rows of float32 in batches of {BATCH:,}, two classes, epsilon = {EPSILON},
{FEATURES} features. *Most* is the most at the end of any batch after the first tenth of the stream,
rows that wait included (up to 2,000 of them, 8 KiB).

{
            table(
                ["order of the rows", "quantiles", "most", "levels", "most"],
                lines,
            )
        }
Random, at most 16 KiB: {verdict(random / 1024, 16, at_most=True)}.
The worst order, at most 100 KiB: {verdict(worst / 1024, 100, at_most=True)}.

The formulas (`most_bytes`) allow {bound / 1024:,.0f} KiB for quantiles and
{bound_in_levels / 1024:,.0f} KiB for levels: the most entries that any order could leave, with
numbers as wide as they can become.
""",
    )


if __name__ == "__main__":
    main()
