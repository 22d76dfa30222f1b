"""The sketch behind FSDS beside IncrementalPCA and a full decomposition of every batch.

Run: python bench/peers/fsds.py
"""

import sys
import tracemalloc
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.decomposition import IncrementalPCA

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from data import load
from driftsieve import FSDS

BATCH, SIZE, ROUNDS = 1_000, 28, 3
LONG, WIDE = 1_000_000, 3_072


def batches(X, size=BATCH):
    return [X[lo : lo + size] for lo in range(0, X.shape[0], size)]


def ours(parts, size=SIZE, **options):
    sieve = FSDS(k=100, directions=10, sketch_size=size, **options)
    for X in parts:
        sieve.partial_fit(X)
    assert len(sieve.ranking_)
    return sieve


def full_svd(parts, size=SIZE):
    """Algorithm 2 with a full singular value decomposition of each batch. Shrinks by the first
    value that is not kept, as ours does: the paper shrinks by the last that is, and loses more."""
    B = np.zeros((size, parts[0].shape[1]), parts[0].dtype)
    for X in parts:
        _, values, Vt = np.linalg.svd(np.concatenate([B, X]), full_matrices=False)
        shrunk = np.sqrt(values[:size] ** 2 - values[size] ** 2)
        B = shrunk[:, None] * Vt[:size]
    return B


def incremental_pca(parts, size=SIZE):
    model = IncrementalPCA(size)
    for X in parts:
        model.partial_fit(X.copy(), check_input=False)  # which centres its rows in place
    return model


def thin_products(parts, size=SIZE):
    """What no method avoids: rows times directions, and back."""
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((parts[0].shape[1], size)).astype(parts[0].dtype)
    for X in parts:
        (X @ directions).T @ X


def covariance_error(covariance, B):
    lost = np.linalg.eigvalsh(covariance - B.T @ B)
    return np.abs(lost).max() / np.trace(covariance)


def mnist():
    found = load("mnist")
    if found is None:
        return "(no data)"
    raw = found[0].astype(np.float32)
    unit = raw / np.linalg.norm(raw, axis=1)[:, None]
    covariance = unit.T.astype(float) @ unit
    kept = {}

    def keeping(name, run, parts):
        def call():
            kept[name] = run(parts)

        return call

    times = race(
        {
            "ours": keeping("ours", ours, batches(raw)),
            "double": keeping("double", ours, batches(raw.astype(float))),
            "full": keeping("full", full_svd, batches(unit)),
            "pca": keeping("pca", incremental_pca, batches(unit)),
            "thin": keeping("thin", thin_products, batches(unit)),
        },
        rounds=ROUNDS,
    )
    pca = kept["pca"]
    mean = np.sqrt(pca.n_samples_seen_) * pca.mean_
    sketches = {
        "ours": kept["ours"].sketch_.directions()[0].T,
        "double": kept["double"].sketch_.directions()[0].T,
        "full": kept["full"].astype(float),
        "pca": np.vstack([pca.singular_values_[:, None] * pca.components_, mean]),
    }
    errors = {name: covariance_error(covariance, B) for name, B in sketches.items()}
    names = {
        "ours": f"FSDS, `sketch_size={SIZE}`, scores included",
        "double": "the same, float64",
        "full": "full singular value decomposition of every batch",
        "pca": "scikit-learn's IncrementalPCA, and its mean",
        "thin": "two thin products of every batch",
    }
    targets = {"pca": 40, "full": 30}
    lines = []
    for name, what in names.items():
        ratio = times[name] / times["ours"]
        least = targets.get(name)
        lines.append(
            [
                what,
                f"{times[name]:.2f}",
                f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}",
                least or "",
                verdict(ratio, least, at_most=False) if least else "",
                f"{errors[name]:.5f}" if name in errors else "",
            ]
        )
    bound = kept["ours"].sketch_.covariance_error() / np.trace(covariance)
    share = errors["ours"] / errors["full"]
    return f"""{table(["", "seconds", "times ours", "at least", "", "covariance error"], lines)}
The error is ‖YᵀY − BᵀB‖₂ / ‖Y‖². Ours is {share:.2f} of that of full decompositions (at most 1:
{verdict(share, 1.0, at_most=True)}); {bound:.5f} is what it vouches for. Ours takes
{times["ours"] / times["thin"]:.1f} times as long as the two thin products alone, with which the
scaling of rows, the random directions and the certificate are included.
"""


def long_streams():
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((40, WIDE)).astype(np.float32) * 0.9 ** np.arange(40)[:, None]
    centres = centres.astype(np.float32)
    sieve, lines, taken, total = FSDS(k=100), [], [], 0.0
    for number in range(LONG // BATCH):
        X = centres[rng.integers(0, 40, BATCH)]
        X += rng.standard_normal((BATCH, WIDE), dtype=np.float32) / 4
        begin = perf_counter()
        sieve.partial_fit(X)
        taken.append(perf_counter() - begin)
        rows = (number + 1) * BATCH
        if rows in (LONG // 100, LONG // 10, LONG // 2, LONG):
            recent = np.median(taken[-10:]) / np.median(taken[:10])
            total = sum(taken)
            lines.append([f"{rows:,}", f"{total:.1f}", f"{recent:.2f}", f"{sieve.nbytes:,}"])
    ratio = np.median(taken[-100:]) / np.median(taken[:100])
    header = ["rows", "seconds in all", "time of a batch, ratio to the first", "bytes held"]
    return f"""{table(header, lines)}
The last tenth of the batches took {ratio:.2f} times as long as the first (at most 1.2:
{verdict(ratio, 1.2, at_most=True)}).
"""


def sparse_text():
    found = load("news20_bydate")
    if found is None:
        return "(no data)"
    X = found[0].astype(np.float64)
    parts = batches(X)
    sieve = ours(parts[:1], size=None)  # compiles and imports what is needed
    tracemalloc.start()
    begin = perf_counter()
    sieve = ours(parts, size=None)
    seconds = perf_counter() - begin
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = sieve.sketch_.size
    batch = max(p.data.nbytes + p.indices.nbytes + p.indptr.nbytes for p in parts)
    ratio = (peak - batch) / (8 * X.shape[1] * size)
    return f"""{X.shape[0]:,} texts of {X.shape[1]:,} words, {X.nnz / X.shape[0]:.0f} of them in a
text, {size} directions: {seconds:.1f} seconds. Above the {batch / 1e6:.1f} MB of a batch, the most
memory taken at any time, scores included, was {ratio:.2f} times the {size} × {X.shape[1]:,} numbers
of the sketch (at most 1.5: {verdict(ratio, 1.5, at_most=True)}).
"""


def main():
    write_result(
        "fsds",
        f"""# FSDS: the sketch

{environment("scikit-learn")}

Written by `python bench/peers/fsds.py`. Medians of {ROUNDS} interleaved rounds in one run, all with
the threads that NumPy takes by itself.

## MNIST: 70,000 × 784 float32, batches of {BATCH:,}, {SIZE} directions

{mnist()}
## A long stream: {LONG:,} × {WIDE:,}, generated, the usual sketch

{long_streams()}
## Sparse text: 20 newsgroups, batches of {BATCH:,}

{sparse_text()}
""",
    )


if __name__ == "__main__":
    main()
