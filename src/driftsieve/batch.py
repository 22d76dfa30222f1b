"""The one value that flows: some consecutive rows of a stream, validated.

`Batch(...)` itself trusts its arguments; `driftsieve.border.as_batch` is where the data of users
is validated and becomes a batch.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Position: TypeAlias = Any
"""Where a stream stands: opaque to everyone but its source, and made of JSON values only."""

Matrix: TypeAlias = "NDArray[Any] | sparse.csr_array"

LARGEST = 1e100
"""Values beyond this are refused like infinities: their squares, summed and faded, overflow."""


class NamedArray(np.ndarray):
    """A dense matrix that knows the names of its columns (`names`); a slice of it does not."""

    names: tuple[str, ...] | None = None


class NamedCSR(sparse.csr_array):  # type: ignore[misc]
    """A sparse matrix that knows the names of its columns."""

    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Rows of a stream. Unpacks as `X, y`."""

    X: Matrix
    """Rows by features: dense float32 or float64 in any order, or CSR without duplicates.
    NaN is a missing value."""
    y: NDArray[Any] | None = None
    """A label per row, of any hashable type."""
    weight: NDArray[np.float64] | None = None
    """A non-negative weight per row; None: each row counts as one."""
    names: tuple[str, ...] | None = None
    """The names of the columns, if they have any."""
    position: Position = None
    """Where the stream stands behind this batch; None where the source cannot say."""
    relevant: NDArray[np.bool_] | None = None
    """Rows by features: which features matter for a row, where the stream knows the truth."""

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.X, np.ndarray)

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[Any]:
        yield named(self.X, self.names)
        yield self.y

    def replace(self, **changes: Any) -> "Batch":
        return replace(self, **changes)

    def take(self, rows: slice | NDArray[Any]) -> "Batch":
        """Return some of the rows, as views where `rows` is a slice. The position is dropped."""
        return Batch(
            X=self.X[rows],
            y=None if self.y is None else self.y[rows],
            weight=None if self.weight is None else self.weight[rows],
            names=self.names,
            relevant=None if self.relevant is None else self.relevant[rows],
        )

    def cut(self, every: int, seen: int) -> list["Batch"]:
        """Cut where the count of rows, after `seen` earlier ones, is a multiple of `every`."""
        cuts = [*range(every - seen % every, self.n_rows, every), self.n_rows]
        return [self.take(slice(lo, hi)) for lo, hi in zip([0, *cuts], cuts)]

    def weighted(self, factors: NDArray[np.float64] | None) -> "Batch":
        """Return the same rows with their weights multiplied by `factors`."""
        if factors is None:
            return self
        return self.replace(weight=factors if self.weight is None else self.weight * factors)

    def spread(self, places: NDArray[np.intp], n_features: int) -> "Batch":
        """Move column j to `places[j]` of `n_features`; the others are missing (NaN)."""
        if self.is_sparse and len(places) == n_features:  # in another order only
            return self.replace(X=self.X[:, np.argsort(places)], names=None, relevant=None)
        if self.is_sparse:
            raise ValueError(
                "sparse rows cannot gain features, because a missing entry is a zero there: "
                "pass dense rows, with NaN or no column at all for what is missing"
            )
        X = np.asarray(self.X)
        wide = np.full((self.n_rows, n_features), np.nan, dtype=X.dtype)
        wide[:, places] = X
        return self.replace(X=wide, names=None, relevant=None)

    @contextmanager
    def blamed_for_infinities(self) -> Iterator[None]:
        """Where a part or a copy of these rows may be refused, name row and column of these."""
        try:
            yield
        except ValueError:
            self.refuse_infinities()
            raise

    def column(self, index: int) -> str:
        """Name a column as error messages do."""
        return column_text(self.names, index)

    def refuse_infinities(self, columns: Sequence[int] | NDArray[Any] | None = None) -> None:
        """Raise if there is an infinity (or a value too large to square) in any of `columns`.

        With `columns` given, a summary that has seen something odd in them asks what it was.
        """
        X: Any = self.X
        if self.is_sparse:
            self._refuse_sparse_infinities()
            return
        limit = _largest(X.dtype)
        if columns is None:
            from driftsieve.kernels.extremes import any_beyond  # numba takes long to import

            # One pass without temporaries; the search below runs if there is something to find.
            flat = X.ravel(order="K")  # a view, unless the rows have gaps between them
            if not any_beyond(flat, flat.dtype.type(limit)):
                return
            columns = np.arange(self.n_features)
        for j in columns:
            bad = np.flatnonzero(np.abs(X[:, j]) > limit)
            if bad.size:
                self._refuse(int(bad[0]), int(j), float(X[bad[0], j]))

    def refuse_missing(self, who: str) -> None:
        """Raise if there is a missing cell, which `who` has no use for."""
        X: Any = self.X
        if self.is_sparse:
            bad = np.flatnonzero(np.isnan(X.data))[:1]
            rows = np.searchsorted(X.indptr, bad, side="right") - 1
            columns = X.indices[bad]
        else:
            rows, columns = np.nonzero(np.isnan(X))
        if len(rows):
            raise ValueError(
                f"{self.column(int(columns[0]))} is missing (NaN) in row {rows[0]} of the batch, "
                f"and {who} cannot work with rows that miss some of their cells: "
                "leave them out, or fill them in first"
            )

    def _refuse_sparse_infinities(self) -> None:
        X: Any = self.X
        bad = np.flatnonzero(np.abs(X.data) > _largest(X.dtype))
        if bad.size:
            row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
            self._refuse(row, int(X.indices[bad[0]]), float(X.data[bad[0]]))

    def _refuse(self, row: int, column: int, value: float) -> None:
        what, but = ("an infinity", "")
        if not np.isinf(value):
            what, but = f"{value:.3g}", ", which is too large to work with"
        raise ValueError(
            f"{self.column(column)} holds {what} in row {row} of the batch{but}: "
            "replace it by a finite value or by NaN for missing"
        )


