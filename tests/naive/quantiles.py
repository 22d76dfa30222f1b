"""Obvious and slow: all rows kept, and what quantile summaries are asked for read off them."""

from fractions import Fraction

import numpy as np


class Rows:
    """Every row ever seen, with its weight as of now."""

    def __init__(self, n_features):
        self.X = np.empty((0, n_features))
        self.y = np.empty(0, dtype=int)
        self.weight = np.empty(0)

    def update(self, X, y, weight=None, fade=1.0):
        self.fade(fade)
        self.X = np.concatenate([self.X, X])
        self.y = np.concatenate([self.y, y])
        self.weight = np.concatenate([self.weight, np.ones(len(y)) if weight is None else weight])

    def fade(self, factor):
        self.weight = self.weight * factor

    def merge(self, other):
        self.update(other.X, other.y, other.weight)

    def column(self, j):
        """Values, classes and weights of the rows in which feature j is not missing."""
        known = ~np.isnan(self.X[:, j])
        return self.X[known, j], self.y[known], self.weight[known]

    def mass(self, j):
        return self.column(j)[2].sum()

    def by_class(self, j, n_classes):
        """The weight of each class, and of each class where feature j is missing."""
        _, y, weight = self.column(j)
        missing = np.isnan(self.X[:, j])
        return (
            np.bincount(y, weight, minlength=n_classes),
            np.bincount(self.y[missing], self.weight[missing], minlength=n_classes),
        )

    def below(self, j, value):
        """The weight of the rows below a value, and that of the rows up to it."""
        values, _, weight = self.column(j)
        return weight[values < value].sum(), weight[values <= value].sum()

    def ranks(self, j, values):
        """The same of many values at once."""
        x, _, weight = self.column(j)
        order = np.argsort(x)
        reached = np.concatenate([[0.0], np.cumsum(weight[order])])
        return (
            reached[np.searchsorted(x[order], values, side="left")],
            reached[np.searchsorted(x[order], values, side="right")],
        )

    def table(self, j, n_classes, bins=5, categorical=False):
        values, y, weight = self.column(j)
        return table(values, y, weight, n_classes, bins, categorical)


def table(values, y, weight, n_classes, bins=5, categorical=False):
    """Equal-frequency bins by classes, and their edges: Wang & Barbu (2021), Algorithm 3.

    A bin ends with the value at which the cumulative weight reaches its share.
    """
    of_value = {}
    for v, c, w in zip((values + 0).tolist(), y.tolist(), weight.tolist()):
        if w > 0:
            of_value.setdefault(v, [0] * n_classes)[c] += int(w) if w == int(w) else Fraction(w)
    distinct = sorted(of_value)
    total = sum(sum(of_value[v]) for v in distinct)
    n_bins = len(distinct) if categorical else bins
    counts = [[0] * n_classes for _ in range(n_bins)]
    upper = np.full(n_bins, distinct[-1] if distinct else np.nan)
    if categorical or len(distinct) <= bins:
        place = {v: b for b, v in enumerate(distinct)}
    elif bins * (total - sum(of_value[distinct[-1]])) < total:  # all would be in one bin
        place = dict.fromkeys(distinct[:-1], 0) | {distinct[-1]: bins - 1}
        upper[: bins - 1] = distinct[-2]
    else:
        place, reached, b = {}, 0, 0
        for v in distinct:
            place[v] = b
            upper[b] = v
            reached += sum(of_value[v])
            while b < bins - 1 and bins * reached >= (b + 1) * total:
                b += 1
                upper[b] = v
    for v in distinct:
        upper[place[v]] = v
        counts[place[v]] = [a + b for a, b in zip(counts[place[v]], of_value[v])]
    counts = np.array(counts, dtype=float).reshape(n_bins, n_classes)
    lowest = distinct[0] if distinct else np.nan
    return counts, np.append(lowest, upper)


def mutual_information(counts):
    """Equation 4, in nats."""
    W = counts.sum()
    found = 0.0
    for b in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            if counts[b, c] > 0:
                joint = counts[b, c] / W
                expected = counts[b].sum() / W * (counts[:, c].sum() / W)
                found += joint * np.log(joint / expected)
    return found if informative(counts) else np.nan


def chi2(counts):
    """Equation 5."""
    W = counts.sum()
    found = 0.0
    for b in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            if counts[b].sum() > 0 and counts[:, c].sum() > 0:
                expected = counts[b].sum() * counts[:, c].sum() / W
                found += (counts[b, c] - expected) ** 2 / expected
    return found if informative(counts) else np.nan


def gini_impurity(counts):
    """Equation 6: of all boundaries between bins that split the rows, the best one's."""
    if not informative(counts):
        return np.nan
    best = np.inf
    for cut in range(1, len(counts)):
        A, B = counts[:cut], counts[cut:]
        if A.sum() > 0 and B.sum() > 0:
            parts = [part.sum() / counts.sum() * impurity(part.sum(axis=0)) for part in (A, B)]
            best = min(best, sum(parts))
    return best


def gini_decrease(counts):
    return impurity(counts.sum(axis=0)) - gini_impurity(counts)


def impurity(weights):
    return 1 - ((weights / weights.sum()) ** 2).sum() if weights.sum() else 0.0


def informative(counts):
    """Whether there is more than one bin and more than one class."""
    return (counts.sum(axis=1) > 0).sum() > 1 and (counts.sum(axis=0) > 0).sum() > 1
