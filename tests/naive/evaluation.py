"""The obvious and slow twins of driftsieve.evaluation: one row, one feature, one pair at a time."""

from collections import Counter
from math import ceil, log, nan, sqrt

import numpy as np

Z_95 = 1.959963984540054  # the normal's 97.5th percentile


def accuracy(rows):
    """Rows are (true label, predicted label, probability of the true one, weight)."""
    total = sum(weight for *_, weight in rows)
    return sum(weight for true, guess, _, weight in rows if true == guess) / total if total else nan


def kappa(rows):
    total = sum(weight for *_, weight in rows)
    confusion = Counter()
    for true, guess, _, weight in rows:
        confusion[true, guess] += weight
    labels = {label for pair in confusion for label in pair}
    if not total:
        return nan
    seen = sum(confusion[label, label] for label in labels) / total
    chance = sum(
        sum(confusion[label, other] for other in labels)
        * sum(confusion[other, label] for other in labels)
        for label in labels
    ) / (total * total)
    return nan if chance == 1 else (seen - chance) / (1 - chance)


def log_loss(rows, smallest):
    total = sum(weight for *_, weight in rows)
    lost = sum(-weight * log(min(1, max(smallest, p))) for _, _, p, weight in rows)
    return lost / total if total else nan


def stability(selections, d):
    """Value, variance and interval, from the matrix of zeros and ones."""
    r = len(selections)
    if r < 2:
        return nan, nan, nan, nan
    Z = [[int(f in set(selection)) for f in range(d)] for selection in selections]
    p = [sum(row[f] for row in Z) / r for f in range(d)]
    sizes = [sum(row) for row in Z]
    k = sum(sizes) / r
    chance = k / d * (1 - k / d)
    if chance == 0:
        return 1.0, 0.0, 1.0, 1.0
    value = 1 - sum(r / (r - 1) * share * (1 - share) for share in p) / d / chance
    phi = []
    for row, size in zip(Z, sizes, strict=True):
        first = sum(z * share for z, share in zip(row, p, strict=True)) / d - size * k / d**2
        rest = value / 2 * (2 * k * size / d**2 - size / d - k / d + 1)
        phi.append((first + rest) / chance)
    mean = sum(phi) / r
    variance = 4 / r**2 * sum((one - mean) ** 2 for one in phi)
    return value, variance, value - Z_95 * sqrt(variance), value + Z_95 * sqrt(variance)


def stability_within(selections, concepts, d):
    """Value, variance and interval, concept by concept, from the matrices of zeros and ones."""
    groups = {}
    for selection, concept in zip(selections, concepts, strict=True):
        groups.setdefault(concept, []).append([int(f in set(selection)) for f in range(d)])
    groups = [Z for Z in groups.values() if len(Z) > 1]
    if not groups:
        return nan, nan, nan, nan
    within = chance = 0.0
    for Z in groups:
        r, k = len(Z), sum(map(sum, Z)) / len(Z)
        chance += (r - 1) * k / d * (1 - k / d)
        for f in range(d):
            p = sum(row[f] for row in Z) / r
            within += sum((row[f] - p) ** 2 for row in Z) / d
    if within == 0:
        return 1.0, 0.0, 1.0, 1.0
    value = 1 - within / chance
    variance = 0.0
    for Z in groups:
        r, k = len(Z), sum(map(sum, Z)) / len(Z)
        p = [sum(row[f] for row in Z) / r for f in range(d)]
        phi = []
        for row in Z:
            size = sum(row)
            first = sum(z * share for z, share in zip(row, p, strict=True)) / d - size * k / d**2
            phi.append(first + value / 2 * (2 * k * size / d**2 - size / d - k / d + 1))
        weight = (r - 1) / chance
        variance += weight**2 * 4 / r**2 * sum((one - sum(phi) / r) ** 2 for one in phi)
    return value, variance, value - Z_95 * sqrt(variance), value + Z_95 * sqrt(variance)


def stability_by_pairs(selections, d):
    """For selections of one size: the mean over all pairs of their overlap beyond chance."""
    k = len(selections[0])
    pairs = [(a, b) for i, a in enumerate(selections) for b in selections[i + 1 :]]
    return sum((len(set(a) & set(b)) - k * k / d) / (k - k * k / d) for a, b in pairs) / len(pairs)


def lags(points, relevant, selections, share):
    """`relevant`: a set per row; `selections`: (rows seen, set)."""
    room = max(len(selected) for _, selected in selections)
    found = []
    edges = [0, *points, len(relevant)]
    for i, point in enumerate(points, start=1):
        old = Counter(map(frozenset, relevant[edges[i - 1] : point])).most_common(1)[0][0]
        new = Counter(map(frozenset, relevant[point : edges[i + 1]])).most_common(1)[0][0]
        fit = min(len(new - old), room - len(new & old))
        lag = None
        for rows, selected in selections:
            in_time = point < rows <= edges[i + 1]
            enough = len(selected & (new - old)) >= ceil(round(share * fit, 9))
            if lag is None and fit > 0 and in_time and enough:
                lag = rows - point
        found.append(lag)
    return found


def prequential(batches, selector, learner, classes, delay=0):
    """Predictions by (row, true label, label), and the selection after each batch."""
    waiting, learnt, known = [], [], []
    scaled = Scaling()
    predictions, selections = [], []
    seen = 0
    for batch in batches:
        if learnt:
            for i in range(batch.n_rows):
                x = scaled.masked(batch.X[i], known)
                predictions.append((seen + i, batch.y[i], learner.predict([x])[0]))
        seen += batch.n_rows
        waiting.append((seen, batch))
        while waiting and seen >= waiting[0][0] + delay:
            ready = waiting.pop(0)[1]
            selector.partial_fit(ready.X, ready.y)
            known = list(selector.selection_.indices)
            for row in ready.X:
                scaled.add(row)
            X = np.array([scaled.masked(row, known) for row in ready.X])
            learner.partial_fit(X, ready.y, classes=classes)
            learnt.append(ready)
        selections.append(known)
    return predictions, selections


class Scaling:
    def __init__(self):
        self.rows = []

    def add(self, row):
        self.rows.append(row)

    def masked(self, row, selected):
        out = [0.0] * len(row)
        for j in selected:
            column = [one[j] for one in self.rows if one[j] == one[j]]
            mean = sum(column) / len(column)
            deviation = sqrt(sum((value - mean) ** 2 for value in column) / len(column))
            if row[j] == row[j]:
                out[j] = (row[j] - mean) / (deviation or 1.0)
        return out
