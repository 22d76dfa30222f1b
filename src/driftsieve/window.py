"""The rows of a sliding window, in pieces that lie on a fixed grid of row numbers.

The grid makes every result independent of how the rows were batched: a piece is always
summarised from its own rows in one go.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, concatenate
from driftsieve.classes import Classes
from driftsieve.kept import bytes_of, copied, rows_from_state, rows_to_state

PIECES = 16
"""Pieces to a window: a question costs one piece's rows anew, and this many merges."""


@dataclass
class Piece:
    """Rows from number `start` on, and their summary once the piece is complete."""

    start: int
    batches: list[Batch] = field(default_factory=list)
    summary: Any = None

    @property
    def stop(self) -> int:
        return self.start + sum(batch.n_rows for batch in self.batches)

    def whole(self) -> Batch:
        """Return all rows as one batch, and keep them so."""
        if len(self.batches) > 1:
            self.batches = [concatenate(self.batches)]
        return self.batches[0]


class Pieces:
    """The last `rows` rows, and at most a piece more."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.size = -(-rows // PIECES)
        self.end = 0
        self._pieces: deque[Piece] = deque()
        self._classes = Classes()

    @property
    def nbytes(self) -> int:
        return sum(
            sum(bytes_of(batch) for batch in piece.batches)
            + (0 if piece.summary is None else piece.summary.nbytes)
            for piece in self._pieces
        )

    def append(self, batch: Batch) -> None:
        """Copy the rows of a batch, as far as the window will still hold them."""
        self._classes = self._classes_with(batch)
        done = max(0, batch.n_rows - self.rows)
        self.end += done
        while done < batch.n_rows:
            room = self.size - self.end % self.size
            rows = batch.take(slice(done, done + room))
            last = self._pieces[-1] if self._pieces else None
            if last is None or self.end % self.size == 0 or last.stop != self.end:
                last = Piece(self.end)
                self._pieces.append(last)
            last.batches.append(copied(rows))
            self.end += rows.n_rows
            done += rows.n_rows
            if self.end % self.size == 0:
                last.whole()
        while self._pieces and self._pieces[0].stop <= self.end - self.rows:
            self._pieces.popleft()

    def _classes_with(self, batch: Batch) -> Classes:
        """Return all classes, or raise if there are too many for a summary."""
        if batch.y is None:
            return self._classes
        try:
            return self._classes.encode(batch.y)[1]
        except ValueError:  # but some may have left the window since they were counted
            return self._classes_held().encode(batch.y)[1]

    def _classes_held(self) -> Classes:
        """Return the classes of the rows that are here."""
        held = Classes()
        for labels in [piece.whole().y for piece in self._pieces]:
            held = held if labels is None else held.encode(labels)[1]
        return held

    def extend(self, other: "Pieces") -> None:
        """Append the rows that `other` holds: if it has dropped any, these fill the window."""
        for piece in list(other._pieces):
            for batch in list(piece.batches):
                self.append(batch)

    def summaries(self, make: Callable[[int], Any], n_features: int) -> Iterator[Any]:
        """Yield summaries that, merged, are that of the window."""
        begin = self.end - self.rows
        for piece in self._pieces:
            rows = piece.whole()
            complete = piece.stop % self.size == 0 and piece.start >= begin
            if complete and piece.summary is not None:
                yield piece.summary
                continue
            summary = make(n_features)
            if hasattr(summary, "begin_at"):  # it draws, and parts have to draw independently
                summary.begin_at(max(begin, piece.start))
            summary.update(rows.take(slice(max(0, begin - piece.start), None)))
            if complete:
                piece.summary = summary
            yield summary

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others are missing in all rows."""
        for piece in self._pieces:
            piece.summary = None
            piece.batches = [batch.spread(places, n_features) for batch in piece.batches]

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        pieces = [{"start": piece.start, **rows_to_state(piece.whole())} for piece in self._pieces]
        return {"end": self.end, "pieces": pieces}

    def restore(self, state: dict[str, Any], n_features: int) -> None:
        """Go on where `to_state` was called."""
        self.end = int(state["end"])
        self._pieces = deque(
            Piece(int(piece["start"]), [rows_from_state(piece, n_features)])
            for piece in state["pieces"]
        )
        self._classes = self._classes_held()
