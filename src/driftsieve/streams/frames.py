"""Tables that come in pieces: polars lazy frames, Arrow readers and datasets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import polars as pl

from driftsieve.batch import Batch, Position
from driftsieve.streams.columns import Columns, matrix
from driftsieve.streams.stream import SPENT, Slab, Stream, located

PIECE_BYTES = 8 << 20
"""Of a lazy frame, per piece that polars hands over."""

Pieces: TypeAlias = Callable[[int, list[str]], tuple[int, Iterable[Any]]]
"""Give some columns of a table in pieces that cover the rows from a number on; and the number of
the first row given, which may come before it."""


class Frames(Stream):
    """A table in pieces, cut anew into batches. A position is a row number."""

    def __init__(
        self,
        schema: pl.Schema,
        pieces: Pieces,
        where: str,
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
    ) -> None:
        self._columns = Columns.choose(
            schema, target=target, features=features, weight=weight, where=where
        )
        self._dtype = self._columns.float_type(schema, where)
        self._pieces = pieces
        self._where = where
        self.names = self._columns.features
        self._batch = batch

    def _batches(self, start: Position) -> Iterator[Batch]:
        row, pieces = self._pieces(start or 0, [*self._columns.features, *self._columns.others])
        return self._rechunked(self._slabs(row, pieces), self._batch, start or 0)

    def _slabs(self, row: int, pieces: Iterable[Any]) -> Iterator[Slab]:
        for piece in pieces:
            frame = piece if isinstance(piece, pl.DataFrame) else pl.DataFrame(piece)
            X = matrix(frame.select(self._columns.features), self._dtype)
            with located(self._where, row):
                slab = Slab(self._columns.batch(X, frame), row)
            yield slab
            row += frame.height


def open_lazy_frame(frame: pl.LazyFrame, choice: dict[str, Any]) -> Frames:
    """Read a lazy frame by polars' streaming engine, which reads ahead as far as it likes.

    The frame must give its rows in the same order every time, or positions mean nothing.
    """

    def pieces(row: int, names: list[str]) -> tuple[int, Iterable[Any]]:
        chunk = max(1, PIECE_BYTES // (8 * len(names)))
        return row, frame.select(names).slice(row).collect_batches(chunk_size=chunk)

    return Frames(frame.collect_schema(), pieces, "the lazy frame", **choice)


def open_dataset(dataset: Any, choice: dict[str, Any]) -> Frames:
    """Read a pyarrow dataset."""

    def pieces(row: int, names: list[str]) -> tuple[int, Iterable[Any]]:
        return 0, dataset.scanner(columns=names).to_reader()

    return Frames(
        pl.DataFrame(dataset.schema.empty_table()).schema, pieces, "the dataset", **choice
    )


def open_reader(reader: Iterator[Any], choice: dict[str, Any]) -> Frames:
    """Read a stream of Arrow record batches, which can be done once."""
    first = next(reader, None)
    if first is None:
        raise ValueError("the Arrow stream holds no rows")
    all_pieces: Iterator[Any] | None = chain([first], reader)

    def pieces(row: int, names: list[str]) -> tuple[int, Iterable[Any]]:
        nonlocal all_pieces
        if all_pieces is None:
            raise ValueError(SPENT)
        given, all_pieces = all_pieces, None
        return 0, given

    return Frames(pl.DataFrame(first).schema, pieces, "the Arrow stream", **choice)
