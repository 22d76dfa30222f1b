"""The rows themselves, for methods that need all of them at once."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch, Matrix
from driftsieve.kept import bytes_of, copied, rows_from_state, rows_to_state

ENTRY_BYTES = 16
"""A sparse entry at most: a float64 and a wide index. A dense cell has 8."""


class Rows:
    """All rows, as they are: dense ones dense, sparse ones sparse.

    No summary in the sense of being bounded: it grows with the stream, by 8 bytes a dense cell
    (4 in float32), or 12 an entry of sparse rows. A weight says how often a row is there, and so
    is a whole number; rows cannot fade. A missing cell (NaN) is refused.

    Rows come in chunks of falling size: the last two become one as soon as they are alike, so
    that n batches leave O(log n) chunks, and a row is copied O(log n) times.
    """

    takes_missing = False

    def __init__(self, n_features: int, n_jobs: int = 1) -> None:
        self.n_features = n_features
        self._chunks: list[Batch] = []

    @property
    def n_rows(self) -> int:
        return sum(chunk.n_rows for chunk in self._chunks)

    @property
    def nbytes(self) -> int:
        return sum(bytes_of(chunk) for chunk in self._chunks)

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, once there are so many rows."""
        return int(weight) * ENTRY_BYTES * (self.n_features + 1)

    def matrix(self) -> Matrix:
        """Return all rows in one matrix, as they came: to read, not to write to.

        Dense rows among sparse ones become sparse.
        """
        if not self._chunks:
            return np.zeros((0, self.n_features))
        self._join(len(self._chunks))
        return self._chunks[0].X

    def varied(self) -> NDArray[np.bool_]:
        """For each feature, whether it has taken more than one value."""
        X: Any = self.matrix()
        if not X.shape[0]:
            return np.zeros(self.n_features, np.bool_)
        least, most = (X.min(axis=0), X.max(axis=0))
        if not isinstance(X, np.ndarray):
            least, most = least.toarray(), most.toarray()
        mask: NDArray[np.bool_] = np.ravel(least < most)
        return mask

    def update(self, batch: Batch) -> None:
        """Take the rows of a batch in, each as often as its weight says."""
        if batch.n_features != self.n_features:
            raise ValueError(f"the batch has {batch.n_features} features, not {self.n_features}")
        refuse(batch, "what keeps whole rows")
        batch.refuse_infinities()
        if batch.weight is not None:
            batch = batch.take(np.repeat(np.arange(batch.n_rows), batch.weight.astype(np.intp)))
        if not batch.n_rows:
            return
        self._chunks.append(copied(Batch(batch.X)))
        while len(self._chunks) > 1 and self._chunks[-2].n_rows <= self._chunks[-1].n_rows:
            self._join(2)

    def merge(self, other: Self) -> None:
        """Take in the rows of another, behind those that are here."""
        self._chunks.extend(other._chunks)  # nobody writes to a chunk

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]`; there can be no others, since no row has them."""
        if n_features != self.n_features and self._chunks:
            raise ValueError("rows that are kept miss the cells of columns that came later")
        self.n_features = n_features
        self._chunks = [chunk.spread(places, n_features) for chunk in self._chunks]

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        rows = rows_to_state(Batch(self.matrix()))
        return {"n_features": self.n_features, "rows": rows}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the rows that `to_state` was called on."""
        self = cls(int(state["n_features"]))
        self.update(rows_from_state(state["rows"], self.n_features))
        return self

    def _join(self, last: int) -> None:
        """Make one of the last chunks."""
        if last < 2:
            return
        parts: list[Any] = [chunk.X for chunk in self._chunks[-last:]]
        if all(isinstance(part, np.ndarray) for part in parts):
            joined: Any = np.concatenate(parts)
        else:
            joined = sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
        self._chunks[-last:] = [Batch(joined)]


def refuse(batch: Batch, who: str) -> None:
    """Raise if `who` cannot keep the rows of a batch, for missing cells or odd weights."""
    batch.refuse_missing(who)
    if batch.weight is None:
        return
    odd = np.flatnonzero(batch.weight % 1)
    if odd.size:
        raise ValueError(
            f"the sample weight of row {odd[0]} is {batch.weight[odd[0]]:g}, but {who} takes a "
            "weight for the number of times that a row is there: use whole numbers"
        )
