"""The border: whatever users have becomes a validated `Batch` here, or a clear error.

Matrices (NumPy, SciPy sparse), tables (pandas, polars, anything with `__arrow_c_stream__`) and
rows (lists, dicts) are accepted. Infinities are looked for later, by the first who has to read
every value anyway (`Batch.refuse_infinities`).
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch, Matrix, NamedArray, NamedCSR, Position, column_text

ADVICE = "encode it as numbers (for example one column per category) or leave the column out"


def as_batch(
    X: Any,
    y: Any = None,
    weight: Any = None,
    *,
    names: Iterable[str] | None = None,
    position: Position = None,
    open_names: bool = False,
) -> Batch:
    """Validate data and return it as a `Batch`, without copying where it already has the form.

    `open_names` lets dict rows differ in their keys: a missing one is a missing value.
    """
    if isinstance(X, Batch):
        if y is None and weight is None:
            return X
        raise ValueError("a batch brings its own labels and weights: pass it alone")
    matrix, own_names = as_matrix(X, open_names=open_names)
    if names is not None:
        own_names = tuple(names)
        if len(own_names) != matrix.shape[1]:
            raise ValueError(f"{len(own_names)} names were given for {matrix.shape[1]} columns")
    rows = int(matrix.shape[0])
    return Batch(
        X=matrix,
        y=None if y is None else as_labels(y, rows),
        weight=None if weight is None else as_weights(weight, rows),
        names=own_names,
        position=position,
    )


def as_matrix(X: Any, *, open_names: bool = False) -> tuple[Matrix, tuple[str, ...] | None]:
    """Return `X` as a float matrix and the names of its columns, if they have any."""
    if isinstance(X, (NamedArray, NamedCSR)):
        names = X.names
        return (X.view(np.ndarray) if isinstance(X, NamedArray) else _csr(X)), names
    if sparse.issparse(X):
        return _csr(X), None
    if isinstance(X, np.ndarray):
        return _dense(X), None
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _from_pandas(X, pandas)
    if hasattr(X, "__arrow_c_stream__"):
        return _from_arrow(X)
    if isinstance(X, Mapping):
        return _from_mapping(X, open_names)
    if isinstance(X, str):
        raise ValueError("X is a string: to read a file, pass its path to driftsieve.open_stream")
    if not hasattr(X, "__array__") and isinstance(X, Iterable):
        X = list(X)
        if X and all(isinstance(row, Mapping) for row in X):
            return _from_rows(X, open_names)
    return _dense(np.asarray(X)), None


def as_labels(y: Any, rows: int) -> NDArray[Any]:
    """Return labels as a one-dimensional array that keeps their types apart."""
    if not isinstance(y, np.ndarray):
        if hasattr(y, "to_numpy"):
            y = y.to_numpy()
        elif hasattr(y, "__array__"):
            y = np.asarray(y)
        else:
            y = list(y)
            # NumPy would turn [1, "1"] into two equal strings and a list of tuples into a table.
            plain = len({type(label) for label in y}) == 1 and isinstance(
                y[0], (bool, int, float, str, np.generic)
            )
            labels = np.empty(len(y), dtype=object)
            labels[:] = y
            y = np.asarray(y) if plain else labels
    y = _column(y)
    if len(y) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(y)} labels")
    _refuse_bad_labels(y)
    return np.asarray(y)


def as_weights(weight: Any, rows: int) -> NDArray[np.float64]:
    """Return one finite, non-negative float64 per row."""
    try:
        weights = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("the sample weights must be numbers, one per row") from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if len(weights) != rows:
        raise ValueError(f"X has {rows} rows but there are {len(weights)} sample weights")
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        raise ValueError(
            f"the sample weight of row {bad[0]} is {weights[bad[0]]}: "
            "weights must be finite and not negative"
        )
    return weights


def _column(y: NDArray[Any]) -> NDArray[Any]:
    if y.ndim == 1:
        return y
    if y.ndim == 2 and y.shape[1] == 1:
        from sklearn.utils.validation import column_or_1d

        return np.asarray(column_or_1d(y, warn=True))
    raise ValueError(f"y must hold one label per row, but its shape is {y.shape}")


def _refuse_bad_labels(y: NDArray[Any]) -> None:
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if bad.size:
            what = "missing (NaN)" if np.isnan(y[bad[0]]) else "an infinity"
            raise ValueError(f"the label of row {bad[0]} is {what}")
    elif y.dtype.kind == "c":
        raise ValueError("Complex data not supported: labels are classes")
    elif y.dtype.kind == "O":
        for row, label in enumerate(y):
            if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
                raise ValueError(f"the label of row {row} is missing ({label!r})")
            try:
                hash(label)
            except TypeError:
                raise ValueError(
                    f"the label of row {row} is a {type(label).__name__}, which is not hashable: "
                    "use numbers, strings or tuples"
                ) from None
    elif y.dtype.kind in "mM" and np.isnat(y).any():
        raise ValueError(f"the label of row {np.flatnonzero(np.isnat(y))[0]} is missing (NaT)")


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
                out[i, j] = value
            except (TypeError, ValueError):
                raise TypeError(
                    f"{column_text(names, j)} holds a {type(value).__name__} in row {i}: "
                    "argument must be a string or a real number"
                ) from None
    return out


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
    if types and all(isinstance(dtype, pandas.SparseDtype) for dtype in types):
        return _csr(frame.sparse.to_coo()), names
    narrow = all(_float_type(np.dtype(_numpy_type(dtype))) is np.float32 for dtype in types)
    dtype = np.float32 if narrow and types else np.float64
    return np.asarray(frame.to_numpy(dtype=dtype, na_value=np.nan)), names


def _numpy_type(dtype: Any) -> Any:
    """The NumPy type behind a pandas extension type (nullable and Arrow-backed columns)."""
    return getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))


def _names(columns: Iterable[Any]) -> tuple[str, ...] | None:
    """Column labels count as names when all of them are strings, as in scikit-learn."""
    labels = tuple(columns)
    if not labels or not all(isinstance(label, str) for label in labels):
        return None
    return _distinct(labels)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are named {twice!r}: names must be distinct")
    return names


def _from_arrow(table: Any) -> tuple[Matrix, tuple[str, ...] | None]:
    import polars as pl

    frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
            _refuse_column(name, dtype)
    small = (pl.Float32, pl.Boolean, pl.Int8, pl.UInt8, pl.Int16, pl.UInt16)
    narrow = frame.width > 0 and all(dtype in small for dtype in frame.dtypes)
    floats = frame.cast(pl.Float32 if narrow else pl.Float64)
    return floats.to_numpy(order="c"), tuple(frame.columns) or None


def _from_mapping(X: Mapping[Any, Any], open_names: bool) -> tuple[Matrix, tuple[str, ...] | None]:
    """One row (name to number), or a table by columns (name to values)."""
    if all(np.ndim(value) == 0 for value in X.values()):
        return _from_rows([X], open_names)
    columns = [np.asarray(values) for values in X.values()]
    for name, column in zip(X, columns, strict=True):
        if column.ndim != 1 or len(column) != len(columns[0]):
            raise ValueError(f"column {name!r} has shape {column.shape}, unlike the first column")
        if column.dtype.kind not in "fiub":
            _refuse_column(name, column.dtype)
    return _dense(np.column_stack(columns)), _names(X)


def _from_rows(
    rows: list[Mapping[Any, Any]], open_names: bool
) -> tuple[Matrix, tuple[str, ...] | None]:
    index: dict[Any, int] = {}
    for i, row in enumerate(rows):
        if not open_names and i and row.keys() != index.keys():
            odd = next(iter(row.keys() ^ index.keys()))
            has = "has no" if odd in index else "has a new"
            raise ValueError(
                f"row {i} {has} feature {odd!r}: give every row the same keys, "
                'or let them come and go with features="open"'
            )
        for name in row:
            index.setdefault(name, len(index))
    names = tuple(index)
    if not all(isinstance(name, str) for name in names):
        odd = next(name for name in names if not isinstance(name, str))
        raise ValueError(f"the feature name {odd!r} is a {type(odd).__name__}: names are strings")
    out = np.full((len(rows), len(names)), np.nan)
    for i, row in enumerate(rows):
        for name, value in row.items():
            if isinstance(value, (str, bytes)) or (not np.isscalar(value) and value is not None):
                raise ValueError(f"column {name!r} holds {value!r} in row {i}: {ADVICE}")
            if value is not None:
                out[i, index[name]] = value
    return out, names or None
