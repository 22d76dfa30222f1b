"""Scores from class tables: mutual information, chi-squared and Gini, after Wang & Barbu (2021);
information gain, after Pawling et al. (2006); symmetrical uncertainty.

Any summary of counts gives class tables. Information gain is that of the best of all cut points
that a summary has; the others look at bins of equal frequency, made of these.

A feature whose values all fall into one bin, or in all rows of which there is but one class, tells
nothing about the classes, and has no score: NaN.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from driftsieve.kernels import tables as kernels
from driftsieve.scores.registry import register
from driftsieve.summaries.class_tables import ClassTables
from driftsieve.summaries.counts import Counts

Array = NDArray[np.float64]


def mutual_information_of(tables: ClassTables) -> Array:
    """Return the mutual information of bin and class (eq. 4), in nats."""
    found = np.empty(tables.n_features)
    kernels.mutual_information(tables.starts, tables.counts, found)
    return found


def chi2_of(tables: ClassTables) -> Array:
    """Return the chi-squared statistic of bins and classes (eq. 5)."""
    return _chi_squared(tables)[0]


def chi2_pvalue_of(tables: ClassTables) -> Array:
    """Return how likely a chi-squared statistic as large is if bins and classes are independent.

    Weights count as rows do: under fading, that is an approximation.
    """
    statistic, freedom = _chi_squared(tables)
    pvalue: Array = np.where(np.isnan(statistic), np.nan, chdtrc(np.maximum(freedom, 1), statistic))
    return pvalue


def gini_impurity_of(tables: ClassTables) -> Array:
    """Return the impurity that the best split between two bins leaves (eq. 6): small is good."""
    return _gini(tables)[0]


def gini_decrease_of(tables: ClassTables) -> Array:
    """Return how much impurity the best split between two bins takes away."""
    return _gini(tables)[1]


def information_gain_of(tables: ClassTables) -> Array:
    """Return how much entropy of the classes the best split between two bins takes away, in bits
    (Pawling et al. 2006, eq. 1, 2)."""
    return _best_split(tables)[0]


def threshold_of(tables: ClassTables) -> Array:
    """Return the value of each feature up to which the one side of that split goes."""
    at = _best_split(tables)[1]
    return np.where(at >= 0, tables.upper[at], np.nan)


def symmetrical_uncertainty_of(tables: ClassTables) -> Array:
    """Return twice the mutual information of bin and class over the sum of their entropies: from
    0 (independent) to 1 (each tells the other)."""
    of_bins, of_classes = np.empty((2, tables.n_features))
    kernels.entropies(tables.starts, tables.counts, of_bins, of_classes)
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Array = 2 * mutual_information_of(tables) / (of_bins + of_classes)
    return np.minimum(share, 1.0)  # but for rounding


def _best_split(tables: ClassTables) -> tuple[Array, NDArray[np.int64]]:
    gain, at = np.empty(tables.n_features), np.empty(tables.n_features, np.int64)
    kernels.information_gain(tables.starts, tables.counts, gain, at)
    return gain, at


def _chi_squared(tables: ClassTables) -> tuple[Array, Array]:
    statistic, freedom = np.empty((2, tables.n_features))
    kernels.chi_squared(tables.starts, tables.counts, statistic, freedom)
    return statistic, freedom


def _gini(tables: ClassTables) -> tuple[Array, Array]:
    impurity, decrease = np.empty((2, tables.n_features))
    kernels.gini(tables.starts, tables.counts, impurity, decrease)
    return impurity, decrease


def _over(of_tables: Callable[[ClassTables], Array]) -> Callable[..., Array]:
    """Return a score of a summary from a function of its tables, some features at a time."""

    def score(summary: Counts, bins: int = 5) -> Array:
        return np.concatenate(summary.map_tables(of_tables, bins))

    score.__doc__ = of_tables.__doc__
    return score


def _over_cuts(of_tables: Callable[[ClassTables], Array]) -> Callable[..., Array]:
    """Return a score of a summary from a function of its tables with a bin for each cut point."""

    def score(summary: Counts) -> Array:
        return np.concatenate(summary.map_tables(of_tables, None))

    score.__doc__ = of_tables.__doc__
    return score


mutual_information = register("mutual_information", Counts, mirror_invariant=False)(
    _over(mutual_information_of)
)
chi2 = register("chi2", Counts, pvalue=_over(chi2_pvalue_of), mirror_invariant=False)(
    _over(chi2_of)
)
gini = register("gini", Counts, raw=_over(gini_impurity_of), mirror_invariant=False)(
    _over(gini_decrease_of)
)
symmetrical_uncertainty = register("symmetrical_uncertainty", Counts, mirror_invariant=False)(
    _over(symmetrical_uncertainty_of)
)
information_gain = register(
    "information_gain", Counts, threshold=_over_cuts(threshold_of), mirror_invariant=False
)(_over_cuts(information_gain_of))
