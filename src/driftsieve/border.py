"""The border: whatever users have becomes a validated `Batch` here, or a clear error.

Infinities are looked for later, by the first who has to read every value anyway
(`Batch.refuse_infinities`).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import LARGEST, Batch, Position
from driftsieve.tables import as_matrix, distinct_names


def as_batch(
    X: Any,
    y: Any = None,
    weight: Any = None,
    *,
    names: Iterable[str] | None = None,
    position: Position = None,
    open_names: bool = False,
    order: Sequence[str] | None = None,
) -> Batch:
    """Validate data and return it as a `Batch`, without copying where it already has the form.

    `open_names` lets dict rows differ in their keys: a missing one is a missing value. `order` is
    the order of their columns, if these are the same.
    """
    if isinstance(X, Batch):
        if y is None and weight is None:
            return X
        raise ValueError("a batch brings its own labels and weights: pass it alone")
    matrix, own_names = as_matrix(X, open_names=open_names, order=order)
    if names is not None:
        own_names = distinct_names(names)
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


def as_labels(y: Any, rows: int) -> NDArray[Any]:
    """Return labels as a one-dimensional array that keeps their types apart."""
    if not isinstance(y, np.ndarray):
        if hasattr(y, "__array__"):
            y = np.asarray(y)
        elif not isinstance(y, Iterable) or isinstance(y, (str, bytes)):
            raise ValueError(f"y must hold one label per row, but it is {y!r}")
        else:
            y = list(y)
            labels = np.empty(len(y), dtype=object)
            labels[:] = y
            y = np.asarray(y) if _is_plain(y) else labels
    y = _column(y)
    if len(y) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(y)} labels")
    _refuse_bad_labels(y)
    return _as_times(np.asarray(y))


def _as_times(y: NDArray[Any]) -> NDArray[Any]:
    """Return nanoseconds as microseconds, which Python has objects for, if nothing gets lost."""
    if y.dtype.kind not in "mM" or np.datetime_data(y.dtype)[0] != "ns":
        return y
    coarse = y.astype(f"{y.dtype.kind}8[us]")
    return coarse if np.array_equal(coarse, y) else y


def as_weights(weight: Any, rows: int) -> NDArray[np.float64]:
    """Return one finite, non-negative float64 per row."""
    if np.ma.is_masked(weight):
        row = np.flatnonzero(np.ma.getmaskarray(weight))[0]
        raise ValueError(f"the sample weight of row {row} is masked")
    try:
        if np.asarray(weight).dtype.kind not in "fiubO":
            raise TypeError
        weights = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("the sample weights must be numbers, one per row") from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if len(weights) != rows:
        raise ValueError(f"X has {rows} rows but there are {len(weights)} sample weights")
    bad = np.flatnonzero(~(weights >= 0) | (weights > LARGEST))
    if bad.size:
        raise ValueError(
            f"the sample weight of row {bad[0]} is {weights[bad[0]]}: "
            f"weights must be finite (at most {LARGEST:g}) and not negative"
        )
    return weights


def _is_plain(y: list[Any]) -> bool:
    """Tell whether NumPy keeps these labels apart.

    It would turn [1, "1"] into two equal strings, a list of tuples into a table, whole numbers
    that fit no type of its own into floats, and cut zero characters off the end of a text.
    """
    if len({type(label) for label in y}) != 1:
        return False
    if isinstance(y[0], (str, bytes)):
        return isinstance(y[0], str) and not any(label.endswith("\0") for label in y)
    if isinstance(y[0], int):
        return all(-(2**63) <= label < 2**63 for label in y)
    return isinstance(y[0], (float, np.generic))


def _column(y: NDArray[Any]) -> NDArray[Any]:
    if y.ndim == 1:
        return y
    if y.ndim == 2 and y.shape[1] == 1:
        from sklearn.utils.validation import column_or_1d

        return np.asarray(column_or_1d(y, warn=True))
    raise ValueError(f"y must hold one label per row, but its shape is {y.shape}")


def _refuse_bad_labels(y: NDArray[Any]) -> None:
    if np.ma.is_masked(y):
        raise ValueError(f"the label of row {np.flatnonzero(np.ma.getmaskarray(y))[0]} is masked")
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if bad.size:
            what = "missing (NaN)" if np.isnan(y[bad[0]]) else "an infinity"
            raise ValueError(f"the label of row {bad[0]} is {what}")
    elif y.dtype.kind == "c":
        raise ValueError("Complex data not supported: labels are classes")
    elif y.dtype.kind == "O":
        for row, label in enumerate(y):
            try:
                hash(label)
            except TypeError:
                raise ValueError(
                    f"the label of row {row} is a {type(label).__name__}, which is not hashable: "
                    "use numbers, strings or tuples"
                ) from None
            if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
                raise ValueError(f"the label of row {row} is missing ({label!r})")
            if isinstance(label, float) and np.isinf(label):
                raise ValueError(f"the label of row {row} is an infinity")
    elif y.dtype.kind in "mM" and np.isnat(y).any():
        raise ValueError(f"the label of row {np.flatnonzero(np.isnat(y))[0]} is missing (NaT)")
