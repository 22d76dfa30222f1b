"""What streams that can be entered at any row have in common: batching, seeking, seeds, truth."""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, Position
from driftsieve.streams import randomness
from driftsieve.streams.checks import whole

BLOCK_ROWS = 1024
BLOCK_VALUES = 2**18
"""Rows are drawn in blocks of at most this many rows and values (which then fit a core's cache).
Both belong to what a seed means: changing them changes every generated stream."""


class ByRow(ABC):
    """A source that can give any of its rows at once. Its positions are row numbers.

    Subclasses have `n_rows` (None: endless) and `batch` (rows per batch), and give `rows`.
    """

    n_rows: int | None
    batch: int
    _next: int = 0

    @property
    def endless(self) -> bool:
        return self.n_rows is None

    @abstractmethod
    def rows(self, start: int, stop: int) -> Batch:
        """Return the rows from `start` up to, not including, `stop`."""

    def __iter__(self) -> Iterator[Batch]:
        return self._batches(self._next)

    def _batches(self, start: int) -> Iterator[Batch]:
        while self.n_rows is None or start < self.n_rows:
            stop = start + self.batch
            if self.n_rows is not None:
                stop = min(stop, self.n_rows)
            yield self.rows(start, stop).replace(position=stop)
            start = stop

    def seek(self, position: Position) -> None:
        """Begin the next iteration behind the batch of this position; None: at the first row."""
        row = 0 if position is None else position
        self._next = whole("a position in this stream", row, 0, self.n_rows)


@dataclass(kw_only=True, eq=False)
class Generated(ByRow):
    """A synthetic stream: seeded, drawn in whole blocks, with known relevant features.

    The same seed gives the same rows for every `batch` and wherever iteration begins, and a longer
    stream begins with the shorter one (under one version of NumPy: its normal variates may change
    between versions).

    To write a new generator, derive a dataclass (`@dataclass(kw_only=True, eq=False)`): its fields
    are its parameters, checked in `__post_init__` (call this one's first). Give it

    - `n_features` (a field or a property) and, if the columns have names, `names`;
    - `draw(start, stop, rng)`: X and y of these rows, from `rng` and nothing else that is random.
      `start` is always the first row of a block, so what happens within a block may depend on
      `start` and on the row numbers;
    - `relevant_at(row)`: the columns that matter at a row;
    - `drift_points`, if that changes (`concepts.Drifting` does all of this for you);
    - `categorical`, if some columns are nominal.

    What is drawn once per stream (a tree, a concept) comes from `self.rng("tree")`. Then enter the
    class in `streams/registry.py`. Drift between two generators is `drift.ConceptSwitch`.
    """

    n_rows: int | None = 100_000
    batch: int = 1_000
    seed: int = 0

    _held: tuple[int, NDArray[Any], NDArray[Any]] | None = field(
        default=None, init=False, repr=False
    )

    def __post_init__(self) -> None:
        if self.n_rows is not None:
            self.n_rows = whole("n_rows", self.n_rows)
        self.batch = whole("batch", self.batch, 1)
        self.seed = whole("seed", self.seed)

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @property
    def names(self) -> tuple[str, ...] | None:
        return None

    @property
    def categorical(self) -> tuple[int, ...]:
        """The columns that are nominal: they hold codes of categories, which have no order."""
        return ()

    @abstractmethod
    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return X and y of one block of rows."""

    @abstractmethod
    def relevant_at(self, row: int) -> NDArray[np.intp]:
        """Return the columns that matter at a row, ascending."""

    @property
    def drift_points(self) -> Sequence[int]:
        """The rows at which the concept, and with it the relevant columns, changes, ascending."""
        return ()

    def truth(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Return rows by features: which features matter. Read-only where all rows agree."""
        edges = [start, *between(self.drift_points, start, stop), stop]
        truth = np.zeros((len(edges) - 1, self.n_features), dtype=bool)
        for line, row in zip(truth, edges[:-1], strict=True):
            line[self.relevant_at(row)] = True
        if len(truth) == 1:
            return np.broadcast_to(truth, (stop - start, self.n_features))
        return np.repeat(truth, [after - before for before, after in pairwise(edges)], axis=0)

    def rows(self, start: int, stop: int) -> Batch:
        X = y = None
        for first in range(start - start % self.block_rows, stop, self.block_rows):
            block_X, block_y = self._block(first)
            if X is None or y is None:
                X = np.empty((stop - start, self.n_features), dtype=block_X.dtype)
                y = np.empty(stop - start, dtype=block_y.dtype)
            low, high = max(first, start), min(first + self.block_rows, stop)
            # Copied, so that whoever writes into a batch does not write into the held block.
            X[low - start : high - start] = block_X[low - first : high - first]
            y[low - start : high - start] = block_y[low - first : high - first]
        if X is None:
            raise ValueError(f"rows {start} to {stop} are no rows")
        return Batch(X, y, names=self.names, relevant=self.truth(start, stop))

    @property
    def block_rows(self) -> int:
        return max(1, min(BLOCK_ROWS, BLOCK_VALUES // self.n_features))

    def _block(self, first: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw a whole block, or return it if it is the one drawn last."""
        held = self._held
        if held is None or held[0] != first:
            block = self.rng("rows", first // self.block_rows)
            held = self._held = (first, *self.draw(first, first + self.block_rows, block))
        return held[1], held[2]

    def rng(self, purpose: str, *place: int) -> np.random.Generator:
        """Return the random numbers of this stream for a purpose: the same at every call."""
        return randomness.generator(self.seed, f"{type(self).__name__}.{purpose}", *place)


def between(points: Sequence[int], start: int, stop: int) -> Sequence[int]:
    """Return the points with start < point < stop; `points` may be an endless range."""
    return points[bisect_right(points, start) : bisect_left(points, stop)]
