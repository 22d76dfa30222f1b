"""What all readers have in common: a position to start from, and batches of equal size.

A reader fetches *slabs*, as many rows at a time as reading them takes to be quick, and cuts
batches from them. Batches own their memory, so one that is kept does not keep a whole slab.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftsieve.batch import Batch, Position, concatenate

SPENT = (
    "this iterator has been read already and cannot go back: pass a function that returns a new one"
)


@dataclass(frozen=True, slots=True)
class Slab:
    """Consecutive rows as they were fetched, and how to find them again."""

    rows: Batch
    first: int
    """The number of its first row in the stream."""
    mark: tuple[int, ...] = ()
    """What the reader needs to come back to this slab, if its row number does not suffice."""
    span: tuple[float, float] | None = None
    """The shares of the stream before and behind it."""

    def position(self, stop: int) -> Position:
        row = self.first + stop
        return [row, self.first, *self.mark] if self.mark else row

    def cut(self, start: int, stop: int) -> Batch:
        part = self.rows.take(slice(start, stop))
        X: Any = part.X
        return part if part.is_sparse else part.replace(X=np.array(X, order="C"))


class Stream:
    """A source of batches that can begin anywhere."""

    names: tuple[str, ...] | None = None
    """The names of the features, where they are known before reading."""
    n_rows: int | None = None
    """The number of rows, where it is known without reading them."""
    fraction: float | None = None
    """The share of the stream that has been delivered, where it is known."""

    opened_by: str | None = None
    """The call that opened it, for the settings of a report."""

    _start: Position = None

    def __repr__(self) -> str:
        return self.opened_by or super().__repr__()

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches from the position last sought, or from the beginning."""
        return self._batches(self._start)

    def seek(self, position: Position) -> None:
        """Begin the next iteration right behind the batch that carried `position`.

        A row number will do as well, and None is the beginning.
        """
        if position is not None:
            self._check_position(position)
        self._start = int(position) if isinstance(position, np.integer) else position

    def _check_position(self, position: Position) -> None:
        if not isinstance(position, int | np.integer) or isinstance(position, bool) or position < 0:
            raise ValueError(f"{position!r} is no position of this stream: give a row number")
        if self.n_rows is not None and position > self.n_rows:
            raise ValueError(f"cannot begin at row {position}: the stream has {self.n_rows} rows")

    def _batches(self, start: Position) -> Iterator[Batch]:
        raise NotImplementedError

    def _rechunked(self, slabs: Iterable[Slab], size: int, start: int) -> Iterator[Batch]:
        """Cut slabs into batches of `size` rows, leaving out the rows before `start`."""
        parts: list[Batch] = []
        held = 0
        for slab in slabs:
            taken = min(max(start - slab.first, 0), len(slab.rows))
            while held + len(slab.rows) - taken >= size:
                stop = taken + size - held
                parts.append(slab.cut(taken, stop))
                self._progress(slab, stop)
                yield concatenate(parts).replace(position=slab.position(stop))
                parts, held, taken = [], 0, stop
            if taken < len(slab.rows):
                parts.append(slab.cut(taken, len(slab.rows)))
                held += len(slab.rows) - taken
        if parts:
            self._progress(slab, len(slab.rows))
            yield concatenate(parts).replace(position=slab.position(len(slab.rows)))

    def _progress(self, slab: Slab, stop: int) -> None:
        if slab.span is not None:
            begin, end = slab.span
            self.fraction = min(1.0, begin + (end - begin) * stop / len(slab.rows))
        elif self.n_rows:
            self.fraction = (slab.first + stop) / self.n_rows


@contextmanager
def located(where: str, first: int) -> Iterator[None]:
    """Let errors say in which rows of which source they were found."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}, counting rows from row {first}: {error}") from None
