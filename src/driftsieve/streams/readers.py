"""Opening a stream: from a file, an array, a table or an iterator to batches."""

import glob
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from io import IOBase
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from scipy import sparse

from driftsieve.contracts import Source
from driftsieve.streams.blocks import OPENERS
from driftsieve.streams.columnar import ColumnarFiles
from driftsieve.streams.frames import open_dataset, open_lazy_frame, open_reader
from driftsieve.streams.iterables import Items
from driftsieve.streams.stream import Stream
from driftsieve.streams.tables import is_name, is_pandas, open_array, open_table

FORMATS = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv", ".tsv"),
    "ipc": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson"),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "numpy": (".npy",),
}
"""The endings by which the format of a file is known."""

OPTIONS = {"csv": ("separator", "header"), "svmlight": ("n_features", "zero_based")}
"""What else may be said of a format."""


def open_stream(
    source: Any,
    *,
    target: Any = None,
    batch: int = 1000,
    features: Sequence[str] | str | None = None,
    weight: Any = None,
    format: str | None = None,
    **options: Any,
) -> Stream:
    """Open `source` as a stream of batches of `batch` rows; `for X, y in open_stream(...)` works.

    The source is one of

    - a path, a glob pattern, a directory or a list of paths: Parquet (`.parquet`), CSV (`.csv`,
      `.tsv`), Arrow IPC (`.arrow`, `.feather`), JSON lines (`.jsonl`), svmlight (`.svm`,
      `.libsvm`), NumPy (`.npy`); text may be compressed (`.gz`, `.bz2`, `.xz`). `format` says
      which, where the ending does not;
    - an array or sparse matrix, or a tuple `(X, y)` or `(X, y, weight)`;
    - a table: pandas, polars (lazy, too), pyarrow, anything with `__arrow_c_stream__`;
    - an iterator, or a function that returns one, of `(X, y)`, `(X, y, weight)`, batches, tables
      or dict rows. Matrices and tables stay batches of their own size, dict rows are collected;
    - a source of batches (a generated stream), which is returned as it is.

    `target` and `weight` name the columns of the labels and weights (an array of labels may be
    given beside an array or a table), `features` those to read (default: all others). Dict rows
    may come with differing keys if `features="open"`. Without a target the labels are None.

    Options: `separator`, `header` for CSV; `n_features`, `zero_based` for svmlight.
    """
    batch = _positive(batch)
    choice = {"target": target, "features": features, "weight": weight, "batch": batch}
    if _is_path(source) or (isinstance(source, list) and source and all(map(_is_path, source))):
        stream = _open_files(source, format, options, choice)
        chosen = {**choice, "format": format, **options}
        told = [f"{name}={value!r}" for name, value in chosen.items() if value is not None]
        names = list(map(str, source)) if isinstance(source, list) else str(source)
        stream.opened_by = f"open_stream({', '.join([repr(names), *told])})"
        return stream
    if format is not None or options:
        given = "format" if format is not None else next(iter(options))
        raise ValueError(f"{given}= is for files: the source is a {type(source).__name__}")
    if isinstance(source, tuple):
        return _open_tuple(source, choice)
    if isinstance(source, np.ndarray) or sparse.issparse(source):
        return _open_matrix(source, choice)
    return _open_object(source, choice)


def _open_files(
    source: Any, format: str | None, options: dict[str, Any], choice: dict[str, Any]
) -> Stream:
    paths = _expanded(source, format)
    format = _format_of(paths, format)
    known = OPTIONS.get(format, ())
    for name in options:
        if name not in known:
            raise TypeError(
                f"{format} files have no option {name!r} (known: {', '.join(known) or 'none'})"
            )
    if format == "numpy":
        if len(paths) > 1:
            raise ValueError("NumPy files are read one at a time")
        try:
            X = np.load(paths[0], mmap_mode="r")
        except (ValueError, EOFError):
            raise ValueError(f"{paths[0]} cannot be read as a NumPy array of numbers") from None
        if not isinstance(X, np.ndarray):
            X.close()
            raise ValueError(
                f"{paths[0]} holds several arrays: pass them as (X, y), read by numpy.load"
            )
        return _open_matrix(X, choice)
    for part in ("target", "weight"):
        if not isinstance(choice[part], str | None):
            raise ValueError(f"the {part} of a file is the name of a column, not {choice[part]!r}")
    if format in ("parquet", "ipc"):
        scan: Any = pl.scan_parquet if format == "parquet" else pl.scan_ipc
        try:
            return ColumnarFiles(scan(paths, glob=False), paths, **choice)
        except (pl.exceptions.PolarsError, OSError) as error:
            path, reason = next(_unreadable(paths, scan), (paths[0], str(error)))
            reason = reason.partition("\n")[0]
            if format == "ipc" and not _begins_with(path, b"ARROW1"):
                reason = "it is no Arrow file (a saved Arrow stream is read by pyarrow.ipc)"
            raise ValueError(f"{path} cannot be read as {format}: {reason}") from None
    # Imported on use: each of them takes its time, and one is enough.
    module, name = {
        "csv": ("csv_files", "CSVFiles"),
        "jsonl": ("json_lines", "JSONLines"),
        "svmlight": ("svmlight", "SVMLight"),
    }[format]
    reader = getattr(import_module(f"driftsieve.streams.{module}"), name)
    return cast(Stream, reader(paths, **choice, **options))


