"""Scaling of columns by what has been seen of them so far.

The rows of a step are scaled by the statistics of all rows up to the end of that step.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, dense
from driftsieve.state_values import require_array

SCALINGS = (None, "minmax", "standard")


def scaler_named(scaling: str | None, n_features: int) -> "NoScaling | MinMax | Standard":
    """Return a scaler that has seen nothing."""
    kinds = {None: NoScaling, "minmax": MinMax, "standard": Standard}
    if not (scaling is None or isinstance(scaling, str)) or scaling not in kinds:
        raise ValueError(f'scaling must be None, "minmax" or "standard", not {scaling!r}')
    return kinds[scaling](n_features)


class NoScaling:
    """Leaves rows as they are."""

    _held: tuple[str, ...] = ()

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features

    def scaled(self, rows: Batch) -> Batch:
        """Take note of the rows of a step, and return them scaled."""
        return rows

    def copy(self) -> Any:
        """Return an equal scaler that goes its own way."""
        other = type(self)(self.n_features)
        for name in self._held:
            setattr(other, name, getattr(self, name).copy())
        return other

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move column j to `places[j]` of `n_features`; nothing is known of the others."""
        wider = type(self)(n_features)
        for name in self._held:
            getattr(wider, name)[places] = getattr(self, name)
        self.__dict__.update(vars(wider))

    @property
    def nbytes(self) -> int:
        return sum(int(getattr(self, name).nbytes) for name in self._held)

    def to_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._held}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `to_state` was called."""
        for name in self._held:
            mine = getattr(self, name)
            require_array(state[name], f"{name} of the columns", mine.shape, mine.dtype.type)
            setattr(self, name, state[name].copy())


class MinMax(NoScaling):
    """Moves the values of a column into [0, 1]: the least seen becomes 0, the largest 1.

    A column of equal values becomes 0. Sparse rows stay sparse for as long as no value was
    negative, because then zeros stay zeros.
    """

    _held = ("least", "most", "entries", "sparse_rows")

    def __init__(self, n_features: int) -> None:
        super().__init__(n_features)
        self.least = np.full(n_features, np.nan)
        self.most = np.full(n_features, np.nan)
        # A column with fewer entries than there were sparse rows has been zero.
        self.entries = np.zeros(n_features, np.int64)
        self.sparse_rows = np.zeros(1, np.int64)
        self._negative: bool | None = None  # found when needed

    def scaled(self, rows: Batch) -> Batch:
        X: Any = rows.X
        if rows.is_sparse:
            values = X.data.astype(np.float64)
            np.fmin.at(self.least, X.indices, values)
            np.fmax.at(self.most, X.indices, values)
            np.add.at(self.entries, X.indices, 1)
            self.sparse_rows += rows.n_rows
            if self._negative is None:
                self._negative = bool((self.least < 0).any())
            self._negative |= bool((values < 0).any())
            if not self._negative:
                scaled = X.copy()
                scaled.data = self._move(values, X.indices)
                return rows.replace(X=scaled)
            X = dense(X)
        else:
            self._negative = None
            self.least = np.fmin(self.least, np.fmin.reduce(X, axis=0, initial=np.nan))
            self.most = np.fmax(self.most, np.fmax.reduce(X, axis=0, initial=np.nan))
        return rows.replace(X=self._move(X.astype(np.float64), np.arange(self.n_features)))

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        wider = type(self)(n_features)
        wider.sparse_rows = self.sparse_rows
        wider.entries += self.sparse_rows  # a column that was not there was not zero either
        for name in ("least", "most", "entries"):
            getattr(wider, name)[places] = getattr(self, name)
        self.__dict__.update(vars(wider))

    def _move(self, values: NDArray[np.float64], columns: NDArray[Any]) -> NDArray[np.float64]:
        zero = np.where(self.entries[columns] < self.sparse_rows, 0.0, np.nan)
        least = np.fmin(self.least[columns], zero)
        width = np.fmax(self.most[columns], zero) - least
        values -= least
        values /= np.where(width > 0, width, 1.0)
        return values


class Standard(NoScaling):
    """Moves the values of a column to mean 0 and variance 1; a column of equal values becomes 0.

    Zeros do not stay zeros: the sparse rows of a step are made dense.
    """

    _held = ("weight", "mean", "scatter")

    def __init__(self, n_features: int) -> None:
        super().__init__(n_features)
        self.weight, self.mean, self.scatter = np.zeros((3, n_features))

    def scaled(self, rows: Batch) -> Batch:
        X = dense(rows.X).astype(np.float64)
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        counts = weight[:, None] * ~np.isnan(X)
        seen = counts.sum(axis=0)
        # Deviations from a value of the column itself: its distance from zero costs no digits.
        shift = np.where(self.weight > 0, self.mean, _first_values(X))
        away = np.where(counts > 0, X - shift, 0.0)
        step = np.divide((counts * away).sum(axis=0), seen, out=np.zeros_like(seen), where=seen > 0)
        spread = (counts * (away - step) ** 2).sum(axis=0)
        total = self.weight + seen
        share = np.divide(seen, total, out=np.zeros_like(total), where=total > 0)
        self.scatter = self.scatter + spread + self.weight * share * step**2
        self.mean = np.where(total > 0, shift + np.where(self.weight > 0, share, 1.0) * step, 0.0)
        self.weight = total
        X -= self.mean
        variance = np.divide(self.scatter, total, out=np.zeros_like(total), where=total > 0)
        # Equal values differ from their mean by rounding at most.
        constant = variance <= (8 * np.finfo(float).eps * self.mean) ** 2
        X /= np.where(constant, 1.0, np.sqrt(variance))
        X[:, constant] *= 0.0  # what is missing stays missing
        return rows.replace(X=X)


def _first_values(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first value of each column that is not missing; 0 where there is none."""
    present = ~np.isnan(X)
    if not len(X):
        return np.zeros(X.shape[1])
    rows = present.argmax(axis=0)
    return np.where(present.any(axis=0), X[rows, np.arange(X.shape[1])], 0.0)
