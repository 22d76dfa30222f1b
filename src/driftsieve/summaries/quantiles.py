"""Quantile summaries with class weights: how the values of every feature are spread, by class.

`Quantiles` is compact: per feature one list of sorted entries (Greenwald & Khanna 2001), into which
blocks of sorted rows are merged; neighbours are joined as long as no rank becomes more uncertain
than 2 epsilon of all weight, and an entry keeps the class weights of all that it stands for. So a
rank asked for is off by at most epsilon of the weight, class totals are exact, and a feature of at
most 1 / epsilon distinct values is exact altogether. `summaries.levels` has the summary of Wang &
Barbu (2021) behind the same interface.

Merged into another, uncertainties and weights both add up, so that the guarantee holds for the
two together; fading scales both. Zeros of sparse rows are never stored: they weigh what all rows
weigh, less what the feature's entries weigh (missing values are entries, too), and enter when
somebody asks.

How many entries there are after weight n (of rows that came in blocks of m): at most
m + 2 + sqrt(2 n / epsilon). After a merge no two neighbours can be joined, so in all but the
first the uncertainty and the weight before it exceed 2 epsilon n together. Joined rows and weights
add up to 2 n at most; the rest of an entry's uncertainty it had when it came, at weight n_i, so at
most 2 epsilon n_i. Hence sum(1 - n_i / n) <= 1 / epsilon, which is reached soonest by the entries
that came last. Random rows need some 0.75 / epsilon.
"""

from collections.abc import Iterator
from functools import partial
from math import ceil, sqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.classes import Classes
from driftsieve.kernels.bins import NO_ZEROS
from driftsieve.state import decode_label, encode_label
from driftsieve.summaries import sound
from driftsieve.summaries.entries import Entries, Policy
from driftsieve.summaries.labelled import labelled
from driftsieve.summaries.questions import Questions
from driftsieve.summaries.shards import Shards
from driftsieve.summaries.waiting import WaitingEntries, WaitingRows
from driftsieve.summaries.whole import whole_or_not_at_all

SMALLEST_EPSILON = 1e-9
"""As many rows as that takes fit into no memory: whoever asks for less wants exact answers."""
SMALLEST_SCALE = 2.0**-100
BLOCK_ROWS = 2000
"""Rows to a block, at least: more than there are entries, so that these are not rewritten too
often; and not many more, because rows that wait take memory."""
FIRST_ROWS, FIRST_VALUES = 8000, 1 << 22
"""Rows and values to the first block, at most: so short a stream is exact altogether."""
SPARSE_BLOCK = 1 << 18
"""Entries to a block of sparse rows, at least: as many as the summary holds, so that the cost of
rewriting it stays proportional to what came in."""


