"""What batch methods share that are here for reference: they keep all rows, and say so."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.kept import bytes_of
from driftsieve.memory import Fading, Memory, Window
from driftsieve.remembered import remember
from driftsieve.selection import as_rule, require_whole
from driftsieve.selectors.remembering import RememberingSelector
from driftsieve.summaries.rows import Rows, refuse

MAX_BYTES = 4 * 2**30
"""What rows and working may take together, unless somebody says otherwise: 4 GiB."""


class KeepsRows(RememberingSelector):
    """Base of selectors that need all rows at once, whenever somebody asks for scores.

    A subclass has the parameters `memory` and `max_bytes`, checks its own in `_check`, says what
    its working takes in `_working_bytes`, and scores a matrix in `_weigh`.
    """

    affine_invariant = False
    takes_missing = False
    whole_weights = True
    features = "closed"  # a row that is kept cannot gain cells later

    memory: Memory
    max_bytes: int

    def _begin(self, n_features: int) -> None:
        self._check()
        if isinstance(self.memory, Fading) and self.memory.alpha < 1:
            raise ValueError(
                f"{type(self).__name__} keeps whole rows, which cannot fade: remember the last of "
                "them with memory=Window(rows), or use FSDS, which fades"
            )
        self._remembered = remember(Rows, n_features, self.memory)

    def _learn(self, batch: Batch) -> None:
        self._check()
        refuse(batch, type(self).__name__)
        self._require_room(self._remembered.nbytes + self._bytes_to_come(batch), "keeping")
        self._remembered.update(batch)

    def _bytes_to_come(self, batch: Batch) -> float:
        """Estimate what the rows of a batch will take: a window keeps no more than its rows."""
        rows = float(batch.n_rows if batch.weight is None else batch.weight.sum())
        if isinstance(self.memory, Window):
            rows = min(rows, self.memory.rows)
        return bytes_of(Batch(batch.X)) * rows / max(1, batch.n_rows)

    def _score(self) -> NDArray[np.float64]:
        self._check()
        rows: Rows = self._remembered.summary
        X: Any = rows.matrix()
        scores = np.full(rows.n_features, np.nan)
        varied = rows.varied()
        if varied.any():
            kept = self._remembered.nbytes
            self._require_room(kept + self._working_bytes(X), "scores of")
            scores[varied] = self._weigh(X)[varied]
        return scores

    def _require_room(self, needed: float, what: str) -> None:
        if needed <= self.max_bytes:
            return
        rows = f"{self._remembered.rows:,} rows" if what != "keeping" else "its rows"
        raise ValueError(
            f"{type(self).__name__} keeps all rows, and {what} {rows} would take about "
            f"{needed / 1e9:.3g} GB where max_bytes allows {self.max_bytes / 1e9:.3g}: raise it, "
            "remember fewer rows with memory=Window(rows), or use FSDS, which keeps none"
        )

    @abstractmethod
    def _check(self) -> None:
        """Refuse parameters that make no sense."""
        require_whole("max_bytes", self.max_bytes, 1)

    @abstractmethod
    def _working_bytes(self, X: Any) -> float:
        """Estimate what scoring will take beside the rows."""

    @abstractmethod
    def _weigh(self, X: Any) -> NDArray[np.float64]:
        """Score the features of a matrix, some of which may be constant: these are left out."""

    def _merge(self, other: Self) -> None:
        self._require_room(self.nbytes + other.nbytes, "keeping")
        super()._merge(other)

    @classmethod
    def law_variants(cls) -> Iterator[Self]:
        """Yield what the laws are put to: each variant, and the first of them with a window."""
        for number, options in enumerate(cls._variants()):
            yield cls(k=3, **options)
            if number == 0:
                yield cls(k=3, memory=Window(70), **options)

    @classmethod
    def _variants(cls) -> list[dict[str, Any]]:
        """The parameters of the variants."""
        return [{}]


def steps_of(k: Any, nonzero: int | None, n_features: int) -> int:
    """Return how many steps a lasso path takes: as many as features are selected, by default."""
    if nonzero is not None:
        return int(nonzero)
    return min(int(getattr(as_rule(k), "k", n_features)), n_features)


def require_number(name: str, value: Any, meaning: str) -> None:
    """Refuse what is not a positive, finite number."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive number ({meaning}), not {value!r}")
