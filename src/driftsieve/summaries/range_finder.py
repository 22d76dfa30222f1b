"""A step of frequent directions for many dense rows: in a few thin products, with a certificate.

Let A be the sketch and the new rows, one below the other, n by m. A start of few columns S — the
directions known so far, and some random ones — gives AS, an orthonormal basis Q of it, and M = QᵀA.
These are two thin products, and no other method has fewer. MᵀM = AᵀQQᵀA never overrates a
direction, because QQᵀ is a projection: so the directions of M, shrunk, are a sketch of A (Halko,
Martinsson & Tropp 2011; a start with what is known: Ghashami, Liberty & Phillips 2016).

What is lost is E = AᵀA − BᵀB: what shrinking takes away, and what Q misses. Its trace is known
exactly, ‖A‖² − ‖B‖². The theorem needs size · ‖E‖₂ ≤ tr E, of the sum of all steps; where new
directions appear that S has no part in, Q may miss them, and the theorem would fail. Therefore
‖E‖₂ is bounded, by powers of E on random columns: with ω of independent standard normal numbers
and v the first eigenvector, Σ‖E^q ω_i‖² ≥ ‖E‖₂^2q Σ(v·ω_i)², and Σ(v·ω_i)² has the chi-squared
distribution, whatever E is. If that bound does not do, the step is tried again from MᵀM's
directions (a power step: it closes in on the best ones); and if that does not help either, it is
taken exactly. So the theorem holds of every stream that does not know the random numbers, but for
one try in a million, of at most three a step. No step costs more than an exact one and what was
tried.
"""

from collections.abc import Callable

import numpy as np

from driftsieve.summaries.shrinking import SPARE, Step, exactly, ratio, shrunk
from driftsieve.summaries.sketch_rows import Floats, ScaledRows

FRESH = 8
"""Random columns of a start, beside the directions that are known."""
WORTH = 4
"""A step is taken so if the shorter side of A is so many times as long as a start is wide."""
TRIES = 3
PROBES, POWERS = 8, 8
UNLIKELY = 0.14
"""The chi-squared distribution of 8 degrees of freedom falls below this with probability 1e-6."""
SAFE = 1e30
"""Rows of float32 are multiplied as such if their factors lie between this and its inverse."""


def is_worth_it(n_features: int, size: int, rows: ScaledRows) -> bool:
    """Tell whether these rows are dense, and so many that an exact step costs much more."""
    side = min(n_features, size + rows.n)
    return not rows.any_sparse and side > WORTH * (size + SPARE + FRESH)


def found(
    old: Floats,
    spare: Floats | None,
    rows: ScaledRows,
    size: int,
    energy: float,
    doubt: float,
    rng: np.random.Generator,
) -> Step:
    """Find the directions; exactly, if others cannot be vouched for.

    `energy` is that of all rows before these, and `doubt` the error of their sketch.
    """
    if not rows.lie_within(SAFE):
        rows = rows.in_double()
    n_features, olds = old.shape
    known = old if spare is None else np.hstack([old, spare])
    known = known[:, known.any(axis=0)]
    fresh = rng.standard_normal((n_features, size + SPARE + FRESH - known.shape[1]))
    start = unit(np.hstack([known, fresh]))
    for _ in range(TRIES):
        sample = np.concatenate([old.T @ start, rows.times(start)])
        if not np.isfinite(sample).all():  # float32 may overflow
            break
        basis, _ = np.linalg.qr(sample)
        lain = old @ basis[:olds]
        rows.add_transposed(basis[olds:], lain)
        squares, turn = np.linalg.eigh(lain.T @ lain)
        squares, lain = squares[::-1], lain @ turn[:, ::-1]
        lengths, _ = shrunk(squares, size)
        new = lain[:, :size] * ratio(lengths, np.sqrt(np.maximum(squares[:size], 0.0)))
        allowed = (energy + rows.energy - float(np.sum(lengths**2))) / size - doubt
        bound = norm_bound(_lost(old, rows, new), n_features, allowed, rng)
        if bound is not None:
            return Step(lengths, bound, new, True, lain[:, size : size + SPARE].copy())
        start = unit(lain)
    return exactly(old, rows, size)


def norm_bound(
    times: Callable[[Floats], Floats], n: int, allowed: float, rng: np.random.Generator
) -> float | None:
    """Bound the largest eigenvalue of a positive semidefinite matrix, or return None if no bound of
    at most `allowed` is found. A bound is too low once in a million times."""
    probes = rng.standard_normal((n, PROBES))
    logarithm = 0.0  # of the root of Σ‖E^q ω‖²
    for power in range(1, POWERS + 1):
        probes = times(probes)
        size = float(np.linalg.norm(probes))
        if size == 0.0:
            return 0.0
        if power > 1 and size > allowed:  # no matrix makes a column longer than by its norm
            return None
        probes /= size
        logarithm += np.log(size)
        bound = float(np.exp((logarithm - 0.5 * np.log(UNLIKELY)) / power))
        if bound <= allowed:
            return bound
    return None


def unit(columns: Floats) -> Floats:
    """Return columns of length 1, but zeros as they are."""
    lengths = np.linalg.norm(columns, axis=0)
    return columns / np.where(lengths > 0, lengths, 1.0)


def _lost(old: Floats, rows: ScaledRows, new: Floats) -> Callable[[Floats], Floats]:
    """Return how to multiply with AᵀA − BᵀB."""

    def times(columns: Floats) -> Floats:
        product = old @ (old.T @ columns) - new @ (new.T @ columns)
        rows.add_transposed(rows.times(columns), product)
        return product

    return times
