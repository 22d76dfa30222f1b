"""Columnar files (Parquet, Arrow IPC), by polars.

polars' own streaming decodes ahead of its consumer without a bound: a file of 2 GB may take 2 GB
of memory. Files are therefore read by many small queries, each for a slab of rows and a few
columns, into one buffer. What is held at any time is that buffer and a few column chunks, however
large the row groups of the file are. Slabs end where row groups end, if several or one fit;
otherwise a row group is cut into equal slabs, for each of which its pages are decoded again.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from driftsieve.batch import Batch, Position
from driftsieve.streams.columns import Columns, floats
from driftsieve.streams.row_groups import rows_per_group
from driftsieve.streams.stream import Slab, Stream, located

SLAB_BYTES = 192 << 20
"""For the rows at hand: a row group as polars writes it (125,000 rows) of 200 columns fits."""

QUERY_BYTES = 40 << 20
"""For the columns that are being decoded, by all queries at a time."""

QUERIES = min(4, os.cpu_count() or 1)
"""At a time: polars decodes so few values in a single thread."""

LARGEST_CHUNK = 8 << 20
"""Of a column in a row group: writers put at most 2**20 rows into one."""

COPIES = 4
"""Of a column that is being decoded: page, column, matrix, and what the allocator keeps back."""

TRANSPOSED_ROWS = 2048
"""Columns become rows in pieces that stay in the cache, which takes half the time."""


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
        self.n_rows = self._n_rows = int(scan.select(pl.len()).collect().item())
        self._batch = batch

        item = np.dtype(self._dtype).itemsize
        most = max(1, SLAB_BYTES // (item * len(self.names)))
        group = rows_per_group(paths[0])
        if group is None:
            group = most = max(1, most // 2)  # record batches of any size: better be careful
        self._step = most // group * group or -(-group // -(-group // most))
        self._period = max(self._step, group)
        bytes_per_column = max(path.stat().st_size for path in paths) / len(schema)
        chunk = min(bytes_per_column * min(1, group / max(self.n_rows, 1)), LARGEST_CHUNK)
        column = chunk + COPIES * item * min(self._step, self.n_rows)
        self._columns_at_once = max(1, int(QUERY_BYTES / QUERIES / max(column, 1)))

    def _batches(self, start: Position) -> Iterator[Batch]:
        row = start or 0
        return self._rechunked(self._slabs(row), self._batch, row)

    def _slabs(self, row: int) -> Iterator[Slab]:
        buffer = np.empty((min(self._step, self._n_rows), len(self._columns.features)), self._dtype)
        while row < self._n_rows:
            stop = min(self._slab_end(row), self._n_rows)
            yield self._read(row, buffer[: stop - row])
            row = stop

    def _slab_end(self, row: int) -> int:
        """Return where the slab ends that begins at a row: every so many rows of a row group."""
        group = row // self._period * self._period
        return group + min(self._period, ((row - group) // self._step + 1) * self._step)

    def _read(self, start: int, X: NDArray[np.floating]) -> Slab:
        rows = self._scan.slice(start, len(X))
        names = self._columns.features

        def query(first: int) -> None:
            part = names[first : first + self._columns_at_once]
            columns = floats(rows.select(part).collect(), self._dtype).to_numpy()
            for row in range(0, len(X), TRANSPOSED_ROWS):
                piece = slice(row, row + TRANSPOSED_ROWS)
                X[piece, first : first + len(part)] = columns[piece]

        with ThreadPoolExecutor(QUERIES) as pool:
            try:
                list(pool.map(query, range(0, len(names), self._columns_at_once)))
                others = rows.select(self._columns.others).collect()
            except pl.exceptions.PolarsError as error:
                reason = str(error).partition("\n")[0]
                raise ValueError(f"{self._where}, from row {start} on: {reason}") from None
        with located(self._where, start):
            return Slab(self._columns.batch(X, others), start)
