"""Arrays, sparse matrices and tables that are in memory (or mapped into it) already."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from driftsieve.batch import Batch, Position
from driftsieve.border import as_batch
from driftsieve.streams.columns import Columns, labels, weights
from driftsieve.streams.stream import Stream, located

Part = Callable[[int, int], Any]
"""Give the rows from one number up to another."""


class InMemory(Stream):
    """Rows that can be sliced. A position is a row number; dense arrays are not copied."""

    def __init__(
        self, X: Part, y: Part | None, weight: Part | None, *, rows: int, batch: int, where: str
    ) -> None:
        self._parts = (X, y, weight)
        self.n_rows = rows
        self._batch = batch
        self._where = where

    def _batches(self, start: Position) -> Iterator[Batch]:
        assert self.n_rows is not None
        for row in range(start or 0, self.n_rows, self._batch):
            stop = min(row + self._batch, self.n_rows)
            batch = self._rows(row, stop)
            self.fraction = stop / self.n_rows
            yield batch

    def whole(self) -> Batch:
        """Return all rows, of which there may be none, as one batch."""
        assert self.n_rows is not None
        return self._rows(0, self.n_rows)

    def _rows(self, start: int, stop: int) -> Batch:
        X, y, weight = (None if part is None else part(start, stop) for part in self._parts)
        with located(self._where, start):
            return as_batch(X, y, weight, names=self.names, position=stop)


def open_array(X: Any, y: Any, weight: Any, *, batch: int) -> InMemory:
    """Read a matrix of any kind, with its labels and weights beside it."""
    if sparse.issparse(X):
        X = sparse.csr_array(X)
    elif not isinstance(X, np.ndarray):
        X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"the array has shape {X.shape}: it must hold rows by features")
    rows = int(X.shape[0])
    for what, values in (("labels", y), ("weights", weight)):
        if values is not None and len(values) != rows:
            raise ValueError(f"the array has {rows} rows but there are {len(values)} {what}")
    stream = InMemory(
        _slices(X), _given(y), _given(weight), rows=rows, batch=batch, where="the array"
    )
    stream.names = getattr(X, "names", None)
    return stream


def open_table(
    table: Any,
    *,
    target: Any,
    features: Sequence[str] | None,
    weight: Any,
    batch: int,
) -> InMemory:
    """Read a data frame; `target` and `weight` are names of columns, or arrays of their own."""
    target, y = (target, None) if is_name(target) else (None, target)
    weight, w = (weight, None) if is_name(weight) else (None, weight)
    if is_pandas(table):
        return _open_pandas(table, target, y, weight, w, features, batch)
    frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
    columns = Columns.choose(
        frame.columns, target=target, features=features, weight=weight, where="the table"
    )
    dtype = columns.float_type(frame.schema, "the table")
    X = frame.select(columns.features)
    floats = pl.Float32 if dtype is np.float32 else pl.Float64
    stream = InMemory(
        lambda a, b: X[a:b].cast(floats).to_numpy(order="c"),
        _given(y) if target is None else lambda a, b: labels(frame[target][a:b]),
        _given(w) if weight is None else lambda a, b: weights(frame[weight][a:b]),
        rows=frame.height,
        batch=batch,
        where="the table",
    )
    stream.names = columns.features
    return stream


def _open_pandas(
    frame: Any, target: Any, y: Any, weight: Any, w: Any, features: Any, batch: int
) -> InMemory:
    columns = Columns.choose(
        frame.columns, target=target, features=features, weight=weight, where="the data frame"
    )
    X = frame[list(columns.features)]
    stream = InMemory(
        lambda a, b: X.iloc[a:b],
        _given(y) if target is None else lambda a, b: frame[target].iloc[a:b],
        _given(w) if weight is None else lambda a, b: frame[weight].iloc[a:b],
        rows=len(frame),
        batch=batch,
        where="the data frame",
    )
    if all(isinstance(name, str) for name in columns.features):
        stream.names = columns.features
    return stream


def is_pandas(table: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(table, pandas.DataFrame)


def is_name(target: Any) -> bool:
    """Tell the name of a column from an array of labels."""
    return target is None or isinstance(target, (str, int, np.integer))


def _given(values: Any) -> Part | None:
    return None if values is None else _slices(values)


def _slices(values: Any) -> Part:
    rows = values.iloc if hasattr(values, "iloc") else values
    return lambda start, stop: rows[start:stop]
