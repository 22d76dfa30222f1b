"""The features of a summary in parts, each rewritten on its own: little at a time, in threads."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.threads import over_blocks

FEATURES = 64
"""Features to a shard, unless there would be more than SHARDS of them."""
SHARDS = 256
EFFORT = 16
"""Sorting and merging a value takes at least so many times as long as adding it up, which is what
`over_blocks` reckons with."""


class Shards:
    """Features bounds[i]..bounds[i + 1] are in shard i: `Entries`, or what has its methods."""

    def __init__(self, shards: list[Any], bounds: list[int]) -> None:
        self.shards, self.bounds = shards, bounds

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
        return self.n_entries == 0

    def part(self, feature: int) -> Any:
        """Return the shard that begins with a feature."""
        return self.shards[self.bounds.index(feature)]

    def each(
        self, change: Callable[[Any, int, int], Any], values: int = 0, n_jobs: int = 1
    ) -> None:
        """Put what `change(shard, lo, hi)` returns in the place of each shard."""

        def work(first: int, last: int) -> None:
            for i in range(first, last):
                self.shards[i] = change(self.shards[i], self.bounds[i], self.bounds[i + 1])

        over_blocks(work, len(self.shards), values * EFFORT, n_jobs)

    def rearranged(
        self, kind: Any, source: NDArray[np.intp], rows: NDArray[np.float64]
    ) -> "Shards":
        """Return shards in which feature j is what `source[j]` was; -1: missing in all `rows`."""
        whole = kind.joined_features(self.shards)
        bounds = _bounds(len(source))
        parts = [whole.take(source[lo:hi], rows) for lo, hi in pairwise(bounds)]
        return Shards(parts, bounds)

    def lists(self, n_features: int) -> Iterator[tuple[Any, int, int]]:
        """Yield every list of entries and its features; raise if these are not `n_features`."""
        if self.bounds != _bounds(n_features) or len(self.shards) + 1 != len(self.bounds):
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
    return [n_features * i // shards for i in range(shards + 1)]
