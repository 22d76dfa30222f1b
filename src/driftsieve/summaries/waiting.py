"""Rows that wait until there are enough of them: sorting many at a time costs less.

Where blocks begin and end depends on the stream alone, so batching does not matter.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.summaries.blocks import NO_CODES, Codes, DenseBlock, SparseBlock, Weights

ROOM = 8000
"""Rows that there is room for at first: what is not touched takes no memory."""


class WaitingRows:
    """Dense rows, up to a block of `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.clear()

    def clear(self) -> None:
        self.n = 0
        self.X: NDArray[Any] | None = None
        self.codes = NO_CODES
        self.weights: Weights | None = None

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in self.rows() if array is not None) if self.n else 0

    def blocks(
        self, X: NDArray[Any], codes: Codes, weights: Weights | None
    ) -> Iterator[DenseBlock]:
        """Yield the blocks that these rows complete; what is left over waits."""
        done = 0
        while done < len(X):
            if self.n >= self.size:  # blocks have become smaller
                yield self._last_block()
                continue
            rows = slice(done, done + self.size - self.n)
            part = X[rows], codes[rows], None if weights is None else weights[rows]
            done += len(part[0])
            if len(part[0]) == self.size:  # without a copy
                yield DenseBlock(*part, is_lent=True)
                continue
            self._append(*part)
            if self.n == self.size:
                yield self._last_block()

    def held(self) -> dict[str, Any]:
        """Return what `go_back` wants."""
        return dict(vars(self))

    def go_back(self, held: dict[str, Any]) -> None:
        """Hold again what was held then: later rows came behind those, or into other arrays."""
        vars(self).update(held)

    def _last_block(self) -> DenseBlock:
        """Return the rows that wait, and wait no more."""
        block = self.block()
        self.clear()
        return block

    def blocks_of(self, other: "WaitingRows", into: Codes, gain: float) -> Iterator[DenseBlock]:
        """Yield the blocks that the rows complete which wait there; the other's class i is
        `into[i]` here, and its weights count `gain` times."""
        if other.n:
            X, codes, weights = other.rows()
            if gain != 1:
                weights = gain * (np.ones(len(X)) if weights is None else weights)
            yield from self.blocks(X, into[codes], weights)

    def block(self) -> DenseBlock:
        """Return the rows that wait."""
        return DenseBlock(*self.rows())

    def rows(self) -> tuple[NDArray[Any], Codes, Weights | None]:
        """Return the rows that wait, their classes and their weights."""
        assert self.X is not None
        weights = None if self.weights is None else self.weights[: self.n]
        return self.X[: self.n], self.codes[: self.n], weights

    def by_class(self, n_classes: int) -> NDArray[np.float64]:
        """Return the weight of each class in the rows that wait."""
        weights = None if self.weights is None else self.weights[: self.n]
        return np.bincount(self.codes[: self.n], weights, minlength=n_classes).astype(float)

    def scale(self, factor: float) -> None:
        """Multiply all weights."""
        if self.X is not None:
            ones = np.ones(len(self.X))
            self.weights = factor * (ones if self.weights is None else self.weights)

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move column j to `places[j]` of `n_features`; the others are missing."""
        if self.X is not None:
            wide = np.full((len(self.X), n_features), np.nan, self.X.dtype)
            wide[: self.n, places] = self.X[: self.n]
            self.X = wide

    def to_state(self) -> dict[str, Any]:
        """Return the rows that wait, as arrays, and how many do at most."""
        rows = dict(zip(("X", "codes", "weights"), self.rows())) if self.n else None
        return {"size": self.size, "rows": rows}

    def restore(self, state: dict[str, Any]) -> None:
        """Wait with the rows that `to_state` returned."""
        self.size = state["size"]
        if state["rows"] is not None:
            self._append(**state["rows"])

    def _append(self, X: NDArray[Any], codes: Codes, weights: Weights | None) -> None:
        """Copy rows, of which a block has room for as many."""
        n = self.n + len(X)
        dtype = X.dtype if self.X is None else np.promote_types(self.X.dtype, X.dtype)
        if self.X is None or n > len(self.X) or dtype != self.X.dtype:
            held = self.X, self.codes, self.weights
            room = max(n, min(self.size, max(2 * n, ROOM)))
            self.X, self.codes = np.empty((room, X.shape[1]), dtype), np.empty(room, np.int32)
            if held[0] is not None:
                self.X[: self.n], self.codes[: self.n] = held[0][: self.n], held[1][: self.n]
            if held[2] is not None:
                self.weights = np.ones(room)
                self.weights[: self.n] = held[2][: self.n]
        if weights is not None and self.weights is None:
            self.weights = np.ones(len(self.X))
        rows = slice(self.n, self.n + len(X))
        self.X[rows], self.codes[rows] = X, codes
        if self.weights is not None:
            self.weights[rows] = 1.0 if weights is None else weights
        self.n = rows.stop


class WaitingEntries:
    """The entries of sparse rows, until there are enough of them."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.clear()

    def clear(self) -> None:
        self.n = 0
        self.parts: list[tuple[NDArray[Any], NDArray[Any], Codes, Weights | None]] = []

    @property
    def nbytes(self) -> int:
        return sum(int(a.nbytes) for part in self.parts for a in part if a is not None)

    def blocks(
        self, X: Any, codes: Codes, weights: Weights | None, enough: Callable[[], int]
    ) -> Iterator[SparseBlock]:
        """Yield the blocks that these CSR rows complete; what is left over waits.

        A block ends with the row that makes its entries `enough()`, which may grow.
        """
        row = 0
        while row < len(codes):
            missing = enough() - self.n
            stop = int(np.searchsorted(X.indptr, X.indptr[row] + missing))
            stop = min(max(stop, row + 1), len(codes))
            self._append(X, codes, weights, row, stop)
            row = stop
            if self.n >= enough():
                block = self.block()
                self.clear()
                yield block

    def held(self) -> tuple[Any, ...]:
        """Return what `go_back` wants."""
        return self.parts, len(self.parts), self.n

    def go_back(self, held: tuple[Any, ...]) -> None:
        """Hold again what was held then: later parts came behind those, or into another list."""
        parts, length, self.n = held
        self.parts = parts[:length]

    def block(self) -> SparseBlock:
        """Return the entries that wait, as one part."""
        if len(self.parts) > 1:
            data, indices, codes, weights = zip(*self.parts)
            whole = None
            if any(part is not None for part in weights):
                whole = np.concatenate(
                    [np.ones(len(d)) if w is None else w for d, w in zip(data, weights)]
                )
            joined = np.concatenate(data), np.concatenate(indices), np.concatenate(codes), whole
            self.parts = [joined]
        return SparseBlock(self.n_features, *self.parts[0])

    def blocks_of(
        self, other: "WaitingEntries", into: Codes, gain: float, enough: Callable[[], int]
    ) -> Iterator[SparseBlock]:
        """Yield the block that the entries complete which wait there; the other's class i is
        `into[i]` here, and its weights count `gain` times."""
        for data, indices, codes, weights in list(other.parts):  # which may be these
            if gain != 1:
                weights = gain * (np.ones(len(data)) if weights is None else weights)
            self.parts.append((data, indices, into[codes], weights))
            self.n += len(data)
        if self.n >= enough():
            block = self.block()
            self.clear()
            yield block

    def scale(self, factor: float) -> None:
        """Multiply all weights."""
        self.parts = [
            (data, indices, codes, factor * (np.ones(len(data)) if weights is None else weights))
            for data, indices, codes, weights in self.parts
        ]

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move column j to `places[j]`."""
        self.n_features = n_features
        self.parts = [(data, places[indices], *rest) for data, indices, *rest in self.parts]

    def to_state(self) -> dict[str, Any] | None:
        """Return the entries that wait, as arrays."""
        if not self.n:
            return None
        self.block()
        return dict(zip(("data", "indices", "codes", "weights"), self.parts[0]))

    def restore(self, state: dict[str, Any] | None) -> None:
        """Wait with the entries that `to_state` returned."""
        if state is not None:
            self.parts = [(state["data"], state["indices"], state["codes"], state["weights"])]
            self.n = len(state["data"])

    def _append(self, X: Any, codes: Codes, weights: Weights | None, row: int, stop: int) -> None:
        """Copy the entries of some rows, without zeros: these are known from what is not there."""
        entries = slice(X.indptr[row], X.indptr[stop])
        lengths = np.diff(X.indptr[row : stop + 1])
        kept = X.data[entries] != 0
        data = X.data[entries][kept]
        self.parts.append(
            (
                data,
                X.indices[entries][kept],
                np.repeat(codes[row:stop], lengths)[kept],
                None if weights is None else np.repeat(weights[row:stop], lengths)[kept],
            )
        )
        self.n += len(data)
