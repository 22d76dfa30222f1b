"""Feature weights from lasso paths: the largest coefficient of each feature over several targets.

D. Cai, C. Zhang and X. He (2010), *Unsupervised Feature Selection for Multi-Cluster Data*,
section 3.2; GENFEATWEIGHT with p = 1 of Huang et al. (2015) is the same with other targets.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram

AT_FIRST = 500
"""Features that a path is tried with first, at least, and then two for each step of it."""

GRAMS = 5
"""Matrices of the size of a Gram matrix that a path takes: itself, copies, the Cholesky factor."""

SLACK = 1e-9
"""By so much, relatively, a feature left out may be more correlated than those that are in."""

BLOCK = 1 << 20
"""Correlations looked at in one go, when features that were left out are checked."""


def first_candidates(features: int, steps: int) -> int:
    """Return how many features a path of so many steps is tried with first."""
    return min(features, max(AT_FIRST, 2 * steps))


def lasso_weights(
    X: Any,
    targets: NDArray[np.float64],
    steps: Sequence[int],
    *,
    penalty: float | None = None,
    max_bytes: float = np.inf,
) -> NDArray[np.float64]:
    """Regress each target on the columns of `X` by the lasso; return, for each of the numbers
    `steps`, the largest absolute coefficient of each feature after so many steps of the path.

    With a penalty, a path ends early where the sum of squared errors plus the penalty times the
    sum of absolute coefficients is least. No intercept; columns are taken as they are.

    A path is worked out by LARS on some features, by their Gram matrix. If at any of its knots a
    feature left out is correlated with what is left to explain more than those that are in, it is
    added, and the path tried again: so the path is that of all features, without the Gram matrix
    of all.
    """
    columns = X if isinstance(X, np.ndarray) else sparse.csc_array(X)
    weights = np.zeros((len(steps), X.shape[1]))
    whole = None
    # With a penalty, how many steps there will be is not known; what is missed is added later.
    begin_with = first_candidates(X.shape[1], max(steps) if penalty is None else 0)
    if begin_with == X.shape[1]:  # one matrix serves all targets
        whole = _gram(columns, max_bytes)
    for target in targets.T:
        chosen, coefs = _path(columns, target, max(steps), penalty, begin_with, whole, max_bytes)
        for row, number in enumerate(steps):
            at = np.abs(coefs[:, min(number, coefs.shape[1] - 1)])
            weights[row, chosen] = np.maximum(weights[row, chosen], at)
    return weights


def _path(
    X: Any,
    target: NDArray[np.float64],
    steps: int,
    penalty: float | None,
    begin_with: int,
    whole: NDArray[np.float64] | None,
    max_bytes: float,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return some features and their coefficients at the knots of the path of all features."""
    toward = X.T @ target
    size = np.abs(toward).max(initial=0.0)
    if size == 0:
        return np.empty(0, np.intp), np.zeros((0, 1))
    target, toward = target / size, toward / size  # scikit-learn's tolerances are absolute
    end = 0.0 if penalty is None else penalty / 2 / size
    chosen = np.sort(np.argsort(-np.abs(toward), kind="stable")[:begin_with])
    while True:
        gram = _gram(X[:, chosen], max_bytes) if whole is None else whole
        alphas, coefs = _lars(gram, toward[chosen], steps, end)
        missed = np.setdiff1d(_too_correlated(X, target, chosen, coefs, alphas), chosen)
        if not len(missed):
            return chosen, coefs * size
        chosen = np.union1d(chosen, missed)


def _lars(
    gram: NDArray[np.float64], toward: NDArray[np.float64], steps: int, end: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the correlations at the knots of a path, and the coefficients (features by knots).

    Of columns that are equal but for their sign only the first takes part: scikit-learn's LARS
    mistakes columns for each other when one depends on those that are in. Where it still says that
    this happened, columns are kept apart by a ridge far below anything that matters.
    """
    diagonal = np.diag(gram)
    equal = np.abs(gram) >= (1 - 1e-12) * np.maximum.outer(diagonal, diagonal)
    first = np.flatnonzero(~np.triu(equal, 1).any(axis=0))
    part = gram if len(first) == len(gram) else gram[np.ix_(first, first)]
    for ridge in (0.0, 1e-9, 1e-7):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            alphas, _, found = lars_path_gram(
                Xy=toward[first],
                Gram=part + np.diag(ridge * diagonal[first]) if ridge else part,
                n_samples=1,  # so that alphas are correlations
                max_iter=steps,
                alpha_min=end,
                method="lasso",
            )
        if not any("degenerate" in str(warning.message) for warning in said):
            break
    coefs = np.zeros((len(gram), found.shape[1]))
    coefs[first] = found
    return alphas, coefs


def _gram(X: Any, max_bytes: float) -> NDArray[np.float64]:
    needed = GRAMS * 8 * X.shape[1] ** 2
    if needed > max_bytes:
        raise ValueError(
            f"a lasso path through {X.shape[1]:,} features needs {needed / 1e9:.3g} GB: "
            "raise max_bytes, or ask for fewer nonzero coefficients"
        )
    gram = X.T @ X
    return np.asarray(gram if isinstance(gram, np.ndarray) else gram.toarray())


def lasso_bytes(features: int, steps: int) -> float:
    """Estimate what a path of so many steps takes beside the rows."""
    candidates = first_candidates(features, steps)
    return 8.0 * (GRAMS * candidates**2 + 4 * candidates * (steps + 1) + 3 * BLOCK)


def _too_correlated(
    X: Any,
    target: NDArray[np.float64],
    chosen: NDArray[np.intp],
    coefs: NDArray[np.float64],
    alphas: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the features that violate the conditions of optimality at some knot of a path."""
    if len(chosen) == X.shape[1]:
        return chosen
    own, found = X[:, chosen], np.zeros(X.shape[1], np.bool_)
    block = max(1, BLOCK // max(X.shape))
    for begin in range(0, len(alphas), block):
        knots = slice(begin, begin + block)
        left = target[:, None] - own @ coefs[:, knots]
        found |= (np.abs(X.T @ left) > alphas[knots] * (1 + SLACK)).any(axis=1)
    return np.flatnonzero(found)
