"""FSDS against the batch methods that it is compared with, at 10,000 rows of MNIST."""

import sys
from pathlib import Path
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.append(str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from data import load
from driftsieve import FSDS, GFW, MCFS, LaplacianScore

ROWS, BATCH, SELECTED, CLUSTERS = 10_000, 1_000, 200, 10
TARGETS = {"MCFS": 50, "Laplacian score": 10}
ROUNDS = 3


def main() -> None:
    loaded = load("mnist")
    if loaded is None:
        return
    order = np.random.default_rng(0).permutation(len(loaded[1]))[:ROWS]
    X = loaded[0][order].astype(np.float64)

    def learn(sieve):
        for begin in range(0, ROWS, BATCH):
            sieve.partial_fit(X[begin : begin + BATCH])
        return sieve.scores_

    contestants = {
        "FSDS": lambda: learn(FSDS(SELECTED, directions=CLUSTERS)),
        "GFW, p = 2": lambda: learn(GFW(SELECTED, directions=CLUSTERS)),
        "MCFS": lambda: learn(MCFS(SELECTED, directions=CLUSTERS)),
        "Laplacian score": lambda: learn(LaplacianScore(SELECTED)),
    }
    with threadpool_limits(1):
        times = race(contestants, ROUNDS, process_time)
    lines = []
    for name, seconds in times.items():
        ratio = seconds / times["FSDS"]
        target = TARGETS.get(name)
        met = "" if target is None else f"{target} · {verdict(ratio, target, at_most=False)}"
        lines.append([name, f"{seconds:.3f}", f"{ratio:.1f}", met])
    write_result(
        "fsds_family",
        f"""# FSDS against the batch methods that it is compared with

{environment("scikit-learn", "scipy")}

Written by `python bench/peers/fsds_family.py`: {ROWS:,} rows of MNIST, {X.shape[1]} features,
learnt in batches of {BATCH:,}, then one question for the scores; {SELECTED} features selected by
{CLUSTERS} directions. Medians of {ROUNDS} rounds taken in turns, in seconds of
the processor, with one thread each. MCFS and the Laplacian score are ours: graphs and lasso paths
are scikit-learn's.

{table(["", "processor seconds", "times FSDS", "target"], lines)}
The paper, on its machine: 50 and 10 times on Tiny images, 400 and 64 times on the whole of MNIST.
""",
    )


if __name__ == "__main__":
    main()
