"""Rows that are multiplied with matrices, dense or sparse, each counted by a factor.

Sparse rows are never made dense. Dense rows of float32 are multiplied as float32, unless asked for
`in_double`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import LARGEST, Batch, concatenate, dense
from driftsieve.kept import bytes_of, copied, rows_from_state, rows_to_state
from driftsieve.kernels.lengths import row_lengths

Floats = NDArray[np.float64]

STRIP = 1024
"""Features that are worked on at a time where a second matrix of all of them would be too much."""


class ScaledRows:
    """Consecutive rows; the weight of a row in its batch is the factor that it is multiplied by.

    Rows that are kept one by one are joined as they come: with each of its neighbours a batch is
    joined when it is no longer than twice the next, so that a row is copied some log2(n) times.
    """

    def __init__(self, batches: Iterable[Batch] = (), energy: float = 0.0) -> None:
        self._batches = list(batches)
        self.energy = energy
        """The sum of the squares of all values."""

    @property
    def n(self) -> int:
        return sum(batch.n_rows for batch in self._batches)

    @property
    def any_sparse(self) -> bool:
        return any(batch.is_sparse for batch in self._batches)

    @property
    def nbytes(self) -> int:
        return sum(bytes_of(batch) for batch in self._batches)

    def append(self, batch: Batch, energy: float) -> None:
        """Keep a copy of these rows, of so much energy, behind the others."""
        self.energy += energy
        self._batches.append(copied(batch))
        while len(self._batches) > 1:
            last, before = self._batches[-1], self._batches[-2]
            alike = last.is_sparse == before.is_sparse and last.X.dtype == before.X.dtype
            if not alike or before.n_rows > 2 * last.n_rows:
                break
            self._batches[-2:] = [concatenate([before, last])]

    def batches(self) -> Iterator[Batch]:
        """Yield the rows, batch by batch."""
        yield from self._batches

    def scale(self, factor: float) -> None:
        """Multiply all rows."""
        self._batches = [b.replace(weight=_factors(b) * factor) for b in self._batches]
        self.energy *= factor**2

    def lie_within(self, limit: float) -> bool:
        """Tell whether no factor is larger than `limit`, or smaller than its inverse."""
        return all(
            ((_factors(b) <= limit) & (_factors(b) >= 1 / limit)).all() for b in self._batches
        )

    def in_double(self) -> "ScaledRows":
        """Return the same rows with float64 values."""
        wide = [batch.replace(X=batch.X.astype(np.float64)) for batch in self._batches]
        return ScaledRows(wide, self.energy)

    def table(self) -> Floats:
        """Return the rows as one dense matrix."""
        parts = [dense(b.X).astype(np.float64) * _factors(b)[:, None] for b in self._batches]
        return np.concatenate(parts)

    def times(self, right: Floats) -> Floats:
        """Return rows @ right."""
        parts = [
            (batch.X @ _as(right, batch)) * _factors(batch)[:, None] for batch in self._batches
        ]
        return np.concatenate(parts)

    def add_transposed(self, left: Floats, into: Floats) -> None:
        """Add rows.T @ left to a matrix of features by columns."""
        for batch, part in self._with_parts(left):
            X: Any = batch.X.tocsc() if batch.is_sparse else batch.X  # type: ignore[union-attr]
            for lo in range(0, len(into), STRIP):
                into[lo : lo + STRIP] += X[:, lo : lo + STRIP].T @ part

    def by_rows(self) -> Floats:
        """Return rows @ rows.T."""
        whole = np.empty((self.n, self.n))
        lo = 0
        for i, one in enumerate(self._batches):
            left, hi = _scaled(one), lo + one.n_rows
            at = lo
            for other in self._batches[i:]:
                product = _table(left @ _scaled(other).T)
                to = at + other.n_rows
                whole[lo:hi, at:to] = product
                whole[at:to, lo:hi] = product.T
                at = to
            lo = hi
        return whole

    def by_features(self, n_features: int) -> Floats:
        """Return rows.T @ rows."""
        whole = np.zeros((n_features, n_features))
        for batch in self._batches:
            X = _scaled(batch)
            whole += _table(X.T @ X)
        return whole

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move column j to `places[j]` of `n_features`; the others are zero."""
        moved = []
        for batch in self._batches:
            if batch.is_sparse:
                csr: Any = batch.X
                parts = csr.data, places[csr.indices].astype(csr.indices.dtype), csr.indptr
                X: Any = sparse.csr_array(parts, shape=(batch.n_rows, n_features))
                X.sort_indices()
            else:
                X = np.zeros((batch.n_rows, n_features), batch.X.dtype)
                X[:, places] = batch.X
            moved.append(batch.replace(X=X))
        self._batches = moved

    def to_state(self) -> dict[str, Any]:
        """Return the rows as arrays."""
        return {
            "batches": [rows_to_state(batch) for batch in self._batches],
            "energy": self.energy,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_features: int) -> Self:
        """Return what `to_state` was called on."""
        batches = [rows_from_state(batch, n_features) for batch in state["batches"]]
        if any(not (lengths_of(batch) <= LARGEST).all() for batch in batches):
            raise ValueError("some rows that wait have values that cannot be worked with")
        return cls(batches, float(state["energy"]))

    def _with_parts(self, left: Floats) -> Iterator[tuple[Batch, NDArray[Any]]]:
        lo = 0
        for batch in self._batches:
            hi = lo + batch.n_rows
            yield batch, _as(left[lo:hi] * _factors(batch)[:, None], batch)
            lo = hi


def lengths_of(batch: Batch) -> Floats:
    """Return the Euclidean length of each row; NaN where a value is missing."""
    X: Any = batch.X
    lengths = np.empty(batch.n_rows)
    if batch.is_sparse:
        row_lengths(X.data, X.indptr.astype(np.int64), lengths)
    else:
        starts = np.arange(batch.n_rows + 1, dtype=np.int64) * batch.n_features
        row_lengths(np.ascontiguousarray(X).ravel(), starts, lengths)
    return lengths


def filled(batch: Batch) -> Batch:
    """Return a batch with zeros for what is missing, as it is if nothing is."""
    X: Any = batch.X
    gaps = np.isnan(X.data if batch.is_sparse else X)
    if not gaps.any():
        return batch
    X = X.copy()
    (X.data if batch.is_sparse else X)[gaps] = 0.0
    return batch.replace(X=X)


def checked_lengths(batch: Batch) -> Floats:
    """Return the lengths of rows that have no missing values and no infinities, or refuse them."""
    lengths = lengths_of(batch)
    if not (lengths <= LARGEST).all():
        batch.refuse_infinities()
        batch.refuse_missing("a sketch that does not count them as zeros")
    return lengths


def _factors(batch: Batch) -> Floats:
    return np.ones(batch.n_rows) if batch.weight is None else batch.weight


def _as(factor: Floats, batch: Batch) -> NDArray[Any]:
    """Return the other factor of a product in the type that the product is to have."""
    return factor if batch.is_sparse else factor.astype(batch.X.dtype, copy=False)


def _scaled(batch: Batch) -> Any:
    """Return the rows of a batch as float64, multiplied by their factors."""
    X: Any = batch.X.astype(np.float64)
    if batch.is_sparse:
        X.data *= np.repeat(_factors(batch), np.diff(X.indptr))
        return X
    return X * _factors(batch)[:, None]


def _table(product: Any) -> Floats:
    return product.toarray() if sparse.issparse(product) else np.asarray(product)
