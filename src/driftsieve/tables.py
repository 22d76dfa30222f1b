"""What users have, as a float matrix and the names of its columns, or a clear error.

Matrices (NumPy, SciPy sparse), tables (pandas, polars, anything with `__arrow_c_stream__`) and
rows (lists, dicts).
"""

import sys
from collections.abc import Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import LARGEST, Batch, Matrix, NamedArray, NamedCSR, column_text
from driftsieve.contracts import Source

ADVICE = "encode it as numbers (for example one column per category) or leave the column out"


def as_matrix(
    X: Any, *, open_names: bool = False, order: Sequence[str] | None = None
) -> tuple[Matrix, tuple[str, ...] | None]:
    """Return `X` as a float matrix and the names of its columns, if they have any.

    Dict rows have no order of their own: `order` gives them one, if it names the same columns.
    """
    if isinstance(X, (NamedArray, NamedCSR)):
        names = X.names
        return (X.view(np.ndarray) if isinstance(X, NamedArray) else _csr(X)), names
    if sparse.issparse(X):
        return _csr(X), None
    if len(getattr(X, "shape", (0, 0))) == 1:  # a series is no table, whatever else it offers
        _two_dimensional(X.shape)
    if isinstance(X, np.ndarray):
        return _dense(X), None
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _from_pandas(X, pandas)
    if hasattr(X, "__arrow_c_stream__"):
        return _from_arrow(X)
    if isinstance(X, Mapping):
        return _from_mapping(X, open_names, order)
    if hasattr(X, "collect_schema"):
        raise ValueError("X is a lazy frame: collect it, or pass it to driftsieve.open_stream")
    if isinstance(X, Source):
        raise ValueError("X is a stream of batches: pass them one after the other")
    if isinstance(X, str):
        raise ValueError("X is a string: to read a file, pass its path to driftsieve.open_stream")
    if not hasattr(X, "__array__") and isinstance(X, Iterable):
        X = list(X)
        if X and all(isinstance(row, Mapping) for row in X):
            return _from_rows(X, open_names, order)
        return _from_lists(X), None
    return _dense(np.asarray(X)), None


def _from_lists(rows: list[Any]) -> NDArray[Any]:
    """Rows without names. NumPy would take a whole table for text if there is text in one cell."""
    if rows and (isinstance(rows[0], Batch) or len(getattr(rows[0], "shape", ())) == 2):
        raise ValueError(
            "X is several tables: pass them one after the other, or to driftsieve.open_stream"
        )
    try:
        X = np.asarray(rows)
    except ValueError:  # it makes nothing of rows that differ
        X = np.empty(0, dtype=object)
        kinds = [_kind_of_row(row) for row in rows]
        odd = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
        if odd is not None:
            raise ValueError(
                f"row {odd} {kinds[odd]}, but row 0 {kinds[0]}: give every row the same columns"
            ) from None
    if X.dtype.kind in "SUO" and all(isinstance(row, (list, tuple)) for row in rows):
        cells = np.empty((len(rows), len(rows[0])), dtype=object)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                cells[i, j] = value
        return _numbers_in_objects(cells)
    return _dense(X)


def _kind_of_row(row: Any) -> str:
    is_list = isinstance(row, Sized) and not isinstance(row, (str, bytes, Mapping))
    return f"has {len(row)} values" if is_list else f"is a {type(row).__name__}"


def _two_dimensional(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(shape)}D array instead: X is rows by features. Reshape "
            "your data with X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one row."
        )


def _csr(X: Any) -> sparse.csr_array:
    """Return a sparse matrix of any format as CSR floats, with duplicate entries added up."""
    _two_dimensional(X.shape)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X is a sparse matrix of {X.dtype}: it must hold real numbers")
    if hasattr(X, "check_format"):  # a place outside of the matrix would be written to
        try:
            type(X)(X).check_format(full_check=True)  # which may tidy up, but not the caller's
        except ValueError as error:
            raise ValueError(f"X is a broken sparse matrix: {error}") from None
    csr = sparse.csr_array(X)
    if not csr.has_canonical_format:
        csr = csr.copy()  # the caller's matrix stays as it is
        csr.sum_duplicates()
    return csr.astype(_float_type(csr.dtype), copy=False)


