"""One question that all summaries of counts answer: what do the rows weigh, by class, whose value
of a feature is at most v?

Whatever keeps the values of features by class can lay them out as `Cuts`: values in ascending
order, and what the rows weigh, by class, that each of them stands for. Class tables, ranks and
quantiles follow from these, and scores follow from class tables: so any such summary feeds any
such score.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import bins as kernels
from driftsieve.summaries.class_tables import ClassTables, joined_tables

T = TypeVar("T")


class Cuts(NamedTuple):
    """Cut points of some features; those of feature j are from offsets[j] on, in order."""

    offsets: NDArray[np.int64]
    values: NDArray[Any]
    """Values; the last one may be NaN, for the rows that miss theirs."""
    doubt: NDArray[Any]
    """How much of this and all later ones may lie below the value."""
    weights: NDArray[Any]
    """Classes by cut points: the rows from above the cut point before up to this one."""
    scale: float
    """What all of these weights, and the doubt, have to be multiplied with."""
    rows: NDArray[np.float64]
    """The weight of all rows, by class."""
    zeros: bool
    """Whether rows that are nowhere among the weights have the value zero."""


class Counts(ABC):
    """A summary that knows how the values of every feature are spread, by class."""

    n_features: int
    n_jobs: int

    @property
    @abstractmethod
    def classes(self) -> list[Any]:
        """The labels seen, in order of appearance."""

    @abstractmethod
    def _ask(self, ask: Callable[[Cuts, int, int], T], feature: int | None = None) -> list[T]:
        """Return what `ask(cuts, lo, hi)` makes of some features lo..hi at a time, in order; of
        those that `feature` is among, where one is given."""

    def _apart(self, lo: int, hi: int) -> NDArray[np.bool_]:
        """Return which of the features lo..hi have a bin for each value, whatever the bins."""
        return np.zeros(hi - lo, np.bool_)

    def _least_values(self, lo: int, hi: int) -> NDArray[np.float64]:
        """Return the least values of the features lo..hi; NaN where it is the first cut point."""
        return np.full(hi - lo, np.nan)

    def tables(self, bins: int | None = 5) -> ClassTables:
        """Return the weight of each class in equal-frequency bins of each feature; with None, in
        as many bins as there are cut points."""
        return joined_tables(self.map_tables(lambda table: table, bins))

    def map_tables(self, function: Callable[[ClassTables], T], bins: int | None = 5) -> list[T]:
        """Return what `function` makes of the tables of some features at a time, in order."""

        def ask(cuts: Cuts, lo: int, hi: int) -> T:
            apart = self._apart(lo, hi)
            each = np.maximum(np.diff(cuts.offsets) + 1, 1)
            wanted = each if bins is None else np.where(apart, each, bins)
            starts = np.concatenate([[0], np.cumsum(wanted)]).astype(np.int64)
            counts = np.zeros((starts[-1], len(cuts.rows)))
            upper, lowest = np.empty(starts[-1]), np.empty(hi - lo)
            if bins is None:
                kernels.every_cut(*cuts, starts, counts, upper, lowest)
            else:
                kernels.equal_frequency(*cuts, apart, starts, counts, upper, lowest)
            counts[counts < kernels.FORGOTTEN] = 0.0
            lowest = np.fmin(lowest, self._least_values(lo, hi))
            return function(ClassTables(starts, lowest, upper, counts, self.classes))

        return self._ask(ask)

    def below(self, feature: int, values: Any) -> NDArray[np.float64]:
        """Return the weight by class of the rows whose `feature` is at most each of `values`."""
        self._require_feature(feature)
        values = np.atleast_1d(np.asarray(values, dtype=float))
        found = np.zeros((len(values), len(self.classes)))

        def ask(cuts: Cuts, lo: int, hi: int) -> None:
            kernels.weight_below(*cuts, feature - lo, values, found)

        self._ask(ask, feature)
        return found

    def quantiles(self, feature: int, q: Any) -> NDArray[np.float64]:
        """Return the values of `feature` up to which a part `q` of all weight lies."""
        self._require_feature(feature)
        q = np.atleast_1d(np.asarray(q, dtype=float))
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError(f"quantiles are parts of all weight, between 0 and 1, not {q}")
        found = np.full(len(q), np.nan)

        def ask(cuts: Cuts, lo: int, hi: int) -> None:
            kernels.values_at(*cuts, feature - lo, q, found)

        self._ask(ask, feature)
        return found

    def _require_feature(self, feature: int) -> None:
        if not 0 <= feature < self.n_features:
            raise IndexError(f"there is no feature {feature} among {self.n_features}")
