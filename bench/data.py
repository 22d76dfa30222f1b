"""Real data sets for benchmarks: `.npz` files in a folder that is no part of the project.

A dense file holds `X` and `y`; a sparse one holds CSR as `data`, `indices`, `indptr`, `shape`, and
`y`. Whatever else a file holds (`split`: 0 for training rows, 1 for test rows; `time` ...) comes
as extras.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

ROOT = Path(__file__).parents[1]
MATRIX = {"X", "y", "data", "indices", "indptr", "shape"}


def folder() -> Path:
    """The folder that DRIFTSIEVE_DATA names, by default `../shared/data` beside the project."""
    return Path(os.environ.get("DRIFTSIEVE_DATA") or ROOT / "../shared/data")


def load(name: str) -> tuple[Any, Any, dict[str, Any]] | None:
    """Return `(X, y, extras)` of a data set, or None after saying that it is skipped."""
    path = folder() / f"{name}.npz"
    if not path.is_file():
        print(f"skipped {name}: there is no {path} (DRIFTSIEVE_DATA names the folder)")
        return None
    with np.load(path) as file:
        held = {key: file[key] for key in file.files}
    extras = {key: value for key, value in held.items() if key not in MATRIX}
    return (held["X"] if "X" in held else _csr(held)), held["y"], extras


def _csr(held: dict[str, Any]) -> sparse.csr_array:
    """Put CSR together; 32-bit indices, because scikit-learn takes no others."""
    indices, indptr = (held[key].astype(np.int32) for key in ("indices", "indptr"))
    return sparse.csr_array((held["data"], indices, indptr), shape=tuple(held["shape"]))
