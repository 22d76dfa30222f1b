"""Which values a class accepts of a column, and drawing one of them for each of many rows at once.

Tables have a line per class and a place per column. What is not constrained accepts everything.
"""

from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray


class Intervals:
    """Accepted parts of [0, 1) by class and column.

    All intervals lie one behind the other, those of a class and column together. `upper` is where
    each ends as a share of what its class and column accept, plus their number: so one search finds
    the interval of any class and column.
    """

    def __init__(self, parts: list[list[list[tuple[float, float]]]]) -> None:
        """Take the intervals, ascending, of each class and column."""
        self.parts = parts
        self._n_columns = len(parts[0])
        low, width, before, upper, last, total = [], [], [], [], [], []
        for number, accepted in enumerate(one for line in parts for one in line):
            edges = np.cumsum([0.0, *(high - start for start, high in accepted)])
            low += [start for start, _ in accepted]
            width += [high - start for start, high in accepted]
            before += list(edges[:-1])
            upper += list(number + edges[1:] / edges[-1])
            total.append(edges[-1])
            last.append(len(upper) - 1)
        self._low, self._width, self._before = map(np.array, (low, width, before))
        self._upper, self._last, self._total = map(np.array, (upper, last, total))

    @classmethod
    def drawn(
        cls, constrained: NDArray[np.bool_], n_divisions: int, rng: np.random.Generator
    ) -> Self:
        """Cut [0, 1) at up to `n_divisions` points where constrained, and accept every other
        part."""
        return cls([[_cut(n_divisions, rng) if one else [(0.0, 1.0)] for one in line]
                    for line in constrained])  # fmt: skip

    def values(self, classes: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row and column the value below which a share of what the row's class
        accepts lies."""
        which = classes[:, None] * self._n_columns + np.arange(self._n_columns)
        found = np.searchsorted(self._upper, which + shares, side="right")
        found = np.minimum(found, self._last[which])  # where the sum was rounded up
        beyond = shares * self._total[which] - self._before[found]
        values: NDArray[np.float64] = self._low[found] + np.clip(beyond, 0, self._width[found])
        return values

    def differ(self, n_classes: int) -> NDArray[np.bool_]:
        """Tell of which columns not all of the first classes accept the same."""
        columns = list(zip(*self.parts[:n_classes], strict=True))
        return np.array([any(one != column[0] for one in column) for column in columns])


class Subsets:
    """Accepted codes by class and column."""

    def __init__(self, accepted: NDArray[np.bool_]) -> None:
        """Take which codes are accepted: classes by columns by codes."""
        self.accepted = accepted
        self._count = accepted.sum(axis=2)
        self._codes = np.argsort(~accepted, axis=2, kind="stable")  # the accepted ones first
        self._columns = np.arange(accepted.shape[1])

    @classmethod
    def drawn(cls, constrained: NDArray[np.bool_], n_values: int, rng: np.random.Generator) -> Self:
        """Accept some codes but not all where constrained."""
        accepted = np.ones((*constrained.shape, n_values), dtype=bool)
        for place in zip(*np.nonzero(constrained), strict=True):
            size = rng.integers(1, n_values)
            accepted[place] = False
            accepted[place][rng.choice(n_values, size, replace=False)] = True
        return cls(accepted)

    def values(self, classes: NDArray[np.intp], shares: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return for each row and column the code below which a share of those lies that the row's
        class accepts."""
        rows = classes[:, None]
        places = (shares * self._count[rows, self._columns]).astype(np.intp)
        codes: NDArray[np.intp] = self._codes[rows, self._columns, places]
        return codes

    def differ(self, n_classes: int) -> NDArray[np.bool_]:
        """Tell of which columns not all of the first classes accept the same."""
        first = self.accepted[:n_classes]
        differ: NDArray[np.bool_] = (first != first[:1]).any(axis=(0, 2))
        return differ


def _cut(n_divisions: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    points = np.sort(rng.random(rng.integers(1, n_divisions + 1)))
    edges = [0.0, *points.tolist(), 1.0]
    parts = list(pairwise(edges))
    accepted = parts[rng.integers(2) :: 2]
    return [(low, high) for low, high in accepted if low < high] or [(0.0, 1.0)]