def _open_matrix(X: Any, choice: dict[str, Any], y: Any = None, weight: Any = None) -> Stream:
    target = choice["target"]
    weight = choice["weight"] if weight is None else weight
    if choice["features"] is not None or isinstance(target, (str, int)) or isinstance(weight, str):
        raise ValueError(
            "the columns of an array have no names: give labels as target=array, or a table"
        )
    if y is not None and target is not None:
        raise ValueError("labels were given twice: in the tuple and as target")
    return open_array(X, target if y is None else y, weight, batch=choice["batch"])


def _open_tuple(source: tuple[Any, ...], choice: dict[str, Any]) -> Stream:
    if len(source) not in (2, 3):
        raise ValueError(f"a tuple must be (X, y) or (X, y, weight), not {len(source)} things")
    X, y, weight = (*source, None)[:3]
    if not _is_table(X):
        return _open_matrix(X, choice, y, weight)
    if y is not None and choice["target"] is not None:
        raise ValueError("labels were given twice: in the tuple and as target")
    parts = {"target": y, "weight": weight}
    return open_table(X, **choice | {k: part for k, part in parts.items() if part is not None})


def _open_object(source: Any, choice: dict[str, Any]) -> Stream:
    if isinstance(source, pl.LazyFrame):
        return open_lazy_frame(source, choice)
    if hasattr(source, "scanner"):
        return open_dataset(source, choice)
    if hasattr(source, "__arrow_c_stream__") and isinstance(source, Iterator):
        return open_reader(source, choice)
    if _is_table(source):
        return open_table(source, **choice)
    if isinstance(source, IOBase):
        raise ValueError("a file that is already open cannot be read: pass its path")
    if isinstance(source, Source):
        if any(choice[part] is not None for part in ("target", "features", "weight")):
            raise ValueError("a source gives finished batches: target, features, weight are set")
        return cast(Stream, source)
    if not callable(source) and not isinstance(source, Iterable):
        raise TypeError(f"a stream cannot be read from a {type(source).__name__}")
    for part in ("target", "weight"):
        if not is_name(choice[part]):
            raise ValueError(f"an iterator gives labels and weights itself: {part} is a name")
    return Items(source, **choice)


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, PathLike))


def _is_table(source: Any) -> bool:
    return is_pandas(source) or hasattr(source, "__arrow_c_stream__")


def _positive(batch: Any) -> int:
    if not isinstance(batch, int | np.integer) or isinstance(batch, bool) or batch < 1:
        raise ValueError(f"batch must be a positive number of rows, not {batch!r}")
    return int(batch)


def _expanded(source: Any, format: str | None) -> list[Path]:
    """Return the files that a path, a pattern, a directory or a list of them stands for."""
    if not str(source):
        raise FileNotFoundError("the name of the file is empty")
    if isinstance(source, list):
        return [path for one in source for path in _expanded(one, format)]
    path = Path(source).expanduser()
    if path.is_dir():
        endings = sum(FORMATS.values(), ()) if format is None else FORMATS.get(format, ())
        inside = sorted(p for p in path.iterdir() if p.is_file() and _ending(p) in endings)
        if not inside:
            raise FileNotFoundError(f"the directory {path} holds no file of a known format")
        return inside
    if path.exists():
        return [path]
    if glob.has_magic(str(path)):
        found = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
        if not found:
            raise FileNotFoundError(f"no file matches {path}")
        return found
    near = get_close_matches(path.name, [p.name for p in _siblings(path)], n=1)
    hint = f": did you mean {path.parent / near[0]}?" if near else ""
    raise FileNotFoundError(f"there is no file {path}{hint}")


def _siblings(path: Path) -> list[Path]:
    return list(path.parent.iterdir()) if path.parent.is_dir() else []


def _ending(path: Path) -> str:
    """Return the ending that tells the format, in front of that of a compression."""
    plain = path.with_suffix("") if path.suffix.lower() in OPENERS else path
    return plain.suffix.lower()


def _format_of(paths: list[Path], format: str | None) -> str:
    if format is not None:
        if format not in FORMATS:
            raise ValueError(f"unknown format {format!r}: known are {', '.join(FORMATS)}")
        return format
    found = {name for path in paths for name, ends in FORMATS.items() if _ending(path) in ends}
    unknown = [path for path in paths if not any(_ending(path) in e for e in FORMATS.values())]
    if unknown:
        endings = ", ".join(end for ends in FORMATS.values() for end in ends)
        raise ValueError(
            f"the format of {unknown[0]} is not known by its ending (known: {endings}): "
            f"say which it is with format= ({', '.join(FORMATS)})"
        )
    if len(found) > 1:
        raise ValueError(f"the files are of different formats: {', '.join(sorted(found))}")
    return found.pop()


def _unreadable(paths: list[Path], scan: Any) -> Iterator[tuple[Path, str]]:
    """Yield the files that cannot be read by themselves: polars does not say which it is."""
    for path in paths:
        try:
            scan(path, glob=False).select(pl.len()).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            yield path, str(error)


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark
