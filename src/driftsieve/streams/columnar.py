"""Columnar files (Parquet, Arrow IPC) and lazy frames, by polars.

polars' own streaming decodes ahead of its consumer without a bound, so that a file of 2 GB takes
up to 2 GB of memory. Files are therefore read by many small queries, each for a slab of rows and
a few columns. That bounds what is held at any time: the slab, plus the compressed bytes of a few
column chunks, however large the row groups of the file are.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from driftsieve.batch import Batch, Position
from driftsieve.streams.columns import Columns, matrix
from driftsieve.streams.stream import Slab, Stream, located

SLAB_BYTES = 128 << 20
"""Memory for the decoded rows. More: fewer pages decoded twice, as a slab ends inside of them."""

CHUNK_BYTES = 64 << 20
"""Memory for the column chunks of one query."""

LARGEST_CHUNK = 8 << 20
"""A column chunk is rarely larger: writers put at most 2**20 rows into a row group."""

FEWEST_COLUMNS = 8
"""Columns read by one query at least: one cache line of doubles, and work for some threads."""


class ColumnarFiles(Stream):
    """Parquet or Arrow IPC files, one after the other. A position is a row number."""

    def __init__(
        self,
        scan: pl.LazyFrame,
        paths: Sequence[Path],
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
    ) -> None:
        self._scan = scan
        self._where = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and others"
        schema = scan.collect_schema()
        self._columns = Columns.choose(
            schema, target=target, features=features, weight=weight, where=self._where
        )
        self._dtype = self._columns.float_type(schema, self._where)
        self.names = self._columns.features
        self.n_rows = int(scan.select(pl.len()).collect().item())
        self._batch = batch
        chunk = min(max(path.stat().st_size for path in paths) // len(schema), LARGEST_CHUNK)
        self._columns_at_once = max(FEWEST_COLUMNS, CHUNK_BYTES // max(chunk, 1))

    def _batches(self, start: Position) -> Iterator[Batch]:
        assert self.n_rows is not None and self.names is not None
        row_bytes = len(self.names) * np.dtype(self._dtype).itemsize
        step = max(1, SLAB_BYTES // (row_bytes * self._batch)) * self._batch
        slabs = (self._slab(row, step) for row in range(start or 0, self.n_rows, step))
        return self._rechunked(slabs, self._batch, start or 0)

    def _slab(self, start: int, count: int) -> Slab:
        assert self.n_rows is not None and self.names is not None
        rows = self._scan.slice(start, count)
        X = np.empty((min(count, self.n_rows - start), len(self.names)), self._dtype)
        for first in range(0, len(self.names), self._columns_at_once):
            names = self.names[first : first + self._columns_at_once]
            X[:, first : first + len(names)] = matrix(rows.select(names).collect(), self._dtype)
        with located(self._where, start):
            return Slab(self._columns.batch(X, rows.select(self._columns.others).collect()), start)


class LazyTable(Stream):
    """A polars lazy frame, executed by polars' streaming engine, which reads ahead as it likes.

    The frame must give its rows in the same order every time, or positions mean nothing.
    """

    def __init__(
        self,
        frame: pl.LazyFrame,
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
    ) -> None:
        schema = frame.collect_schema()
        self._columns = Columns.choose(
            schema, target=target, features=features, weight=weight, where="the lazy frame"
        )
        self._dtype = self._columns.float_type(schema, "the lazy frame")
        self._frame = frame.select(*self._columns.features, *self._columns.others)
        self.names = self._columns.features
        self._batch = batch

    def _batches(self, start: Position) -> Iterator[Batch]:
        return self._rechunked(self._slabs(start or 0), self._batch, start or 0)

    def _slabs(self, row: int) -> Iterator[Slab]:
        chunk = max(self._batch, (8 << 20) // (8 * len(self._columns.features)))
        for frame in self._frame.slice(row).collect_batches(chunk_size=chunk):
            X = matrix(frame.select(self._columns.features), self._dtype)
            with located("the lazy frame", row):
                slab = Slab(self._columns.batch(X, frame), row)
            yield slab
            row += frame.height
