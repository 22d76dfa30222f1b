"""Obvious and slow: scores and summaries of counts, straight from their definitions."""

import numpy as np

from tests.naive.quantiles import mutual_information


def entropy(weights):
    """Pawling et al. (2006), eq. 1, in bits."""
    total = sum(weights)
    return -sum(w / total * np.log2(w / total) for w in weights if w > 0)


def split_entropy(counts, at):
    """"""
    counts = np.asarray(counts, float)
    sides = counts[: at + 1].sum(axis=0), counts[at + 1 :].sum(axis=0)
    return sum(side.sum() / counts.sum() * entropy(side) for side in sides if side.sum() > 0)


def information_gain(counts):
    """Eq. 2 for all splits between two rows of a table: the best gain, and where that is."""
    counts = np.asarray(counts, float)
    whole = entropy(counts.sum(axis=0)) if counts.sum() else 0
    gains = {}
    for at in range(len(counts) - 1):
        if counts[: at + 1].sum() > 0 and counts[at + 1 :].sum() > 0:
            gains[at] = whole - split_entropy(counts, at)
    if not gains or (counts.sum(axis=0) > 0).sum() < 2:
        return np.nan, []
    best = max(gains.values())
    return best, [at for at, gain in gains.items() if gain >= best - 1e-12]


def symmetrical_uncertainty(counts):
    counts = np.asarray(counts, float)
    if (counts.sum(axis=0) > 0).sum() < 2 or (counts.sum(axis=1) > 0).sum() < 2:
        return np.nan
    of_bins, of_classes = entropy(counts.sum(axis=1)), entropy(counts.sum(axis=0))
    return 2 * mutual_information(counts) / np.log(2) / (of_bins + of_classes)


def values_by_class(values, y, weight, n_classes):
    """The distinct values that are not missing, and the weight of each class at each of them."""
    known = ~np.isnan(values) & (weight > 0)
    distinct = sorted(set(values[known].tolist()))
    counts = np.zeros((len(distinct), n_classes))
    for v, c, w in zip(values[known].tolist(), y[known].tolist(), weight[known].tolist()):
        counts[distinct.index(v), c] += w
    return distinct, counts


def average_euclidean_distance(values, y, weight):
    """Yuan et al. (2018), eq. 1, with means in standard deviations."""
    known = ~np.isnan(values) & (weight > 0)
    x, y, w = values[known], y[known], weight[known]
    if len(set(y.tolist())) < 2 or len(set(x.tolist())) < 2:
        return np.nan
    spread = np.sqrt(np.cov(x, aweights=w, ddof=0))
    means = [np.average(x[y == c], weights=w[y == c]) for c in sorted(set(y.tolist()))]
    return np.sqrt(sum((a - b) ** 2 for i, a in enumerate(means) for b in means[:i])) / spread


class EqualWidth:
    """One feature: its first values as they are, later ones in bins with the bounds of these."""

    def __init__(self, n_classes, bins, first):
        self.first, self.waiting, self.counts = first, [], None
        self.bins, self.n_classes = bins, n_classes

    def update(self, values, y, weight):
        for x, c, w in zip(values.tolist(), y.tolist(), weight.tolist()):
            if np.isnan(x):
                continue
            if self.counts is not None:
                self._count(x, c, w)
                continue
            self.waiting.append((x, c, w))
            if len(self.waiting) == self.first:
                self.low = self.least = min(x for x, _, _ in self.waiting)
                self.high = self.most = max(x for x, _, _ in self.waiting)
                self.counts = np.zeros((self.bins, self.n_classes))
                for cell in self.waiting:
                    self._count(*cell)

    def _count(self, x, c, w):
        self.least, self.most = min(self.least, x), max(self.most, x)
        b = 0
        while b < self.bins - 1 and x > self.edge(b):
            b += 1
        self.counts[b, c] += w

    def edge(self, b):
        """Where bin b ends; a feature that is constant at first has its value as all edges."""
        return self.low + (b + 1) * (self.high - self.low) / self.bins

    def below(self, value):
        """The weight by class of what is known to be at most `value`."""
        if self.counts is None:
            cells = [(x, c, w) for x, c, w in self.waiting if x <= value]
            return np.bincount([c for _, c, _ in cells], [w for *_, w in cells], self.n_classes)
        total = np.zeros(self.n_classes)
        for b in range(self.bins):
            last = not self.counts[b + 1 :].any()
            upper = self.most if b == self.bins - 1 else max(self.edge(b), self.least)
            if (min(upper, self.most) if last else upper) <= value:
                total += self.counts[b]
        return total