def _largest(dtype: np.dtype[Any]) -> float:
    return min(LARGEST, float(np.finfo(dtype).max))


def column_text(names: Sequence[str] | None, index: int) -> str:
    return f"column {index}" if names is None else f"column {names[index]!r}"


def named(X: Matrix, names: tuple[str, ...] | None) -> Matrix:
    """Return `X` as a view that carries its column names, so that they survive unpacking."""
    if names is None:
        return X
    if isinstance(X, np.ndarray):
        dense = X.view(NamedArray)
        dense.names = names
        return dense
    csr = NamedCSR(X, copy=False)
    csr.names = names
    return csr


def concatenate(batches: Sequence[Batch]) -> Batch:
    """Join batches of equal columns into one, dense if any of them is; the last position stays."""
    first, last = batches[0], batches[-1]
    if len(batches) == 1:
        return first

    def joined(parts: list[Any], default: Any = None) -> Any:
        if all(part is None for part in parts):
            return None
        if default is not None:
            parts = [
                default(batch) if part is None else part
                for part, batch in zip(parts, batches, strict=True)
            ]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    if all(batch.is_sparse for batch in batches):
        X: Any = sparse.vstack([batch.X for batch in batches], format="csr")
    else:
        X = np.concatenate([np.asarray(dense(batch.X)) for batch in batches])
    return Batch(
        X=X,
        y=joined_labels([batch.y for batch in batches]),
        weight=joined([batch.weight for batch in batches], lambda batch: np.ones(batch.n_rows)),
        names=first.names,
        position=last.position,
        relevant=joined([batch.relevant for batch in batches]),
    )


def joined_labels(parts: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    """Join labels without letting NumPy change their type (1 and "1" are two classes)."""
    given = [part for part in parts if part is not None]
    if len(given) < len(parts):
        return None
    if len({part.dtype.kind for part in given}) == 1:
        return np.concatenate(given)
    mixed = np.empty(sum(len(part) for part in given), dtype=object)
    mixed[:] = [label for part in given for label in part.tolist()]
    return mixed


def dense(X: Matrix) -> NDArray[Any]:
    return X if isinstance(X, np.ndarray) else X.toarray()
