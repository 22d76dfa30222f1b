"""From any stream to a file: Parquet, CSV, JSON lines, Arrow IPC or svmlight, by its extension.

Batches are written as they come: memory does not grow with the stream. A file appears whole or not
at all. Missing values are empty fields (nulls); in svmlight text they are `nan`.
"""

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from queue import Full, Queue
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source
from scipy import sparse

from driftsieve.batch import Batch, concatenate, dense
from driftsieve.contracts import Source
from driftsieve.streams.checks import whole
from driftsieve.streams.cursor import is_endless
from driftsieve.streams.knowledge import Knowledge

ROW_GROUP_VALUES = 2**22
"""How many values a row group of a Parquet file holds: what a reader has in memory at once."""


def write_stream(
    source: Source,
    path: str | os.PathLike[str],
    *,
    target: str = "y",
    weight: str = "weight",
    categorical: Sequence[int] | None = None,
) -> int:
    """Write a finite stream to a file and return the number of its rows.

    Labels go to the column `target`, weights, if the stream has any, to the column `weight`, both
    behind the features. Features without names are called x0, x1 and so on. A Parquet file also
    holds which features are truly relevant, and which hold codes of categories (by default what
    `source.categorical` says), if the stream knows (see `read_truth` and `read_categorical` in
    `driftsieve.streams.knowledge`).
    """
    path = Path(path)
    save = _format(path)
    if is_endless(source):
        raise ValueError("an endless stream cannot be written: give it a number of rows")
    batches = iter(source)
    first = next(batches, None)
    if first is None:
        raise ValueError(f"the stream has no rows, so {path} is not written")
    flow = _Flow(first, chain([first], batches), target, weight)
    nominal = getattr(source, "categorical", ()) if categorical is None else categorical
    names = [flow.features[whole("a nominal column", j, 0, first.n_features - 1)] for j in nominal]
    flow.known = Knowledge(source, first, names)
    with _in_place_of(path) as unfinished:
        save(flow, unfinished)
    return flow.rows


