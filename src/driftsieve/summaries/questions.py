"""What can be asked of quantile summaries.

A question concerns all rows, those that wait included: they are merged in for its sake, and wait
on.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from driftsieve.summaries.counts import Counts, Cuts
from driftsieve.summaries.entries import Entries, Policy
from driftsieve.summaries.shards import EFFORT, Shards
from driftsieve.summaries.waiting import WaitingEntries, WaitingRows
from driftsieve.threads import over_blocks

T = TypeVar("T")


class Questions(Counts):
    """The questions, over what `Quantiles` keeps."""

    _scale: float
    _rows: NDArray[np.float64]
    _sparse: bool
    _fixed: NDArray[np.bool_]
    _shards: Shards
    _dense_waiting: WaitingRows
    _sparse_waiting: WaitingEntries

    @abstractmethod
    def _asking(self) -> Policy:
        """When entries are joined as waiting rows are merged in for a question."""

    def _apart(self, lo: int, hi: int) -> NDArray[np.bool_]:
        return self._fixed[lo:hi]

    def _ask(self, ask: Callable[[Cuts, int, int], T], feature: int | None = None) -> list[T]:
        rows = self._rows * self._scale

        def asked(held: Entries, lo: int, hi: int) -> T:
            arrays = held.offsets, held.values, held.uncertainty, held.weights
            return ask(Cuts(*arrays, self._scale, rows, self._sparse), lo, hi)

        return self._visit(asked, feature)

    def _visit(
        self, visit: Callable[[Entries, int, int], T], feature: int | None = None
    ) -> list[T]:
        """Show the entries of some features at a time, waiting rows included."""
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
                answers[i] = visit(entries, lo, hi)

        values = self._shards.n_entries + sum(block.size for block in blocks)
        over_blocks(work, len(shards), values * EFFORT, self.n_jobs)
        return [answers[i] for i in sorted(answers)]
