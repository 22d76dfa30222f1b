"""What can be asked of quantile summaries: class tables, ranks and quantiles.

A question concerns all rows, those that wait included: they are merged in for its sake, and wait
on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import bins as kernels
from driftsieve.summaries.class_tables import ClassTables, joined_tables
from driftsieve.summaries.entries import Entries, Policy
from driftsieve.summaries.shards import EFFORT, Shards
from driftsieve.summaries.waiting import WaitingEntries, WaitingRows
from driftsieve.threads import over_blocks

T = TypeVar("T")


class Questions(ABC):
    """The questions, over what `Quantiles` keeps."""

    n_features: int
    n_jobs: int
    _scale: float
    _rows: NDArray[np.float64]
    _sparse: bool
    _fixed: NDArray[np.bool_]
    _shards: Shards
    _dense_waiting: WaitingRows
    _sparse_waiting: WaitingEntries

    @property
    @abstractmethod
    def classes(self) -> list[Any]: ...

    @abstractmethod
    def _asking(self) -> Policy:
        """When entries are joined as waiting rows are merged in for a question."""

    def tables(self, bins: int = 5) -> ClassTables:
        """Return the weight of each class in equal-frequency bins of each feature."""
        return joined_tables(self.map_tables(lambda table: table, bins))

    def map_tables(self, function: Callable[[ClassTables], T], bins: int = 5) -> list[T]:
        """Return what `function` makes of the tables of some features at a time, in order."""

        def ask(entries: Entries, lo: int, hi: int) -> T:
            fixed = self._fixed[lo:hi]
            wanted = np.where(fixed, np.maximum(np.diff(entries.offsets) + 1, 1), bins)
            starts = np.concatenate([[0], np.cumsum(wanted)]).astype(np.int64)
            counts = np.zeros((starts[-1], len(self._rows)))
            upper, lowest = np.empty(starts[-1]), np.empty(hi - lo)
            kernels.equal_frequency(*self._asked(entries), fixed, starts, counts, upper, lowest)
            counts[counts < kernels.FORGOTTEN] = 0.0
            return function(ClassTables(starts, lowest, upper, counts, self.classes))

        return self._ask(ask)

    def below(self, feature: int, values: Any) -> NDArray[np.float64]:
        """Return the weight by class of the rows whose `feature` is at most each of `values`."""
        self._require_feature(feature)
        values = np.atleast_1d(np.asarray(values, dtype=float))
        found = np.zeros((len(values), len(self._rows)))

        def ask(entries: Entries, lo: int, hi: int) -> None:
            if lo <= feature < hi:
                kernels.weight_below(*self._asked(entries), feature - lo, values, found)

        self._ask(ask, feature)
        return found

    def quantiles(self, feature: int, q: Any) -> NDArray[np.float64]:
        """Return the values of `feature` up to which a part `q` of all weight lies."""
        self._require_feature(feature)
        q = np.atleast_1d(np.asarray(q, dtype=float))
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError(f"quantiles are parts of all weight, between 0 and 1, not {q}")
        found = np.full(len(q), np.nan)

        def ask(entries: Entries, lo: int, hi: int) -> None:
            if lo <= feature < hi:
                kernels.values_at(*self._asked(entries), feature - lo, q, found)

        self._ask(ask, feature)
        return found

    def _require_feature(self, feature: int) -> None:
        if not 0 <= feature < self.n_features:
            raise IndexError(f"there is no feature {feature} among {self.n_features}")

    def _asked(self, entries: Entries) -> tuple[Any, ...]:
        """What kernels that answer questions want to know."""
        return (
            entries.offsets, entries.values, entries.uncertainty, entries.weights,
            self._scale, self._rows * self._scale, self._sparse,
        )  # fmt: skip

    def _ask(self, ask: Callable[[Entries, int, int], T], feature: int | None = None) -> list[T]:
        """Put a question to the entries of some features at a time, waiting rows included."""
        policy = self._asking()
        blocks = [w.block() for w in (self._dense_waiting, self._sparse_waiting) if w.n]
        shards, bounds = self._shards.shards, self._shards.bounds
        answers: dict[int, T] = {}

        def work(first: int, last: int) -> None:
            for i in range(first, last):
                lo, hi = bounds[i], bounds[i + 1]
                if feature is not None and not lo <= feature < hi:
                    continue
                entries = shards[i].whole(policy.of(lo, hi))
                for block in blocks:
                    entries = entries.absorb(block.columns(lo, hi), policy.of(lo, hi))
                answers[i] = ask(entries, lo, hi)

        values = self._shards.n_entries + sum(block.size for block in blocks)
        over_blocks(work, len(shards), values * EFFORT, self.n_jobs)
        return [answers[i] for i in sorted(answers)]
