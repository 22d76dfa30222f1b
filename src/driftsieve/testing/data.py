"""The rows that the laws are tried on."""

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch

ROWS = 160
FEATURES = 6


def stream(seed: int = 0, rows: int = ROWS, missing: float = 0.0) -> Batch:
    """Draw labelled rows: three classes, features from useless to good, zeros among them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = rng.standard_normal((rows, FEATURES)) + 0.4 * y[:, None] * np.arange(FEATURES)
    X[rng.random(X.shape) < 0.3] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return Batch(X, y)


def pieces(batch: Batch, size: int) -> list[Batch]:
    """Cut a batch into batches of `size` rows."""
    return [batch.take(slice(i, i + size)) for i in range(0, batch.n_rows, size)]


def arrays_of(batch: Batch) -> list[NDArray[np.generic]]:
    """Return the arrays that a batch is made of."""
    X = batch.X
    matrix = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return [*matrix, batch.y, batch.weight]  # type: ignore[list-item]