class Quantiles(Questions):
    """Quantile summaries of all features, by class, of dense or sparse batches.

    Parameters
    ----------
    n_features, n_jobs : int
        How many features, and how many threads may work on them.
    epsilon : float, default=0.001
        The largest error of a rank, relative to all weight; from 1e-9 to below 0.5.
    categories : array of bool, optional
        Which features hold categories: see `use_categories`.
    """

    shard: ClassVar[Any] = Entries

    def __init__(
        self,
        n_features: int,
        n_jobs: int = 1,
        *,
        epsilon: float = 1e-3,
        categories: NDArray[np.bool_] | None = None,
    ) -> None:
        if not 0 < epsilon < 0.5:
            raise ValueError(f"epsilon must lie between 0 and 0.5, not {epsilon!r}")
        if epsilon < SMALLEST_EPSILON:
            raise ValueError(f"epsilon must be at least {SMALLEST_EPSILON:g}, not {epsilon!r}")
        self.n_features = n_features
        self.n_jobs = n_jobs
        self.epsilon = float(epsilon)
        self._classes = Classes()
        self._scale = 1.0
        self._rows = np.zeros(0)
        self._sparse = False
        self._fixed = np.zeros(n_features, np.bool_)
        if categories is not None:
            self.use_categories(categories)
        self._shards = Shards.empty(self.shard, n_features)
        self._dense_waiting = WaitingRows(self._block_rows())
        self._sparse_waiting = WaitingEntries(n_features)

    @property
    def classes(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        return list(self._classes.labels)

    @property
    def nbytes(self) -> int:
        waiting = self._dense_waiting.nbytes + self._sparse_waiting.nbytes
        return self._shards.nbytes + waiting + self._rows.nbytes + self._fixed.nbytes

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be after rows of this weight, if no two were merged."""
        block = max(self._dense_waiting.size, FIRST_ROWS)
        n_classes = len(self._classes)
        entries = max(ceil(1 / self.epsilon), block + 2 + sqrt(2 * weight / self.epsilon)) + 1
        per_feature = entries * 8 * (2 + n_classes) + block * 8 + 32
        dense = self.n_features * per_feature + block * 16 + 8 * n_classes + 4096
        return ceil(dense + self._most_other_bytes(self.n_features * entries, weight))

    def use_categories(self, features: NDArray[np.bool_]) -> None:
        """Keep each value of these features apart, and give each a bin of its own."""
        self._fixed = features

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights shrink to `fade` of what they are, then take in a labelled batch."""
        batch, y = labelled(batch, self.n_features, "quantiles")
        codes, classes = self._classes.encode(y)
        batch.refuse_infinities()
        parts = self._shards, self._dense_waiting, self._sparse_waiting
        with whole_or_not_at_all(self, *parts):
            self.fade(fade)
            self._adopt(classes)
            weights = batch.weight
            if weights is not None and (weights == 1).all():
                weights = None
            if self._scale != 1:
                weights = (np.ones(len(codes)) if weights is None else weights) / self._scale
            self._rows = self._rows + np.bincount(codes, weights, minlength=len(classes))
            short: NDArray[np.int32] = codes.astype(np.int32)
            X: Any = batch.X
            blocks: Iterator[Any]
            if batch.is_sparse:
                self._sparse = True
                blocks = self._sparse_waiting.blocks(X, short, weights, self._sparse_block)
            else:
                blocks = self._dense_waiting.blocks(X, short, weights)
            for block in blocks:
                self._absorb(block)

    def fade(self, factor: float) -> None:
        """Let all weights held shrink to `factor` of what they are, in O(1)."""
        if not 0 <= factor <= 1:
            raise ValueError(f"a fading factor lies between 0 and 1, not {factor}")
        self._scale *= factor
        if self._scale < SMALLEST_SCALE:
            fixed = self._policy().fixed
            self._shards.each(lambda shard, lo, hi: shard.scaled(self._scale, fixed[lo:hi]))
            self._rows = self._rows * self._scale
            self._dense_waiting.scale(self._scale)
            self._sparse_waiting.scale(self._scale)
            self._scale = 1.0

    def merge(self, other: Self) -> None:
        """Take in what `other` holds, as if its rows had been seen here."""
        if other.n_features != self.n_features:
            raise ValueError(
                f"quantiles of {other.n_features} features cannot be merged into those of "
                f"{self.n_features}"
            )
        into, classes = self._classes.union(other._classes)
        self._adopt(classes)
        gain = other._scale / self._scale
        self._rows[into] += gain * other._rows
        self._sparse |= other._sparse
        policy = self._policy()
        if not other._shards.is_empty:
            self._shards.each(
                lambda shard, lo, hi: shard.merge(
                    other._shards.part(lo), into, gain, policy.of(lo, hi)
                )
            )
        codes = into.astype(np.int32)
        dense, sparse = other._dense_waiting, other._sparse_waiting
        for rows in self._dense_waiting.blocks_of(dense, codes, gain):
            self._absorb(rows)
        for part in self._sparse_waiting.blocks_of(sparse, codes, gain, self._sparse_block):
            self._absorb(part)

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        if self._sparse and n_features > self.n_features:
            raise ValueError("sparse rows cannot gain features: a missing entry is a zero there")
        source = np.full(n_features, -1)
        source[places] = np.arange(len(places))
        seen = self._rows - self._dense_waiting.by_class(len(self._rows))
        seen[seen <= NO_ZEROS * self._rows] = 0.0  # but the rounding of sums
        self._shards = self._shards.rearranged(self.shard, source, seen)
        self._dense_waiting.rearrange(places, n_features)
        self._sparse_waiting.rearrange(places, n_features)
        fixed = np.zeros(n_features, np.bool_)
        fixed[places] = self._fixed
        self._fixed = fixed
        self.n_features = n_features

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "n_features": self.n_features,
            "epsilon": self.epsilon,
            "labels": [encode_label(label) for label in self._classes.labels],
            "scale": self._scale,
            "rows": self._rows,
            "sparse": self._sparse,
            "categories": self._fixed,
            "shards": self._shards.to_state(),
            "dense_waiting": self._dense_waiting.to_state(),
            "sparse_waiting": self._sparse_waiting.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the summary that `to_state` was called on."""
        self = cls._empty(state)
        self._classes = Classes(decode_label(label) for label in state["labels"])
        self._scale, self._rows, self._sparse = state["scale"], state["rows"], state["sparse"]
        self._fixed = state["categories"]
        self._shards = Shards.from_state(cls.shard, state["shards"])
        self.require_sound()
        self._shards = self._shards.regular(cls.shard)
        sizes = self.n_features, len(self._classes)
        dense = state["dense_waiting"]
        sound.require_sound_rows(dense["rows"], dense["size"], *sizes)
        sound.require_sound_cells(state["sparse_waiting"], *sizes)
        self._dense_waiting = WaitingRows(self._block_rows())
        self._dense_waiting.restore(state["dense_waiting"])
        self._sparse_waiting.restore(state["sparse_waiting"])
        return self

    @classmethod
    def _empty(cls, state: dict[str, Any]) -> Self:
        return cls(state["n_features"], epsilon=state["epsilon"])

    def require_sound(self) -> None:
        """Raise ValueError if anything that is held cannot be: see `summaries.sound`."""
        n_features, n_classes = self.n_features, len(self._classes)
        totals = self._rows, self._fixed, self._scale, self._sparse
        sound.require_sound_totals(*totals, n_features, n_classes)
        for entries, lo, hi in self._shards.lists(n_features):
            sound.require_sound_entries(entries, hi - lo, n_classes)

    def _block_rows(self) -> int:
        """How many dense rows are sorted at a time."""
        rows = max(BLOCK_ROWS, ceil(1 / self.epsilon))
        if self._shards.is_empty:
            return max(rows, min(FIRST_ROWS, FIRST_VALUES // max(self.n_features, 1)))
        return rows

    def _parts(self, block: Any) -> Iterator[Any]:
        """Yield what of a block is taken in at a time. Of the first, larger one: a block as any
        other, because values find their places sooner among entries than among each other."""
        return block.parts(max(BLOCK_ROWS, ceil(1 / self.epsilon)))  # type: ignore[no-any-return]

    def _sparse_block(self) -> int:
        """How many entries of sparse rows are sorted at a time."""
        return max(SPARSE_BLOCK, self._shards.n_entries, self.n_features // 4)

    def _most_other_bytes(self, entries: float, weight: float) -> float:
        """The most that a block of sparse rows adds, as entries and while it waits, and that
        categories do, of which each row may have a new one."""
        most, size = 0.0, 8 * (2 + len(self._classes))
        if self._sparse:
            most += (max(self._sparse_block(), entries) + self.n_features) * (size + 28)
        if self._fixed.any():
            most += (self._fixed.sum() * weight + self._shards.n_entries) * size
        return most

    def _policy(self) -> Policy:
        return Policy(2 * self.epsilon, ceil(1 / self.epsilon), self._fixed)

    def _asking(self) -> Policy:
        """Join as ever, but not if the rows that wait are all there are: then answers are exact."""
        policy = self._policy()
        return policy if self._shards.n_entries else policy.never(self.n_features)

    def _absorb(self, block: Any) -> None:
        policy = self._policy()

        def absorb(part: Any, shard: Any, lo: int, hi: int) -> Any:
            return shard.absorb(part.columns(lo, hi), policy.of(lo, hi))

        for part in self._parts(block):
            self._shards.begin_each(partial(absorb, part), part.size, self.n_jobs)
        if block.is_lent:  # its owner may change it from now on
            self._shards.finish()
        self._dense_waiting.size = self._block_rows()

    def _adopt(self, classes: Classes) -> None:
        """Know these classes, and have room for them."""
        new = len(classes) - len(self._classes)
        self._classes = classes
        if new:
            self._rows = np.append(self._rows, np.zeros(new))
            self._shards.each(lambda shard, lo, hi: shard.with_classes(len(classes)))
