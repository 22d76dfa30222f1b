"""What quantile summaries are made of, as sentences that can be checked.

A state file may hold anything, and kernels believe what they are given: so what was read is checked
before it is used. The tests check every summary so, step by step.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.summaries.entries import Entries

FLOATS = np.float32, np.float64
COUNTS = np.uint16, np.uint32, np.float64
MOST_ROWS = 1 << 40
"""Rows to a block: no machine has more."""


def require_sound_entries(entries: Entries, n_features: int, n_classes: int) -> None:
    """Raise ValueError unless these are sorted entries of so many features, by so many classes."""
    values, weights, offsets = entries.values, entries.weights, entries.offsets
    n = len(values)
    _require_array(offsets, "offsets", (n_features + 1,), np.int64)
    _require_array(values, "values", (n,), *FLOATS)
    _require_array(weights, "weights", (n_classes, n), *COUNTS)
    _require_array(entries.uncertainty, "uncertainties", (n,), weights.dtype.type)
    _require_array(entries.mass, "masses", (n_features,), np.float64)
    _require_array(entries.joined, "flags", (n_features,), np.bool_)
    lengths = np.diff(offsets)
    ascend = offsets[0] == 0 and offsets[-1] == n and (lengths >= 0).all()
    _require(bool(ascend), "offsets that ascend")
    for amounts in (weights, entries.uncertainty, entries.mass):
        _require(bool(np.isfinite(amounts).all() and (amounts >= 0).all()), "amounts of weight")
    _require(not np.isinf(values).any(), "finite values")
    first, last = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    first[offsets[:-1][lengths > 0]] = True
    last[offsets[1:][lengths > 0] - 1] = True
    missing = np.isnan(values)
    _require(not missing[~last].any(), "missing values last")
    ascends = np.ones(n, np.bool_)
    ascends[1:] = values[1:] > values[:-1]
    _require(bool((ascends | first | missing).all()), "values that ascend")
    _require(not entries.uncertainty[missing].any(), "missing values without a rank")


def require_sound_rows(
    rows: dict[str, Any] | None, size: Any, n_features: int, n_classes: int
) -> None:
    """Raise ValueError unless these are rows that can wait for a block of that size."""
    _require(isinstance(size, int) and 0 < size <= MOST_ROWS, "blocks of some rows")
    if rows is not None:
        n = len(rows["codes"])
        _require_array(rows["X"], "rows", (n, n_features), *FLOATS)
        _require_labelled(rows, n, n_classes)


def require_sound_cells(cells: dict[str, Any] | None, n_features: int, n_classes: int) -> None:
    """Raise ValueError unless these are entries of sparse rows that can wait."""
    if cells is not None:
        n = len(cells["codes"])
        _require_array(cells["data"], "entries", (n,), *FLOATS)
        _require_array(cells["indices"], "columns", (n,), np.int32, np.int64)
        _require_within(cells["indices"], n_features, "columns")
        _require_labelled(cells, n, n_classes)


def require_sound_totals(
    rows: Any, fixed: Any, scale: Any, sparse: Any, n_features: int, n: int
) -> None:
    """Raise ValueError unless these are the weights of n classes, and flags of the features."""
    _require_array(rows, "class weights", (n,), np.float64)
    _require(bool(np.isfinite(rows).all()), "class weights")
    _require_array(fixed, "categories", (n_features,), np.bool_)
    _require(isinstance(scale, float) and 0 < scale <= 1, "a scale")
    _require(isinstance(sparse, bool), "to know whether rows were sparse")


def _require_labelled(rows: dict[str, Any], n: int, n_classes: int) -> None:
    _require_array(rows["codes"], "classes", (n,), np.int32)
    _require_within(rows["codes"], n_classes, "classes")
    if rows["weights"] is not None:
        _require_array(rows["weights"], "weights", (n,), np.float64)


def _require_array(array: Any, what: str, shape: tuple[int, ...], *kinds: type) -> None:
    fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype in kinds
    _require(fits and array.flags.c_contiguous and array.dtype.isnative, what)


def _require_within(codes: NDArray[Any], stop: int, what: str) -> None:
    _require(bool(((codes >= 0) & (codes < stop)).all()), what)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"a quantile summary needs {what}")
