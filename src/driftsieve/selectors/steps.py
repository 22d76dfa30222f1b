"""Rows in steps of a fixed number, however they come in batches.

Where a step begins and ends depends on the stream alone, so batching does not matter.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, concatenate, dense
from driftsieve.state_values import require_array


class Steps:
    """Cuts rows into steps of `size`; those of a step that is not yet whole wait as copies."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._parts: list[Batch] = []
        self.waiting = 0

    def add(self, rows: Batch) -> Iterator[Batch]:
        """Yield the steps that these rows complete; what is left over waits."""
        done = 0
        while done < rows.n_rows:
            part = rows.take(slice(done, done + self.size - self.waiting))
            done += part.n_rows
            if part.n_rows == self.size:  # without a copy
                yield part
                continue
            self._parts.append(_copied(part))
            self.waiting += part.n_rows
            if self.waiting == self.size:
                step = self.rows()
                self._parts, self.waiting = [], 0
                yield step

    def rows(self) -> Batch:
        """Return the rows that wait, if there are any."""
        self._parts = [concatenate(self._parts)]
        return self._parts[0]

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move column j to `places[j]` of `n_features`; the others are missing."""
        self._parts = [
            part.replace(X=dense(part.X)).spread(places, n_features)
            if part.is_sparse and n_features > len(places)
            else part.spread(places, n_features)
            for part in self._parts
        ]

    @property
    def nbytes(self) -> int:
        weighted = any(part.weight is not None for part in self._parts)
        return sum(map(_bytes_of_matrix, self._parts)) + self.waiting * (16 if weighted else 8)

    def most_bytes(self, n_features: int) -> int:
        """The most bytes that waiting rows of so many features can take."""
        return self.size * (16 * n_features + 40)

    def to_state(self) -> dict[str, Any] | None:
        """Return the rows that wait, as arrays."""
        if not self.waiting:
            return None
        rows = self.rows()
        X: Any = rows.X
        if rows.is_sparse:
            matrix = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        else:
            matrix = {"X": np.ascontiguousarray(X)}
        return {**matrix, "y": rows.y, "weight": rows.weight}

    def restore(self, state: dict[str, Any] | None, n_features: int, targets: type) -> None:
        """Wait with the rows that `to_state` returned; their targets are of this type."""
        if state is None:
            return
        y, weight = state["y"], state["weight"]
        require_array(y, "targets of waiting rows", (len(y),), targets)
        if not 0 < len(y) < self.size:
            raise ValueError(f"{len(y)} rows cannot wait for a step of {self.size}")
        if weight is not None:
            require_array(weight, "weights of waiting rows", (len(y),), np.float64)
            if not (np.isfinite(weight) & (weight > 0)).all():
                raise ValueError("the weights of waiting rows must be finite and above 0")
        X: Any
        if "X" in state:
            X = state["X"]
            require_array(X, "waiting rows", (len(y), n_features), np.float32, np.float64)
            rows = Batch(X, y, weight)
        else:
            rows = Batch(_csr(state, len(y), n_features), y, weight)
        rows.refuse_infinities()
        self._parts, self.waiting = [_copied(rows)], len(y)


def _copied(rows: Batch) -> Batch:
    """Return the same rows, without what steps have no use for, in memory of their own."""
    X: Any = rows.X
    y, weight = rows.y, rows.weight
    return Batch(
        X=X.copy() if rows.is_sparse else np.array(X, order="C"),
        y=None if y is None else y.copy(),
        weight=None if weight is None else weight.copy(),
    )


def _bytes_of_matrix(rows: Batch) -> int:
    X: Any = rows.X
    if rows.is_sparse:  # the pointers count as those of a whole
        return int(X.data.nbytes + X.indices.nbytes) + 8 * rows.n_rows
    return int(X.nbytes)


def _csr(state: dict[str, Any], rows: int, n_features: int) -> Any:
    """Return sparse rows that kernels may believe, or raise."""
    from scipy import sparse

    data, indices, indptr = state["data"], state["indices"], state["indptr"]
    require_array(data, "entries of waiting rows", (len(data),), np.float32, np.float64)
    require_array(indices, "columns of waiting rows", (len(data),), np.int32, np.int64)
    require_array(indptr, "places of waiting rows", (rows + 1,), np.int32, np.int64)
    X = sparse.csr_array((data, indices, indptr), shape=(rows, n_features))
    X.check_format(full_check=True)
    if not X.has_canonical_format:
        raise ValueError("some waiting rows hold a column twice")
    return X
