"""The features of a summary in parts, each rewritten on its own: little at a time, in threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.threads import begin_over_blocks, finish

FEATURES = 64
"""Features to a shard, unless there would be more than SHARDS of them."""
SHARDS = 256
FIRST_OF_TWO = 0.43
"""The share of the first shard, where there are two: found by trying 100 features."""
EFFORT = 16
"""Sorting and merging a value takes at least so many times as long as adding it up, which is what
`over_blocks` reckons with."""


class Shards:
    """Features bounds[i]..bounds[i + 1] are in shard i: `Entries`, or what has its methods.

    Other threads may still be rewriting some of them when `begin_each` returns. Whoever asks for
    `shards` waits until they are done.
    """

    def __init__(self, shards: list[Any], bounds: list[int]) -> None:
        self._shards, self.bounds = shards, bounds
        self._others: list[Future[None]] = []

    @property
    def shards(self) -> list[Any]:
        self.finish()
        return self._shards

    def finish(self) -> None:
        """Wait for the other threads; raise what went wrong in one of them."""
        if self._others:
            finish(self._others)
            self._others = []

    def __getstate__(self) -> dict[str, Any]:  # when it is copied
        return {"_shards": self.shards, "bounds": self.bounds, "_others": []}

    @classmethod
    def empty(cls, kind: Any, n_features: int) -> "Shards":
        bounds = _bounds(n_features)
        return cls([kind.empty(hi - lo, 0) for lo, hi in pairwise(bounds)], bounds)

    @property
    def nbytes(self) -> int:
        return sum(shard.nbytes for shard in self.shards)

    @property
    def n_entries(self) -> int:
        return sum(shard.n_entries for shard in self.shards)

    @property
    def is_empty(self) -> bool:
        return not self._others and self.n_entries == 0  # whatever is rewritten holds something

    def part(self, feature: int) -> Any:
        """Return the shard that begins with a feature."""
        return self.shards[self.bounds.index(feature)]

    def each(self, change: Callable[[Any, int, int], Any]) -> None:
        """Put what `change(shard, lo, hi)` returns in the place of each shard."""
        self.begin_each(change, 0, 1)

    def begin_each(self, change: Callable[[Any, int, int], Any], values: int, n_jobs: int) -> None:
        """Do the same in threads, for rows of so many values; some may not be done in the end."""
        before, bounds = self.shards, self.bounds
        after = list(before)

        def work(first: int, last: int) -> None:
            for i in range(first, last):
                after[i] = change(before[i], bounds[i], bounds[i + 1])

        others = begin_over_blocks(work, len(before), values * EFFORT, n_jobs)
        self._shards, self._others = after, others

    def held(self) -> tuple[Any, ...]:
        """Return what `go_back` wants, without waiting for anybody."""
        return self._shards, self._others

    def go_back(self, held: tuple[Any, ...]) -> None:
        """Hold again what was held then: changes put other shards in the place of those."""
        self._shards, self._others = held

    def rearranged(
        self, kind: Any, source: NDArray[np.intp], rows: NDArray[np.float64]
    ) -> "Shards":
        """Return shards in which feature j is what `source[j]` was; -1: missing in all `rows`."""
        whole = kind.joined_features(self.shards)
        bounds = _bounds(len(source))
        parts = [whole.take(source[lo:hi], rows) for lo, hi in pairwise(bounds)]
        return Shards(parts, bounds)

    def regular(self, kind: Any) -> "Shards":
        """Return the same features in shards of today's bounds: those of a state may be others."""
        n_features = self.bounds[-1]
        if self.bounds == _bounds(n_features):
            return self
        return self.rearranged(kind, np.arange(n_features), np.zeros(0))

    def lists(self, n_features: int) -> Iterator[tuple[Any, int, int]]:
        """Yield every list of entries and its features; raise if these are not `n_features`."""
        whole = all(type(bound) is int for bound in self.bounds)
        ends = self.bounds[:1] + self.bounds[-1:] == [0, n_features]
        ascend = whole and ends and all(lo < hi for lo, hi in pairwise(self.bounds))
        if not (ascend or n_features == 0) or len(self.shards) + 1 != len(self.bounds):
            raise ValueError(f"shards that are not those of {n_features} features")
        for shard, (lo, hi) in zip(self.shards, pairwise(self.bounds)):
            for entries in shard.lists:
                yield entries, lo, hi

    def to_state(self) -> dict[str, Any]:
        return {"bounds": self.bounds, "shards": [shard.to_state() for shard in self.shards]}

    @classmethod
    def from_state(cls, kind: Any, state: dict[str, Any]) -> "Shards":
        return cls([kind.from_state(shard) for shard in state["shards"]], list(state["bounds"]))


def _bounds(n_features: int) -> list[int]:
    shards = max(1, min(SHARDS, -(-n_features // FEATURES)))
    if shards == 2:  # the thread that takes the first has the rows to look after, too
        return [0, round(n_features * FIRST_OF_TWO), n_features]
    return [n_features * i // shards for i in range(shards + 1)]
