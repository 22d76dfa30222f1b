"""Scores from class tables: mutual information, chi-squared and Gini, after Wang & Barbu (2021).

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
from driftsieve.summaries.quantiles import Quantiles

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

    def score(quantiles: Quantiles, bins: int = 5) -> Array:
        return np.concatenate(quantiles.map_tables(of_tables, bins))

    score.__doc__ = of_tables.__doc__
    return score


mutual_information = register("mutual_information", Quantiles, mirror_invariant=False)(
    _over(mutual_information_of)
)
chi2 = register("chi2", Quantiles, pvalue=_over(chi2_pvalue_of), mirror_invariant=False)(
    _over(chi2_of)
)
gini = register("gini", Quantiles, raw=_over(gini_impurity_of), mirror_invariant=False)(
    _over(gini_decrease_of)
)