def _float_type(dtype: np.dtype[Any]) -> type[np.floating[Any]]:
    """The float type that holds a type's values exactly, as far as one does."""
    if dtype == np.float32 or dtype.kind == "b" or (dtype.kind in "fiu" and dtype.itemsize <= 2):
        return np.float32
    return np.float64


def _dense(X: NDArray[Any]) -> NDArray[Any]:
    _two_dimensional(X.shape)
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(_float_type(X.dtype)), np.nan)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers")
    if X.dtype.kind == "O":
        return _numbers_in_objects(X)
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"column 0 holds {X.dtype} values (such as {X[:1, :1].tolist()}): {ADVICE}"
        )
    return np.asarray(X, dtype=_float_type(X.dtype))


def _numbers_in_objects(X: NDArray[Any], names: tuple[str, ...] | None = None) -> NDArray[Any]:
    """Accept a matrix of Python objects only if every one of them is a number."""
    out = np.empty(X.shape, dtype=np.float64)
    for j in range(X.shape[1]):
        for i, value in enumerate(X[:, j]):
            if isinstance(value, (str, bytes)):
                raise ValueError(
                    f"{column_text(names, j)} holds text ({value!r} in row {i}): {ADVICE}"
                )
            try:
                if isinstance(value, ODD):  # NumPy would find a number in it
                    raise TypeError
                out[i, j] = np.nan if _is_missing(value) else _in_range(value)
            except (TypeError, ValueError):
                raise TypeError(
                    f"{column_text(names, j)} holds a {type(value).__name__} in row {i}: "
                    "argument must be a string or a real number"
                ) from None
    return out


ODD = (str, bytes, complex, np.complexfloating, np.datetime64, np.timedelta64)
"""Scalars that are no real numbers, whatever NumPy says."""


def _is_number(value: Any) -> bool:
    if isinstance(value, (float, int)):  # nearly all are
        return True
    return np.isscalar(value) and not isinstance(value, ODD)


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType"  # pandas.NA


