"""Synthetic streams beside river's: rows per second, drawn and delivered in one thread.

Run: python bench/peers/generators.py

River gives a dict per row, ours a matrix per batch with the relevant features of each row. Both are
iterated and nothing else.
"""

import sys
from collections import deque
from itertools import islice
from pathlib import Path

from river.datasets import synth

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from driftsieve.streams.agrawal import Agrawal
from driftsieve.streams.hyperplane import Hyperplane
from driftsieve.streams.led import LED
from driftsieve.streams.random_tree import RandomTree
from driftsieve.streams.rbf import RandomRBF
from driftsieve.streams.registry import ISS, generator
from driftsieve.streams.sea import SEA

ROWS, ROUNDS = 200_000, 5
ROWS_OF_RIVER = 20_000

PAIRS = {
    "LED, 24 features": (
        LED(n_rows=ROWS),
        synth.LED(seed=0, noise_percentage=0.1, irrelevant_features=True),
    ),
    "LED, 24 features, a drift of 4": (
        LED(n_rows=ROWS, drift_every=ROWS // 2),
        synth.LEDDrift(0, noise_percentage=0.1, irrelevant_features=True, n_drift_features=4),
    ),
    "AGRAWAL, function 1": (Agrawal(n_rows=ROWS), synth.Agrawal(0, seed=0)),
    "AGRAWAL, function 4, balanced, perturbed": (
        Agrawal(n_rows=ROWS, functions=4, balanced=True, perturbation=0.05),
        synth.Agrawal(3, seed=0, balance_classes=True, perturbation=0.05),
    ),
    "AGRAWAL, function 8, balanced, perturbed": (
        Agrawal(n_rows=ROWS, functions=8, balanced=True, perturbation=0.05),
        synth.Agrawal(7, seed=0, balance_classes=True, perturbation=0.05),
    ),
    "SEA, 3 features": (SEA(n_rows=ROWS), synth.SEA(0, noise=0.1, seed=0)),
    "hyperplane, 10 features, still": (Hyperplane(n_rows=ROWS), synth.Hyperplane(0)),
    "hyperplane, 10 features, moving": (
        Hyperplane(n_rows=ROWS, step=0.001),
        synth.Hyperplane(0, mag_change=0.001),
    ),
    "random tree, 10 features": (RandomTree(n_rows=ROWS), synth.RandomTree(0, 0)),
    "radial basis functions, 10 features": (
        RandomRBF(n_rows=ROWS),
        synth.RandomRBF(0, 0, n_classes=2, n_features=10, n_centroids=50),
    ),
}


def drained(rows):
    deque(rows, maxlen=0)


def beside_river():
    lines = []
    for name, (ours, theirs) in PAIRS.items():
        times = race(
            {
                "ours": lambda ours=ours: drained(ours),
                "river": lambda theirs=theirs: drained(islice(iter(theirs), ROWS_OF_RIVER)),
            },
            rounds=ROUNDS,
        )
        speed, other = ROWS / times["ours"], ROWS_OF_RIVER / times["river"]
        ratio = speed / other
        met = verdict(ratio, 10, at_most=False)
        lines.append([name, f"{speed:,.0f}", f"{other:,.0f}", f"{ratio:.0f}", met])
    return table(["stream", "ours, rows/s", "river, rows/s", "times", "at least 10"], lines)


def of_the_paper():
    lines = []
    for name in ISS:
        # With all of its drifts within the rows that are measured.
        every = {"drift_every": ROWS // 2} if generator(name).drift_points else {}
        stream = generator(name, n_rows=ROWS, **every)
        times = race({"ours": lambda stream=stream: drained(stream)}, rounds=ROUNDS)
        cells = ROWS * stream.n_features / times["ours"]
        speed = f"{ROWS / times['ours']:,.0f}"
        lines.append([name, stream.n_features, speed, f"{cells / 1e6:.0f} million"])
    return table(["stream", "features", "rows/s", "values/s"], lines)


def main():
    write_result(
        "generators",
        f"""# Synthetic streams

{environment("river")}

Written by `python bench/peers/generators.py`. Medians of {ROUNDS} rounds, one thread, batches of
1,000 rows.

## Beside river's

{beside_river()}
River gives one dict per row and ours a matrix per batch, so this is the speed of rows that come
out, not of the same work. With `balanced`, either draws until a row is of the class that is wanted.

## The streams of Yuan, Pfahringer and Barddal (2018)

{of_the_paper()}""",
    )


if __name__ == "__main__":
    main()
