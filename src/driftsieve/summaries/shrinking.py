"""One step of frequent directions: a sketch and new rows become a sketch again.

Let A be the sketch's directions and the new rows, one below the other, and λ1 ≥ λ2 ≥ ... the
squares of its singular values. What is kept are the `size` longest directions, their squared
lengths shrunk by δ, the first λ that is not kept. What is lost, E = AᵀA − BᵀB, is positive
semidefinite, and it is spread: size · ‖E‖₂ ≤ tr E. That, summed over all steps, is all that the
theorem of Ghashami et al. (2016) needs (see `driftsieve.summaries.sketch`).

Three ways lead there:

- the singular value decomposition of A, where A is small;
- the eigenvectors of AAᵀ or AᵀA, whichever is smaller. Squares halve the digits: a direction
  shorter than some 1e-8 of the longest drowns in rounding;
- for many dense rows, a basis found by multiplying A with the directions known so far and with
  some random ones (Halko, Martinsson & Tropp 2011): see `driftsieve.summaries.range_finder`.

The first two are exact.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from driftsieve.summaries.sketch_rows import STRIP, Floats, ScaledRows

SPARE = 8
"""Directions behind those of the sketch that help to find the next ones."""
SMALL = 1 << 17
SHORT = 64
"""A matrix of so few values, whose shorter side is so short, is decomposed itself."""


@dataclass
class Step:
    """What becomes of a sketch: the new directions, each as long as it still counts."""

    lengths: Floats
    """The lengths of the new directions, from the longest to the shortest."""
    doubt: float
    """‖E‖₂ is at most this."""
    basis: Floats
    """The new directions (features by directions) if `of_features`; else, how they are made of
    the old ones and the rows."""
    of_features: bool
    spare: Floats | None = None
    """The next directions, in the same way."""

    def directions(self, old: Floats, rows: ScaledRows, count: int) -> Floats:
        """Return the `count` longest of the new directions."""
        if self.of_features:
            return self.basis[:, :count]
        return combined(old, rows, self.basis[:, :count])

    def next_directions(self, old: Floats, rows: ScaledRows) -> Floats | None:
        """Return the directions that come next, as far as they are of use."""
        if self.spare is None:
            return None
        return self.spare if self.of_features else combined(old, rows, self.spare)

    def replace(self, old: Floats, rows: ScaledRows) -> None:
        """Write the new directions over as many old ones, strip by strip."""
        if self.of_features:
            old[:] = self.basis
            return
        of_old = self.basis[: old.shape[1]]
        for lo in range(0, len(old), STRIP):
            old[lo : lo + STRIP] = old[lo : lo + STRIP] @ of_old
        rows.add_transposed(self.basis[old.shape[1] :], old)


def combined(old: Floats, rows: ScaledRows, weights: Floats) -> Floats:
    """Return sums of old directions and rows: Aᵀ @ weights."""
    new = old @ weights[: old.shape[1]]
    rows.add_transposed(weights[old.shape[1] :], new)
    return new


def exactly(old: Floats, rows: ScaledRows, size: int) -> Step:
    """Find the directions to the last digit that the way has.

    `old` are the directions of the sketch, as columns: `size` of them, or none.
    """
    n_features, n = len(old), old.shape[1] + rows.n
    if n * n_features <= SMALL and min(n, n_features) <= SHORT:
        return _decomposed(old, rows, size)
    rows = rows.in_double()
    if n_features <= n:
        return _by_features(old, rows, size)
    return _by_rows(old, rows, size)


def _decomposed(old: Floats, rows: ScaledRows, size: int) -> Step:
    _, found, basis = np.linalg.svd(np.concatenate([old.T, rows.table()]), full_matrices=False)
    lengths, least = np.zeros(size), float(found[size]) if len(found) > size else 0.0
    top = found[:size]
    lengths[: len(top)] = np.sqrt((top - least) * (top + least))
    directions = np.zeros((len(old), size))
    directions[:, : len(top)] = basis[:size].T * lengths[: len(top)]
    return Step(lengths, least**2, directions, True)


def _by_features(old: Floats, rows: ScaledRows, size: int) -> Step:
    squares, vectors = _top(old @ old.T + rows.by_features(len(old)), size + 1 + SPARE)
    lengths, doubt = shrunk(squares, size)
    basis = _widened(vectors[:, :size], size) * lengths
    return Step(lengths, doubt, basis, True, vectors[:, size : size + SPARE].copy())


def _by_rows(old: Floats, rows: ScaledRows, size: int) -> Step:
    across = rows.times(old)
    products = np.block([[old.T @ old, across.T], [across, rows.by_rows()]])
    squares, vectors = _top(products, size + 1 + SPARE)
    lengths, doubt = shrunk(squares, size)
    before = np.sqrt(np.maximum(squares[:size], 0.0))
    weights = vectors[:, :size] * ratio(lengths[: len(before)], before)
    spare = None if rows.any_sparse else vectors[:, size : size + SPARE]
    return Step(lengths, doubt, _widened(weights, size), False, spare)


def _top(products: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the `count` largest eigenvalues, largest first, and their vectors."""
    n = len(products)
    squares, vectors = linalg.eigh(
        products, subset_by_index=[max(0, n - count), n - 1], overwrite_a=True, check_finite=False
    )
    return squares[::-1], vectors[:, ::-1]


def shrunk(squares: Floats, size: int) -> tuple[Floats, float]:
    """Return the lengths of `size` directions after shrinking, and by how much their squares
    shrink."""
    least = max(float(squares[size]), 0.0) if len(squares) > size else 0.0
    lengths = np.zeros(size)
    top = squares[:size]
    lengths[: len(top)] = np.sqrt(np.maximum(top - least, 0.0))
    return lengths, least


def ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _widened(matrix: Floats, columns: int) -> Floats:
    """Return a matrix with columns of zeros behind its own."""
    return np.pad(matrix, ((0, 0), (0, columns - matrix.shape[1])))
