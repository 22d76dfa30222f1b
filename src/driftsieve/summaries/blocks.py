"""Blocks of rows, sorted column by column: what summaries take in at a time."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import columns as kernels

Codes = NDArray[np.int32]
Weights = NDArray[np.float64]

FEW = 4
"""So many classes are sorted one by one; more, together with their codes."""
NO_CODES, NO_WEIGHTS, NO_CLASSES = np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64)


class SortedColumns(NamedTuple):
    """New values of some features, each column sorted, as `kernels.absorb` takes them."""

    values: NDArray[Any]
    segments: NDArray[np.int64]
    classes: NDArray[np.int64]
    by_class: bool
    codes: NDArray[np.int32]
    weights: NDArray[np.float64]
    weighted: bool


class DenseBlock:
    """Some dense rows, ready to be sorted by column.

    `is_lent`: they belong to somebody who may change them later.
    """

    def __init__(
        self, X: NDArray[Any], codes: Codes, weights: Weights | None, is_lent: bool = False
    ) -> None:
        self.is_lent = is_lent
        self.X, self.codes, self.weights = np.ascontiguousarray(X), codes, weights
        n = len(codes)
        starts = np.zeros(int(codes.max(initial=-1)) + 2, np.int64)
        self._places = np.empty(n, np.int64)
        kernels.places_by_class(codes, starts, self._places)
        self._classes = np.flatnonzero(np.diff(starts))
        self._by_class = weights is None and len(self._classes) <= FEW
        self._segments = np.append(starts[self._classes], n)
        if not self._by_class:
            self._places = np.arange(n)

    @property
    def size(self) -> int:
        return int(self.X.size)

    def parts(self, rows: int) -> "Iterator[DenseBlock]":
        """Yield blocks of at most so many rows."""
        n = len(self.codes)
        if n <= rows:
            yield self
            return
        for lo in range(0, n, rows):
            part = slice(lo, lo + rows)
            weights = None if self.weights is None else self.weights[part]
            yield DenseBlock(self.X[part], self.codes[part], weights, self.is_lent)

    def columns(self, lo: int, hi: int) -> SortedColumns:
        """Return the columns lo..hi, sorted within their classes, or as a whole."""
        n = len(self.codes)
        cols = np.empty((hi - lo, n), self.X.dtype)
        kernels.columns(self.X, self._places, lo, hi, cols)
        begins = n * np.arange(hi - lo)[:, None]
        if self._by_class:
            for a, b in pairwise(self._segments):
                cols[:, a:b].sort(axis=1)
            segments = begins + self._segments
            classes = self._classes
            return SortedColumns(cols.ravel(), segments, classes, True, NO_CODES, NO_WEIGHTS, False)
        order = np.argsort(cols, axis=1)
        values = np.take_along_axis(cols, order, axis=1).ravel()
        weights = NO_WEIGHTS if self.weights is None else self.weights[order].ravel()
        segments, codes = begins + np.array([0, n]), self.codes[order].ravel()
        weighted = self.weights is not None
        return SortedColumns(values, segments, NO_CLASSES, False, codes, weights, weighted)


class SparseBlock:
    """The entries of some sparse rows, ready to be sorted by column."""

    is_lent = False

    def __init__(
        self,
        n_features: int,
        data: NDArray[Any],
        indices: NDArray[np.intp],
        codes: Codes,
        weights: Weights | None,
    ) -> None:
        self.data, self.codes, self.weights = data, codes, weights
        self._starts = np.zeros(n_features + 1, np.int64)
        self._order = np.empty(len(data), np.int64)
        kernels.group_columns(indices, self._starts, self._order)

    @property
    def size(self) -> int:
        return len(self.data)

    def parts(self, rows: int) -> "Iterator[SparseBlock]":
        """Yield the block as it is."""
        yield self

    def columns(self, lo: int, hi: int) -> SortedColumns:
        """Return the entries of the columns lo..hi, sorted."""
        a, b = self._starts[lo], self._starts[hi]
        order = self._order[a:b].copy()
        starts = self._starts[lo : hi + 1] - a
        kernels.sort_columns(self.data, order, starts)
        segments = np.stack([starts[:-1], starts[1:]], axis=1)
        weights = NO_WEIGHTS if self.weights is None else self.weights[order]
        return SortedColumns(
            self.data[order], segments, NO_CLASSES, False, self.codes[order], weights,
            self.weights is not None,
        )  # fmt: skip
