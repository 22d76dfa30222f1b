"""What summaries by class ask of a batch before they take it in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch


def labelled(batch: Batch, n_features: int, what: str) -> tuple[Batch, NDArray[Any]]:
    """Return the rows that count and their labels, or say what is missing.

    Rows of weight zero are absent, and so may their classes be.
    """
    if batch.n_features != n_features:
        raise ValueError(f"the batch has {batch.n_features} features, not {n_features} as before")
    if batch.y is None:
        raise ValueError(f"{what} by class need labels: y is missing")
    if batch.weight is not None and not batch.weight.all():
        # Their values do not count, but bad ones are refused, however fast the past is forgotten.
        batch.take(np.flatnonzero(batch.weight == 0)).refuse_infinities()
        batch = batch.take(np.flatnonzero(batch.weight > 0))
    assert batch.y is not None
    return batch, batch.y
