"""Which features have varied: only those can tell anything apart.

For selectors whose scores come from a model of all features at once, and say nothing of a feature
that has had a single value so far.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.state_values import require_array


class Varied:
    """Which features have taken more than one value, of all rows that weigh anything.

    Missing cells (NaN) are no values. Holds 24 bytes a feature. A dense batch is looked at only
    in the columns that have not varied yet; a sparse one costs time by its entries, because its
    zeros are told by their number: a feature with fewer entries than there were sparse rows has
    been zero.
    """

    def __init__(self, n_features: int) -> None:
        self._least = np.full(n_features, np.nan)
        self._most = np.full(n_features, np.nan)
        self._entries = np.zeros(n_features, dtype=np.int64)
        self._sparse_rows = 0

    @property
    def n_features(self) -> int:
        return len(self._least)

    @property
    def nbytes(self) -> int:
        return 24 * self.n_features

    @property
    def mask(self) -> NDArray[np.bool_]:
        """For each feature, whether it has varied."""
        zero = np.where(self._entries < self._sparse_rows, 0.0, np.nan)
        mask: NDArray[np.bool_] = np.fmin(self._least, zero) < np.fmax(self._most, zero)
        return mask

    def update(self, batch: Batch) -> None:
        """Take the values of a batch in."""
        if batch.weight is not None and not batch.weight.all():
            batch = batch.take(np.flatnonzero(batch.weight))
        if batch.n_rows == 0:
            return
        if batch.is_sparse:
            self._update_sparse(batch.X)
            return
        open_ = np.flatnonzero(~(self._least < self._most))
        if not len(open_):
            return
        X = np.asarray(batch.X)
        part = X if len(open_) == X.shape[1] else X[:, open_]
        self._least[open_] = np.fmin(self._least[open_], np.fmin.reduce(part, axis=0))
        self._most[open_] = np.fmax(self._most[open_], np.fmax.reduce(part, axis=0))

    def _update_sparse(self, X: Any) -> None:
        values = X.data.astype(np.float64)
        np.fmin.at(self._least, X.indices, values)
        np.fmax.at(self._most, X.indices, values)
        np.add.at(self._entries, X.indices, 1)
        self._sparse_rows += X.shape[0]

    def merge(self, other: Self) -> None:
        """Take in what `other` has seen."""
        self._least = np.fmin(self._least, other._least)
        self._most = np.fmax(self._most, other._most)
        self._entries = self._entries + other._entries
        self._sparse_rows += other._sparse_rows

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others have had no value yet."""
        wider = type(self)(n_features)
        wider._entries += self._sparse_rows  # a feature that was not there was not zero either
        for name in ("_least", "_most", "_entries"):
            getattr(wider, name)[places] = getattr(self, name)
            setattr(self, name, getattr(wider, name))

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "least": self._least,
            "most": self._most,
            "entries": self._entries,
            "sparse_rows": self._sparse_rows,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_features: int) -> Self:
        """Return what `to_state` was called on, which knew so many features."""
        self = cls(n_features)
        for name in ("least", "most"):
            require_array(state[name], f"{name} values", (n_features,), np.float64)
        require_array(state["entries"], "numbers of entries", (n_features,), np.int64)
        self._least, self._most = state["least"].copy(), state["most"].copy()
        self._entries = state["entries"].copy()
        self._sparse_rows = int(state["sparse_rows"])
        return self
