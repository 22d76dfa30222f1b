"""Reading any source by rows instead of batches, with a place to come back to."""

from collections.abc import Iterator
from typing import Any

from driftsieve.batch import Batch, Position, concatenate
from driftsieve.contracts import Source
from driftsieve.streams.checks import whole


class Cursor:
    """Where a reader stands in a source, to the row.

    A place is `[position, rows]`: so many rows behind a position that the source itself gave
    (None: its beginning). A source that gives no positions is read again from its beginning.
    """

    def __init__(self, source: Source, place: Position = None) -> None:
        self._source = source
        self._position, self._taken = as_place([None, 0] if place is None else place)
        self._batches: Iterator[Batch] | None = None
        self._batch: Batch | None = None
        self._used = 0
        """How many rows of the batch at hand have been taken."""

    @property
    def place(self) -> Position:
        return [self._position, self._taken]

    def take(self, rows: int) -> Batch | None:
        """Return the next so many rows, fewer at the end of the source, None behind it."""
        parts = []
        while rows and (batch := self._at_hand()) is not None:
            part = batch.take(slice(self._used, self._used + rows))
            self._move(part.n_rows)
            rows -= part.n_rows
            parts.append(part)
        return concatenate(parts) if parts else None

    def _move(self, rows: int) -> None:
        self._used += rows
        self._taken += rows
        batch = self._batch
        if batch is not None and self._used == batch.n_rows and batch.position is not None:
            self._position, self._taken = batch.position, 0

    def _at_hand(self) -> Batch | None:
        """Return a batch that has rows left, or None at the end."""
        if self._batches is None:
            self._source.seek(self._position)
            self._batches = iter(self._source)
            self._batch, self._used = next(self._batches, None), 0
            self._skip(self._taken)
        while self._batch is not None and self._used == self._batch.n_rows:
            self._batch, self._used = next(self._batches, None), 0
        return self._batch

    def _skip(self, rows: int) -> None:
        assert self._batches is not None
        while self._batch is not None and rows > self._batch.n_rows:
            rows -= self._batch.n_rows
            self._batch = next(self._batches, None)
        self._used = 0 if self._batch is None else rows


def as_place(place: Any) -> tuple[Position, int]:
    """Check a place that came from outside."""
    if not isinstance(place, (list, tuple)) or len(place) != 2:
        raise ValueError(f"a place in a source is a pair of position and rows, not {place!r}")
    return place[0], whole("the rows behind a position", place[1])


def is_endless(source: Source) -> bool:
    """Say whether a source is known to have no end."""
    return bool(getattr(source, "endless", False))
