"""All values kept, as the offline way does: what the error of the others is measured by.

This is `Quantiles` that never joins its entries. A value that many rows share is held once, with
the weight of each class; rows that wait to be merged in are as many as there are values by then,
so that each value is rewritten a number of times that grows with the logarithm of the rows.
"""

from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.summaries.entries import Policy
from driftsieve.summaries.quantiles import BLOCK_ROWS, FIRST_ROWS, Quantiles


class Exact(Quantiles):
    """The weight of every value of every feature, by class: exact, and not bounded.

    Holds at most 16 bytes, and 8 for each class, per feature and row that has not faded away.
    """

    def __init__(
        self, n_features: int, n_jobs: int = 1, *, categories: NDArray[np.bool_] | None = None
    ) -> None:
        super().__init__(n_features, n_jobs, categories=categories)

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be after so many rows of weight 1."""
        n_classes = len(self._classes)
        entries = self._shards.n_entries + self.n_features * (weight + 1)
        each = entries * (8 * (2 + n_classes) + 28) + self.n_features * 32
        block = max(self._dense_waiting.size, FIRST_ROWS)
        return ceil(each + block * (8 * self.n_features + 16) + 8 * n_classes + 4096)

    @classmethod
    def _empty(cls, state: dict[str, Any]) -> Self:
        return cls(state["n_features"])

    def _policy(self) -> Policy:
        return super()._policy().never(self.n_features)

    def _block_rows(self) -> int:
        if self._shards.is_empty:
            return super()._block_rows()
        return max(BLOCK_ROWS, self._shards.n_entries // max(self.n_features, 1))
