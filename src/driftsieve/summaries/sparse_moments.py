"""Moments by class and feature of sparse rows, in time that follows the entries."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.kernels import moments as kernels
from driftsieve.summaries.class_moments import Array, ClassMoments, more_rows

WEIGHT, MEAN, SCATTER, SEEN = range(4)
"""What a cell holds: the moments of a feature's entries in a class, and the weight of all its
entries, missing ones (NaN) too."""


class SparseMoments:
    """Moments of the entries, from which those of all values follow.

    The zeros between the entries enter when somebody asks (`total`): they weigh what the rows of
    the class weigh, less what its entries weigh. The four numbers of a cell, and the cells of a
    feature, lie side by side: an entry costs one cache line, however many features there are.
    """

    def __init__(self, n_classes: int, n_features: int) -> None:
        self.rows: Array = np.zeros(n_classes)
        self.cells: Array = np.zeros((n_features, n_classes, 4))

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.cells.nbytes

    def update(self, batch: Batch, codes: NDArray[np.intp], gain: float) -> None:
        """Take in CSR rows, whose class codes are known, their weights times `gain`."""
        X: Any = batch.X
        weighted = batch.weight is not None
        weights = batch.weight if batch.weight is not None else np.empty(0)
        kernels.sparse_update(
            X.data, X.indices, X.indptr, codes, weights, weighted, gain, self.rows, self.cells
        )

    def take_in(self, other: Self, gain: float, into: NDArray[np.intp]) -> None:
        """Merge `other`, its weights times `gain`; its class i goes to class `into[i]`."""
        self.rows[into] += other.rows * gain
        entries, others = self.entries(), other.entries()
        entries.take_in(others, gain, into)
        for number, array in enumerate(entries):
            self.cells[:, :, number] = array.T
        self.cells[:, into, SEEN] += other.cells[:, :, SEEN] * gain

    def scale(self, factor: float, forgotten: float) -> None:
        """Multiply all weights, and set what weighs less than `forgotten` to nothing."""
        self.rows *= factor
        self.rows[self.rows < forgotten] = 0.0
        self.cells[:, :, [WEIGHT, SCATTER, SEEN]] *= factor
        self.cells[self.cells[:, :, WEIGHT] < forgotten, :SEEN] = 0.0
        self.cells[self.cells[:, :, SEEN] < forgotten] = 0.0

    def add_classes(self, n_classes: int) -> None:
        """Make room for more classes."""
        more = n_classes - len(self.rows)
        self.rows = more_rows(self.rows, n_classes)
        self.cells = np.concatenate([self.cells, np.zeros((len(self.cells), more, 4))], axis=1)

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]`; sparse rows cannot gain features."""
        if n_features > len(self.cells):
            raise ValueError("sparse rows cannot gain features: a missing entry is a zero there")
        cells = np.zeros_like(self.cells)
        cells[places] = self.cells
        self.cells = cells

    def entries(self) -> ClassMoments:
        """Return the moments of the entries alone."""
        cells = np.ascontiguousarray(self.cells.transpose(2, 1, 0))
        return ClassMoments(cells[WEIGHT], cells[MEAN], cells[SCATTER])

    def total(self) -> ClassMoments:
        """Return the moments of all values, zeros included."""
        zeros = ClassMoments.empty(len(self.rows), len(self.cells))
        # Equal to the last bit where every row has an entry: see the kernel. Rounding in other
        # places may leave a weight a little below nothing.
        np.maximum(self.rows[:, None] - self.cells[:, :, SEEN].T, 0.0, out=zeros.weight)
        zeros.take_in(self.entries())
        return zeros

    def to_state(self) -> dict[str, Any]:
        """Return everything as arrays."""
        return {"rows": self.rows, "cells": self.cells}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the moments that `to_state` was called on."""
        self = cls(0, 0)
        self.rows, self.cells = state["rows"], state["cells"]
        return self
