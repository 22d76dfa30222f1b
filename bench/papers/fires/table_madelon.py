"""Madelon: who finds the five informative and the fifteen redundant features among 500?

Run: python bench/papers/fires/table_madelon.py
"""

import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from setting import SEED, scaled

import data
from driftsieve import FIRES
from driftsieve.cli.selectors import SELECTORS, make_selector
from driftsieve.selectors.models.net import NeuralNet

K, INFORMATIVE, STEP = 20, 5, 50
MANY = 20
"""Passes over the rows, beside one."""
MODELS: dict[str, Callable[[], Any]] = {
    "FIRES, ann": lambda: FIRES("ann", K, step=STEP),
    "FIRES, ann, 100 hidden units, rate 1": lambda: FIRES(
        NeuralNet(hidden=(100,)), K, step=STEP, learning_rate=1.0
    ),
    "FIRES, sdt": lambda: FIRES("sdt", K, step=STEP),
}
"""FIRES with models that are not linear, beside all selectors that the command knows."""


def useful_features(X: Any) -> tuple[list[int], Any, float, float]:
    """Return the useful features, the eigenvalues of their correlations, how much each of them is
    correlated with another at least, and how much any two others are at most.

    Redundant features are linear combinations of the informative ones, which together span a space
    of five dimensions; all others are independent noise.
    """
    correlations = np.abs(np.corrcoef(X.T))
    np.fill_diagonal(correlations, 0)
    strongest = correlations.max(axis=0)
    order = np.argsort(-strongest)
    useful = np.sort(order[:K])
    spectrum = np.linalg.eigvalsh(np.corrcoef(X[:, useful].T))[::-1]
    return useful.tolist(), spectrum, strongest[order[K - 1]], strongest[order[K]]


def found_by(make: Callable[[], Any], X: Any, y: Any, passes: int) -> set[int]:
    sieve = make()
    rng = np.random.default_rng(SEED)
    for number in range(passes):
        rows = np.arange(len(y)) if number == 0 else rng.permutation(len(y))
        for start in range(0, len(y), STEP):
            part = rows[start : start + STEP]
            sieve.partial_fit(X[part], y[part])
    return set(np.flatnonzero(sieve.get_support()).tolist())


def main() -> None:
    loaded = data.load("madelon")
    if loaded is None:
        sys.exit("no data, and so no page")
    X, y = loaded[0].astype(np.float64), loaded[1]
    useful, spectrum, least, most = useful_features(X)
    inputs = {"min-max": scaled(X), "standardised": StandardScaler().fit_transform(X)}
    known: dict[str, Callable[[], Any]] = {
        name: lambda name=name: make_selector(name, k=K) for name in SELECTORS
    }
    rows = []
    for name, make in (known | MODELS).items():
        again = "step" in signature(type(make())).parameters
        cells = []
        for scaling in inputs:
            for passes in (1, MANY):
                if passes > 1 and not again:
                    cells.append("")
                    continue
                recall = len(found_by(make, inputs[scaling], y, passes) & set(useful)) / K
                cells.append(f"{recall:.2f}")
        rows.append([name, *cells])
        print(*rows[-1], flush=True)
    header = ["selector"] + [
        f"{scaling}, {passes} {'pass' if passes == 1 else 'passes'}"
        for scaling in inputs
        for passes in (1, MANY)
    ]
    write_result(
        "fires_madelon",
        f"""# Madelon: recall of the useful features at k = {K}

{environment("scikit-learn")}

Written by `python bench/papers/fires/table_madelon.py`. Madelon (Guyon, 2003): 2,600 rows of 500
features. Five are informative: rows lie around the 32 corners of a cube, and each corner has a
random class. Fifteen are linear combinations of these, and 480 are noise.

Which 20 these are is not in the data set, but in its correlations. The {K} columns with the largest
correlation (of any sign) with any other are all above {least:.2f}, and no pair of others is above
{most:.2f}. The correlation matrix of these {K} has {INFORMATIVE} eigenvalues from {spectrum[0]:.2f}
to {spectrum[INFORMATIVE - 1]:.2f}, and the next is {spectrum[INFORMATIVE]:.3f}: they span five
dimensions. Counted from 0 they are {", ".join(map(str, useful))}.

{table(header, rows)}
By chance it would be {K / X.shape[1]:.2f}. Batches of {STEP} rows, which are the steps of those
that learn in steps; these may also learn the rows again, in another random order at each pass.

The class is not a linear function of the informative features: it is their combination that tells.
A linear model, or a score of each feature on its own, sees of it only what is left because random
classes of 32 corners do not balance exactly along every direction, and cannot find all 20. Methods
without labels (`gfw`, `mcfs`, `laplacian`) find features that go together, and here these are the
useful ones, since the noise is independent.
""",
    )


if __name__ == "__main__":
    main()
