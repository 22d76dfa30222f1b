"""Rows that are kept: copied, counted in bytes, written to a state and read from one."""

from typing import Any

import numpy as np
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.border import as_weights
from driftsieve.state import decode_label, encode_label
from driftsieve.state_values import require_array, require_within
from driftsieve.tables import as_matrix


def copied(batch: Batch) -> Batch:
    """Copy what a summary may read, so that no reference to the caller's data is kept."""
    X: Any = batch.X
    return Batch(
        X=X.copy(),
        y=None if batch.y is None else batch.y.copy(),
        weight=None if batch.weight is None else batch.weight.copy(),
    )


def bytes_of(batch: Batch) -> int:
    """Return the bytes that the rows of a batch take, with their labels and weights."""
    X: Any = batch.X
    matrix = [X.data, X.indices, X.indptr] if batch.is_sparse else [X]
    others = [array for array in (batch.y, batch.weight) if array is not None]
    return sum(int(array.nbytes) for array in matrix + others)


def rows_to_state(batch: Batch) -> dict[str, Any]:
    """Return rows as JSON values and arrays."""
    X: Any = batch.X
    state: dict[str, Any] = {"shape": list(X.shape), "weight": batch.weight}
    if batch.is_sparse:
        state |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    else:
        state |= {"X": np.ascontiguousarray(X)}
    if batch.y is not None:
        labels = list(dict.fromkeys(batch.y.tolist()))
        codes = {label: code for code, label in enumerate(labels)}
        state["labels"] = [encode_label(label) for label in labels]
        state["y"] = np.array([codes[label] for label in batch.y.tolist()], dtype=np.int64)
    return state


def rows_from_state(state: dict[str, Any], n_features: int) -> Batch:
    """Return the rows that `rows_to_state` was called on, or raise if they cannot be rows."""
    rows = state["shape"][0]
    if "data" in state:
        parts = state["data"], state["indices"], state["indptr"]
        X, _ = as_matrix(sparse.csr_array(parts, shape=(rows, n_features)))  # looks at them
    else:
        X = state["X"]
        require_array(X, "rows", (rows, n_features), np.float32, np.float64)
    y = None
    if "y" in state:
        labels = np.empty(len(state["labels"]), dtype=object)
        labels[:] = [decode_label(label) for label in state["labels"]]
        require_array(state["y"], "labels", (rows,), np.int64)
        require_within(state["y"], len(labels), "labels")
        y = labels[state["y"]]
    weight = None if state["weight"] is None else as_weights(state["weight"], rows)
    return Batch(X=X, y=y, weight=weight)
