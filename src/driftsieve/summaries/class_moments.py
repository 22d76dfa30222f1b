"""Moments by class and feature as a value, and those of one dense batch."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import LARGEST, Batch
from driftsieve.kernels import moments as kernels
from driftsieve.threads import over_blocks

Array = NDArray[np.float64]


class ClassMoments(NamedTuple):
    """Moments by class and feature; (classes, features) each."""

    weight: Array
    mean: Array
    scatter: Array
    """Weighted sum of squared deviations from the mean."""

    @classmethod
    def empty(cls, n_classes: int, n_features: int) -> "ClassMoments":
        return cls(*(np.zeros((n_classes, n_features)) for _ in range(3)))

    def take_in(self, other: "ClassMoments", gain: float = 1.0, into: Any = None) -> None:
        """Merge `other`, its weights times `gain`; its class i goes to class `into[i]`."""
        for code, other_class in enumerate(zip(*other)):
            mine = (array[code if into is None else into[code]] for array in self)
            kernels.combine(*mine, *other_class, gain)

    def with_classes(self, n_classes: int) -> "ClassMoments":
        """Return the moments with zeros for the classes that are new."""
        return ClassMoments(*(more_rows(array, n_classes) for array in self))

    def rearranged(self, places: NDArray[np.intp], n_features: int) -> "ClassMoments":
        """Return the moments with feature j at `places[j]` of `n_features`."""
        return ClassMoments(*(spread(array, places, n_features) for array in self))


def more_rows(array: Array, rows: int) -> Array:
    return np.concatenate([array, np.zeros((rows - len(array), *array.shape[1:]))])


def spread(array: Array, places: NDArray[np.intp], n_features: int) -> Array:
    wide = np.zeros((len(array), n_features))
    wide[:, places] = array
    return wide


def dense_block(
    batch: Batch, codes: NDArray[np.intp], n_classes: int, n_jobs: int
) -> tuple[NDArray[np.intp], ClassMoments]:
    """Return the classes that occur in a dense batch, and their moments in it.

    The block is summed on the assumption that all values are present and finite. One that is
    not shows in its column's sums, and only such columns are looked at again.
    """
    X = np.ascontiguousarray(batch.X)
    weighted = batch.weight is not None
    weights = batch.weight if batch.weight is not None else np.empty(0)
    order = np.empty(len(X), dtype=np.intp)
    starts = np.zeros(n_classes + 1, dtype=np.intp)
    kernels.group_rows(codes, weights, weighted, order, starts)
    present = (starts[1:] > starts[:-1]).nonzero()[0]
    rows_of = [order[starts[c] : starts[c + 1]] for c in present]
    block = ClassMoments.empty(len(present), X.shape[1])
    for c, rows in enumerate(rows_of):
        block.weight[c] = weights[rows].sum() if weighted else len(rows)
        if weighted:
            # Sums are about the first row. About one that all but weighs nothing they would cancel.
            heaviest = int(np.argmax(weights[rows]))
            rows[[0, heaviest]] = rows[[heaviest, 0]]
    suspects = np.zeros(X.shape[1], dtype=np.bool_)

    @np.errstate(all="ignore")  # without the JIT, kernels are NumPy, which warns
    def add_up(lo: int, hi: int) -> None:
        kernels.dense_moments(
            X, order, starts, present, weights, weighted, lo, hi, LARGEST, *block, suspects
        )

    over_blocks(add_up, X.shape[1], X.size, n_jobs)
    odd = suspects.nonzero()[0]
    if odd.size:
        batch.refuse_infinities(odd)
        columns = np.ascontiguousarray(X[:, odd])
        for c, rows in enumerate(rows_of):
            shift = np.full(odd.size, np.nan)
            w, s, z, m, q = np.zeros((5, odd.size))
            if weighted:  # the heaviest first, of which one may be missing
                rows = rows[np.argsort(-weights[rows], kind="stable")]
            kernels.dense_sums_missing(columns, rows, weights, weighted, shift, w, s, z)
            kernels.centre(w, shift, s, z, m, q)
            block.weight[c, odd], block.mean[c, odd], block.scatter[c, odd] = w, m, q
    return present, block