def _in_range(value: Any) -> Any:
    """Return a whole number too large for any float as an infinity, which will be refused."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return np.inf if value > 0 else -np.inf
    return value


def _refuse_column(name: str, kind: Any) -> None:
    raise ValueError(f"column {name!r} holds {kind} values: {ADVICE}")


def _from_pandas(frame: Any, pandas: Any) -> tuple[Matrix, tuple[str, ...] | None]:
    types = list(frame.dtypes)
    for name, dtype in zip(frame.columns, types, strict=True):
        if not (pandas.api.types.is_numeric_dtype(dtype) or pandas.api.types.is_bool_dtype(dtype)):
            _refuse_column(name, dtype)
        if getattr(dtype, "kind", "f") == "c":
            raise ValueError(f"Complex data not supported: column {name!r} holds {dtype}")
    names = _names(frame.columns)
    if types and all(_is_sparse(dtype, pandas) for dtype in types):
        return _csr(frame.sparse.to_coo()), names
    narrow = all(_float_type(np.dtype(_numpy_type(dtype))) is np.float32 for dtype in types)
    dtype = np.float32 if narrow and types else np.float64
    return np.asarray(frame.to_numpy(dtype=dtype, na_value=np.nan)), names


def _is_sparse(dtype: Any, pandas: Any) -> bool:
    """Tell whether what a column leaves out is zero: sparse columns of pandas leave out NaN too."""
    return isinstance(dtype, pandas.SparseDtype) and dtype.fill_value == 0


def _numpy_type(dtype: Any) -> Any:
    """The NumPy type behind a pandas extension type (nullable and Arrow-backed columns)."""
    return getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))


def _names(columns: Iterable[Any]) -> tuple[str, ...] | None:
    """Column labels count as names when all of them are strings, as in scikit-learn."""
    labels = tuple(columns)
    if not labels or not all(isinstance(label, str) for label in labels):
        return None
    return distinct_names(labels)


def distinct_names(names: Iterable[Any]) -> tuple[str, ...]:
    """Return names of columns, which must be strings, each for one column only."""
    names = tuple(names)
    if not all(issubclass(kind, str) for kind in set(map(type, names))):
        odd = next(name for name in names if not isinstance(name, str))
        raise ValueError(f"the feature name {odd!r} is a {type(odd).__name__}: names are strings")
    if not all(type(name) is str for name in names):  # but of NumPy's, which look odd in print
        names = tuple(map(str, names))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are named {twice!r}: names must be distinct")
    return names


def _from_arrow(table: Any) -> tuple[Matrix, tuple[str, ...] | None]:
    import polars as pl

    try:
        frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
    except pl.exceptions.PolarsError as error:
        what = type(table).__name__
        raise ValueError(f"X is a {what}, which is no table of numbers: {error}") from None
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
            _refuse_column(name, dtype)
    small = (pl.Float32, pl.Boolean, pl.Int8, pl.UInt8, pl.Int16, pl.UInt16)
    narrow = frame.width > 0 and all(dtype in small for dtype in frame.dtypes)
    floats = frame.cast(pl.Float32 if narrow else pl.Float64)
    return floats.to_numpy(order="c"), tuple(frame.columns) or None


def _from_mapping(
    X: Mapping[Any, Any], open_names: bool, order: Sequence[str] | None
) -> tuple[Matrix, tuple[str, ...] | None]:
    """One row (name to number), or a table by columns (name to values)."""
    if all(np.ndim(value) == 0 for value in X.values()):
        return _from_rows([X], open_names, order)
    columns = [np.asarray(values) for values in X.values()]
    for j, (name, column) in enumerate(zip(X, columns, strict=True)):
        if column.ndim != 1 or len(column) != len(columns[0]):
            raise ValueError(f"column {name!r} has shape {column.shape}, unlike the first column")
        if column.dtype.kind in "OU":
            cells = np.empty((len(column), 1), dtype=object)
            cells[:, 0] = list(X[name])  # as they were given: NumPy turns [1, "x"] into text
            columns[j] = _numbers_in_objects(cells, (name,))[:, 0]
        elif column.dtype.kind not in "fiub":
            _refuse_column(name, column.dtype)
    return _dense(np.column_stack(columns)), _names(X)


def _from_rows(
    rows: list[Mapping[Any, Any]], open_names: bool, order: Sequence[str] | None
) -> tuple[Matrix, tuple[str, ...] | None]:
    index: dict[Any, int] = {}
    for i, row in enumerate(rows):
        if row.keys() == index.keys():
            continue
        if not open_names and i:
            odd = next(name for name in (*row, *index) if (name in row) != (name in index))
            has = "has no" if odd in index else "has a new"
            raise ValueError(
                f"row {i} {has} feature {odd!r}: give every row the same keys, "
                'or let them come and go with features="open"'
            )
        for name in row:
            index.setdefault(name, len(index))
    if order is not None and index.keys() == set(order):
        index = {name: j for j, name in enumerate(order)}
    names = distinct_names(index)
    if not open_names and names:
        # NumPy turns a table of numbers into numbers; what it makes nothing of is looked at below.
        with suppress(ValueError):
            table = np.array([[row[name] for name in names] for row in rows])
            if table.ndim == 2 and table.dtype.kind in "fiub":
                return _dense(table), names
    out = np.full((len(rows), len(names)), np.nan)
    for i, row in enumerate(rows):
        for name, value in row.items():
            if _is_missing(value):
                continue
            if not _is_number(value):
                raise ValueError(f"column {name!r} holds {value!r} in row {i}: {ADVICE}")
            out[i, index[name]] = _in_range(value)
    return out, names or None
