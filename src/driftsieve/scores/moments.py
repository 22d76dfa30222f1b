"""Scores from class moments: the T score and the Fisher score of Wang & Barbu (2021), eq. 1, 2;
the average Euclidean distance of ISS.

Variances are those of the rows seen (divided by the weight, not by the weight less one), as in
the paper's eq. 3. A perfect separator (no variance within the classes, different means) scores
infinity. Undefined, and NaN: fewer than two classes with a value, or no variance at all.
"""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from driftsieve.scores.registry import register
from driftsieve.summaries.class_moments import ClassMoments
from driftsieve.summaries.moments import Moments


@register("fisher", Moments)
def fisher(moments: Moments) -> NDArray[np.float64]:
    """Scatter of the class means about the mean, over scatter within the classes (eq. 2)."""
    by_class = moments.by_class()
    means = ClassMoments(by_class.weight, by_class.mean, np.zeros_like(by_class.scatter))
    between = reduce(merged, _split(means), _nothing(by_class)).scatter[0]
    return _ratio(between, by_class.scatter.sum(axis=0), by_class)


@register("t", Moments)
def t(moments: Moments) -> NDArray[np.float64]:
    """Welch's t between the classes (eq. 1); with more than two, the largest one-vs-rest t."""
    by_class = moments.by_class()
    classes = _split(by_class)
    # rest of class c = the classes before it merged with those after it: no subtraction, so no
    # cancellation, and the cost stays linear in the number of classes.
    before, after = [_nothing(by_class)], [_nothing(by_class)]
    for one in classes[:-1]:
        before.append(merged(before[-1], one))
    for one in classes[:0:-1]:
        after.append(merged(after[-1], one))
    largest = np.full(moments.n_features, np.nan)
    for one, left, right in zip(classes, before, after[::-1]):
        rest = merged(left, right)
        # Squared, as the scatter is: a gap too small to square must not be divided by none.
        gap = np.sqrt((one.mean[0] - rest.mean[0]) ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = _error(one) + _error(rest)
        largest = np.fmax(largest, _ratio(gap, np.sqrt(error), by_class))
    return largest


@register("aed", Moments)
def average_euclidean_distance(moments: Moments) -> NDArray[np.float64]:
    """Distance between the class means: the root of the squares summed over all pairs of classes.

    The numeric formula of ISS (Yuan et al. 2018, eq. 1). Deviation: means are measured in standard
    deviations of the feature rather than by its range, because a single row decides a range, which
    can neither fade nor leave a window.
    """
    by_class = moments.by_class()
    whole = reduce(merged, _split(by_class), _nothing(by_class))
    seen = by_class.weight > 0
    classes = seen.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(seen, by_class.mean - whole.mean[0], 0.0)  # exactly 0 if all are equal
        middle = away.sum(axis=0) / classes
        # The squares of all differences of K numbers add up to K times those from their mean.
        squares = np.where(seen, (away - middle) ** 2, 0.0).sum(axis=0) * classes
        variance = whole.scatter[0] / whole.weight[0]
    return np.sqrt(_ratio(squares, variance, by_class))


def merged(a: ClassMoments, b: ClassMoments) -> ClassMoments:
    """Return the moments of `a` and `b` together."""
    total = ClassMoments(*(array.copy() for array in a))
    total.take_in(b)
    return total


def _error(moments: ClassMoments) -> NDArray[np.float64]:
    """Return the squared standard error of the mean of a class."""
    error: NDArray[np.float64] = moments.scatter[0] / moments.weight[0] / moments.weight[0]
    return error


def _split(moments: ClassMoments) -> list[ClassMoments]:
    return [ClassMoments(*(array[c : c + 1] for array in moments)) for c in range(len(moments[0]))]


def _nothing(like: ClassMoments) -> ClassMoments:
    return ClassMoments.empty(1, like.weight.shape[1])


def _ratio(
    above: NDArray[np.float64], below: NDArray[np.float64], by_class: ClassMoments
) -> NDArray[np.float64]:
    """Divide; NaN for 0/0 and where fewer than two classes have weight."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = above / below
    ratio[np.sum(by_class.weight > 0, axis=0) < 2] = np.nan
    return ratio
