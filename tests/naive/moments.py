"""Obvious, slow and exact: moments, scores and memories with Python's fractions and loops."""

from fractions import Fraction
from math import inf, isnan, nan, sqrt


def moments(values, weights):
    """Weight, mean and squared deviations of some weighted values, NaN left out; exact."""
    pairs = [(Fraction(v), Fraction(w)) for v, w in zip(values, weights) if not isnan(v) and w > 0]
    weight = sum(w for _, w in pairs)
    if not weight:
        return Fraction(0), Fraction(0), Fraction(0)
    mean = sum(w * v for v, w in pairs) / weight
    return weight, mean, sum(w * (v - mean) ** 2 for v, w in pairs)


def by_class(column, labels, weights, classes):
    return [
        moments(
            [v for v, label in zip(column, labels) if label == c],
            [w for w, label in zip(weights, labels) if label == c],
        )
        for c in classes
    ]


def fisher(column, labels, weights):
    classes = [
        m for m in by_class(column, labels, weights, sorted(set(labels), key=str)) if m[0] > 0
    ]
    if len(classes) < 2:
        return nan
    mean = sum(w * m for w, m, _ in classes) / sum(w for w, _, _ in classes)
    return ratio(sum(w * (m - mean) ** 2 for w, m, _ in classes), sum(q for _, _, q in classes))


def t(column, labels, weights):
    best = nan
    for c in set(labels):
        (w1, m1, q1), (w2, m2, q2) = by_class(
            column, [label == c for label in labels], weights, [True, False]
        )
        if w1 > 0 and w2 > 0:
            error = q1 / w1 / w1 + q2 / w2 / w2
            value = ratio(abs(m1 - m2), sqrt(error))
            best = value if isnan(best) or value > best else best
    return best


def ratio(above, below):
    if below == 0:
        return nan if above == 0 else inf
    return float(above) / float(below)


def fading_weights(n, alpha, every):
    """Row i of n weighs alpha ** (number of multiples of `every` after i, up to the newest row)."""
    return [alpha ** sum(1 for row in range(i + 1, n) if row % every == 0) for i in range(n)]


def window_weights(n, rows):
    return [1.0 if n - i <= rows else 0.0 for i in range(n)]
