"""The relative-error quantile sketch (REQ) of Apache DataSketches, asked as a summary of counts is.

It is a peer, and no summary of driftsieve: it knows no weights, so that it can't fade; and its
random numbers have no seed, so that no run can be repeated. A sketch is exact at one end of the
ranks; so there are two for each feature and class, and the nearer end decides, as with samplers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from driftsieve import Batch
from driftsieve.summaries.class_tables import ClassTables


class Req:
    """Two sketches for each feature and class, with float32 values."""

    def __init__(self, n_features: int, n_jobs: int = 1, *, k: int = 12) -> None:
        self.n_features = n_features
        self.k = k
        self.classes: list[Any] = []
        self.sketches: list[list[tuple[Any, Any]]] = []

    @property
    def nbytes(self) -> int:
        """The bytes of all sketches as they are stored."""
        return sum(
            len(end.serialize()) for of_class in self.sketches for pair in of_class for end in pair
        )

    def update(self, batch: Batch) -> None:
        from datasketches import req_floats_sketch

        X = np.asarray(batch.X, np.float32)
        assert batch.y is not None
        for label in np.unique(batch.y).tolist():
            if label not in self.classes:
                self.classes.append(label)
                ends = False, True  # exact for low ranks, for high ranks
                self.sketches.append(
                    [tuple(req_floats_sketch(self.k, end) for end in ends)  # type: ignore[misc]
                     for _ in range(self.n_features)]
                )  # fmt: skip
            of_class = X[batch.y == label]
            for j, pair in enumerate(self.sketches[self.classes.index(label)]):
                column = of_class[:, j]
                for sketch in pair:
                    sketch.update(np.ascontiguousarray(column[~np.isnan(column)]))

    def map_tables(self, function: Callable[[ClassTables], Any], bins: None = None) -> list[Any]:
        """Return what `function` makes of the table of each feature, with a bin for each value."""
        return [function(self._table(j)) for j in range(self.n_features)]

    def _table(self, feature: int) -> ClassTables:
        ends = [
            [np.array(list(sketch), np.float64).reshape(-1, 2) for sketch in of_class[feature]]
            for of_class in self.sketches
        ]
        cuts = np.unique(np.concatenate([end[:, 0] for pair in ends for end in pair]))
        counts = np.zeros((len(cuts), len(self.classes)))
        for c, (low, high) in enumerate(ends):
            n = self.sketches[c][feature][0].n
            below, above = _up_to(low, cuts), n - _up_to(high, cuts)
            up = np.where(below <= above, np.minimum(below, n / 2), np.maximum(n - above, n / 2))
            counts[:, c] = np.diff(np.maximum.accumulate(np.append(0.0, up)))
        starts = np.array([0, len(cuts)])
        return ClassTables(starts, cuts[:1], cuts, counts, self.classes)


def _up_to(entries: Any, cuts: Any) -> Any:
    """Return what the entries weigh, up to each cut point."""
    entries = entries[np.argsort(entries[:, 0], kind="stable")]
    reached = np.append(0.0, np.cumsum(entries[:, 1]))
    return reached[np.searchsorted(entries[:, 0], cuts, side="right")]
