"""Class tables: how the weight of each class is spread over the bins of each feature."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClassTables:
    """A contingency table of bins by classes for each feature, one below the other.

    Feature j has the bins starts[j]..starts[j + 1]; bin b holds the values from above the upper
    edge of the bin before it up to `upper[b]`. Empty bins repeat the edge before them. Missing
    values are in no bin.
    """

    starts: NDArray[np.int64]
    lowest: NDArray[np.float64]
    """The least value of each feature."""
    upper: NDArray[np.float64]
    counts: NDArray[np.float64]
    """Bins by classes."""
    classes: list[Any]
    """The labels of the columns of `counts`."""

    @property
    def n_features(self) -> int:
        return len(self.starts) - 1

    def table(self, feature: int) -> NDArray[np.float64]:
        """Return the bins by classes of one feature."""
        return self.counts[self._bins(feature)]

    def edges(self, feature: int) -> NDArray[np.float64]:
        """Return the edges of one feature's bins, from its least value to its largest."""
        return np.append(self.lowest[feature], self.upper[self._bins(feature)])

    def _bins(self, feature: int) -> slice:
        return slice(int(self.starts[feature]), int(self.starts[feature + 1]))


def joined_tables(parts: list[ClassTables]) -> ClassTables:
    """Return the tables of all parts, one part after the other."""
    bins = np.cumsum([0, *(len(part.upper) for part in parts)])
    starts = [part.starts[:-1] + before for part, before in zip(parts, bins)]
    return ClassTables(
        np.concatenate([*starts, bins[-1:]]).astype(np.int64),
        np.concatenate([part.lowest for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([part.counts for part in parts]),
        parts[0].classes,
    )