class _Flow:
    """Batches on their way into a file: counted, noted and given the form of its first one."""

    known: Knowledge

    def __init__(self, first: Batch, batches: Iterator[Batch], target: str, weight: str) -> None:
        self._first = first
        self._batches = batches
        self.rows = 0
        self.features = list(first.names or (f"x{j}" for j in range(first.n_features)))
        self.columns = list(self.features)
        self.group_rows = max(1, ROW_GROUP_VALUES // max(1, first.n_features))
        self._target, self._weight = target, weight
        for column, given in ((target, first.y), (weight, first.weight)):
            if given is not None:
                if column in self.columns:
                    raise ValueError(
                        f"the stream already has a column {column!r}: choose another name"
                    )
                self.columns.append(column)

    def batches(self) -> Iterator[Batch]:
        first = self._first
        for batch in self._batches:
            if batch.n_features != first.n_features or batch.names != first.names:
                raise ValueError(f"the columns of the stream change at row {self.rows}")
            for name in ("y", "weight"):
                if (getattr(batch, name) is None) != (getattr(first, name) is None):
                    what = "labels" if name == "y" else "weights"
                    raise ValueError(f"only some rows have {what} (see row {self.rows})")
            self.known.note(batch)
            self.rows += batch.n_rows
            yield batch

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield frames of about a row group each: polars is slow with many small ones."""
        schema: pl.Schema | None = None
        held: list[Batch] = []
        for batch in chain(self.batches(), [None]):
            held += [] if batch is None else [batch]
            if held and (batch is None or sum(map(len, held)) >= self.group_rows):
                frame = self._frame(concatenate(held))
                held.clear()
                schema = schema or frame.schema
                yield frame if frame.schema == schema else _as_first(frame, schema)

    def _frame(self, batch: Batch) -> pl.DataFrame:
        X = np.asarray(dense(batch.X))
        frame = pl.from_numpy(X, schema=self.features, orient="row")
        if np.isnan(X).any():
            frame = frame.fill_nan(None)
        if batch.y is not None:
            frame = frame.with_columns(_labels(self._target, batch.y))
        if batch.weight is not None:
            frame = frame.with_columns(pl.Series(self._weight, batch.weight))
        return frame


def _labels(name: str, y: Any) -> pl.Series:
    try:
        series = pl.Series(name, y.tolist(), strict=True)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"the labels do not fit into one column of a file: {error}") from None
    if series.dtype.is_nested() or series.dtype == pl.Object:
        raise ValueError(f"labels such as {y[0]!r} cannot be written: use numbers or strings")
    return series


def _as_first(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    try:
        return frame.cast(schema, strict=True)
    except pl.exceptions.PolarsError as error:
        raise ValueError(
            f"a later part of the stream does not fit its first batch: {error}"
        ) from None


def _save_parquet(flow: _Flow, path: Path) -> None:
    def metadata(_: Any) -> dict[str, str]:  # asked for when all rows have gone by
        return flow.known.metadata()

    rows = flow.group_rows
    _sink(flow, lambda frame: frame.sink_parquet(path, row_group_size=rows, metadata=metadata))


def _save_csv(flow: _Flow, path: Path) -> None:
    _sink(flow, lambda frame: frame.sink_csv(path))


def _save_lines(flow: _Flow, path: Path) -> None:
    _sink(flow, lambda frame: frame.sink_ndjson(path))


def _save_ipc(flow: _Flow, path: Path) -> None:
    _sink(flow, lambda frame: frame.sink_ipc(path))


def _sink(flow: _Flow, save: Callable[[pl.LazyFrame], Any]) -> None:
    """Let polars write the frames as they come.

    Polars draws them from a queue in a thread of its own, so that the source runs here, where it
    may fail or be interrupted, and does not go on in the background after that.
    """
    frames = flow.frames()
    first = next(frames)
    queue: Queue[pl.DataFrame | None] = Queue(maxsize=1)

    def draw(*_: Any) -> Iterator[pl.DataFrame]:
        while (frame := queue.get()) is not None:
            yield frame

    def give(frame: pl.DataFrame | None) -> None:
        while not saving.done():  # if it failed, nobody empties the queue any more
            with suppress(Full):
                return queue.put(frame, timeout=0.05)
        return None

    with ThreadPoolExecutor(1) as thread:
        saving = thread.submit(save, register_io_source(draw, schema=first.schema))
        try:
            for frame in chain([first], frames):
                give(frame)
        finally:
            give(None)
    try:
        saving.result()
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error)) from None


def _save_svmlight(flow: _Flow, path: Path) -> None:
    """Write `label column:value ...`, zeros left out, columns counted from 1 as is the custom."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        for batch in flow.batches():
            file.writelines(_svmlight_lines(batch))


def _svmlight_lines(batch: Batch) -> Iterator[str]:
    if batch.y is None or batch.y.dtype.kind not in "iufb":
        raise ValueError("svmlight files need labels that are numbers: write another format")
    if batch.weight is not None:
        raise ValueError("svmlight files have no place for weights: write another format")
    labels = (batch.y + 0).tolist()  # True and False become 1 and 0
    X: Any = sparse.csr_array(batch.X)
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    columns, values = (X.indices + 1).tolist(), X.data.tolist()
    for label, low, high in zip(labels, X.indptr[:-1], X.indptr[1:], strict=True):
        pairs = zip(columns[low:high], values[low:high], strict=True)
        yield " ".join([str(label), *(f"{column}:{value}" for column, value in pairs)]) + "\n"


FORMATS: dict[str, Callable[[_Flow, Path], None]] = {
    ".parquet": _save_parquet,
    ".csv": _save_csv,
    ".jsonl": _save_lines,
    ".ndjson": _save_lines,
    ".arrow": _save_ipc,
    ".ipc": _save_ipc,
    ".feather": _save_ipc,
    ".svmlight": _save_svmlight,
    ".svm": _save_svmlight,
    ".libsvm": _save_svmlight,
}


def has_names(path: str | os.PathLike[str]) -> bool:
    """Tell whether files of this ending name their columns."""
    return FORMATS.get(Path(path).suffix.lower()) is not _save_svmlight


def _format(path: Path) -> Callable[[_Flow, Path], None]:
    save = FORMATS.get(path.suffix.lower())
    if save is None:
        raise ValueError(f"{path.name} must end in one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is not a folder to write into")
    if path.is_dir():
        raise ValueError(f"{path} is a folder")
    return save


@contextmanager
def _in_place_of(path: Path) -> Iterator[Path]:
    """Give a file to write that takes the place of `path` in one step when all went well."""
    path = Path(os.path.realpath(path))
    unfinished = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:  # say it of the file that the caller knows
        if error.filename is not None:
            raise
        raise OSError(f"{path} could not be written: {error.strerror or error}") from error
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
