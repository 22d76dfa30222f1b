"""The multi-level quantile summary of Wang & Barbu (2021), sections 2.2.2 to 2.2.6.

The stream is cut into sub-streams of 1, 2, 4 ... blocks. Within one, blocks are kept exactly, then
pruned, and carried upwards by merging and pruning like the digits of a binary counter (Algorithm
1); a sub-stream that is complete is merged and pruned to 2 / epsilon entries. The unknown length
of a stream is thus no matter (the three steps after eq. 14). With epsilon' = epsilon / 2, sub-
stream i has 2^i blocks of b = (i + 1) / epsilon' rows and i + 1 levels, each of which is pruned to
b / 2 entries: i + 1 times a rank is then off by another 1 / b, so by epsilon' in the end.

Deviations. Pruned entries keep the class weights of those before them (the paper's exact weight
update), which makes eq. 15 trivial as the paper states it: its highest rank less its weight is no
bound of the rank below a value any more, once the weight holds smaller values. We keep that bound
(`uncertainty`) instead. A block ends after b rows rather than b distinct values, the same for all
features. Blocks of sparse rows end after a number of entries.

The entries of a feature: level l holds at most (i + 1) / epsilon' of them, over i + 1 levels and a
block, and so i (i + 3) / epsilon' in all, where 2^i epsilon'^-1 does not exceed the rows; and
the closed sub-streams 2 / epsilon each. That is what makes this one large.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from driftsieve.summaries.blocks import SortedColumns
from driftsieve.summaries.entries import Entries, Flags, Ints, Policy
from driftsieve.summaries.quantiles import Quantiles

MOST_SUB_STREAMS = 60
"""More are never reached: each is twice as long as the one before."""


@dataclass(frozen=True)
class Levels:
    """The levels of some features: what `Quantiles` keeps in place of `Entries`."""

    closed: tuple[Entries, ...]
    """A summary for each complete sub-stream."""
    open: tuple[Entries, ...]
    """The levels of the present sub-stream; an empty one is free."""
    blocks: int
    """How many blocks of the present sub-stream have come."""
    sub_stream: int

    @classmethod
    def empty(cls, n_features: int, n_classes: int) -> "Levels":
        return cls((), (Entries.empty(n_features, n_classes),), 0, 0)

    @property
    def lists(self) -> tuple[Entries, ...]:
        """All lists of entries that there are."""
        return *self.closed, *self.open

    @property
    def nbytes(self) -> int:
        return sum(entries.nbytes for entries in self.lists)

    @property
    def n_entries(self) -> int:
        return sum(entries.n_entries for entries in self.lists)

    def absorb(self, rows: SortedColumns, policy: Policy) -> "Levels":
        """Return the levels with another block carried upwards."""
        like = self.open[0]
        n_classes = len(like.weights)
        never = policy.never(like.n_features)
        most = ceil((self.sub_stream + 1) / policy.twice_epsilon * 2)
        carried = _pruned(
            Entries.empty(like.n_features, n_classes).absorb(rows, never), most, policy
        )
        levels = list(self.open)
        for level, entries in enumerate(levels):
            levels[level] = carried
            if not entries.n_entries:
                break
            carried = _pruned(_merged((entries, carried), policy), most, policy)
            levels[level] = Entries.empty(like.n_features, n_classes)
            if level + 1 == len(levels):
                levels.append(carried)
                break
        if self.blocks + 1 < 2**self.sub_stream:
            return replace(self, open=tuple(levels), blocks=self.blocks + 1)
        whole = _pruned(_merged(levels, policy), ceil(4 / policy.twice_epsilon), policy)
        free = Entries.empty(like.n_features, n_classes)
        return Levels((*self.closed, whole), (free,), 0, self.sub_stream + 1)

    def merge(self, other: "Levels", into: Ints, gain: float, policy: Policy) -> "Levels":
        """Return the levels with all that `other` holds as one more complete sub-stream."""
        like = self.open[0]
        free = Entries.empty(like.n_features, len(like.weights))
        never = policy.never(like.n_features)
        return replace(
            self, closed=(*self.closed, free.merge(other.whole(policy), into, gain, never))
        )

    def whole(self, policy: Policy) -> Entries:
        """Return the merger of all sub-streams and levels."""
        return _merged(self.lists, policy)

    def scaled(self, factor: float, fixed: Flags) -> "Levels":
        return self._each(lambda entries: entries.scaled(factor, fixed))

    def with_classes(self, n_classes: int) -> "Levels":
        return self._each(lambda entries: entries.with_classes(n_classes))

    def take(self, features: Ints, rows: NDArray[np.float64]) -> "Levels":
        nowhere = np.zeros_like(rows)
        taken = self._each(lambda entries: entries.take(features, nowhere))
        first = self.open[0].take(features, rows)
        return replace(taken, open=(first, *taken.open[1:]))

    @classmethod
    def joined_features(cls, parts: "list[Levels]") -> "Levels":
        first = parts[0]
        return replace(
            first,
            closed=tuple(_beside(part.closed for part in parts)),
            open=tuple(_beside(part.open for part in parts)),
        )

    def to_state(self) -> dict[str, Any]:
        return {
            "closed": [entries.to_state() for entries in self.closed],
            "open": [entries.to_state() for entries in self.open],
            "blocks": self.blocks,
            "sub_stream": self.sub_stream,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Levels":
        blocks, sub_stream = state["blocks"], state["sub_stream"]
        if not (state["open"] and 0 <= sub_stream < MOST_SUB_STREAMS and blocks >= 0):
            raise ValueError("levels that cannot be")
        return cls(
            tuple(Entries.from_state(entries) for entries in state["closed"]),
            tuple(Entries.from_state(entries) for entries in state["open"]),
            int(blocks),
            int(sub_stream),
        )

    def _each(self, change: Any) -> "Levels":
        closed, open_ = (tuple(map(change, part)) for part in (self.closed, self.open))
        return replace(self, closed=closed, open=open_)


def _beside(parts: Iterable[tuple[Entries, ...]]) -> Iterator[Entries]:
    """Yield each level with the features of all parts, one part after the other."""
    for levels in zip(*parts):
        yield Entries.joined_features(list(levels))


def _merged(parts: Iterable[Entries], policy: Policy) -> Entries:
    """Merge summaries of the same features (MERGE, eq. 12 to 14)."""
    whole, *others = parts
    same = np.arange(len(whole.weights))
    for other in others:
        whole = whole.merge(other, same, 1.0, policy.never(whole.n_features))
    return whole


def _pruned(entries: Entries, most: int, policy: Policy) -> Entries:
    """Prune all features but the fixed ones."""
    return entries.pruned(most, policy.fixed)


class LevelQuantiles(Quantiles):
    """Quantile summaries of all features in many levels, as in the paper."""

    shard: ClassVar[Any] = Levels

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be after so many rows of weight 1, if no two were merged."""
        width = 2 / self.epsilon
        i = max(0, ceil(log2(weight / width + 1)))
        entries = width * (i + 1) * (i + 4) + 2 * width * (i + 1)
        per_feature = entries * 8 * (2 + len(self._classes)) + (i + 1) * width * 8
        dense = self.n_features * (per_feature + 64 * (2 * i + 2)) + (i + 1) * width * 16 + 4096
        return ceil(dense + self._most_other_bytes(self.n_features * entries, weight))

    def _block_rows(self) -> int:
        """b: all shards are in the same sub-stream."""
        shards = self._shards.shards
        return ceil((1 + (shards[0].sub_stream if shards else 0)) * 2 / self.epsilon)

    def _parts(self, block: Any) -> Iterator[Any]:
        """Blocks are what levels are made of: they stay whole."""
        yield block

    def _asking(self) -> Policy:
        """Join nothing: that is not how this summary gets smaller."""
        return self._policy().never(self.n_features)
