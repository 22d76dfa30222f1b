"""Scores from the directions of a sketch: how much a feature says of where a point lies."""

import numpy as np
from numpy.typing import NDArray

SHORTEST = 1e-7
"""A direction shorter than this, relative to the longest, is rounding."""


def ridge_weights(
    directions: NDArray[np.float64], lengths: NDArray[np.float64], alpha: float | str = "auto"
) -> NDArray[np.float64]:
    """Return how much each feature weighs in predicting the points' places on some directions.

    `directions` has a column for each; each is taken at the length that `lengths` says, and its
    own does not matter. The prediction is ridge regression of the right singular vectors on the
    features, which has a closed form (Huang, Yoo & Kasiviswanathan 2015, Lemma 3.3): the
    coefficients are U diag(σ / (σ² + α)), and a feature weighs as much as the largest of its own
    (eq. 4).

    `alpha` "auto" is 2³ times the shortest of the lengths (section 5.1).
    """
    long = lengths > SHORTEST * lengths.max(initial=0.0)
    lengths, directions = lengths[long], directions[:, long]
    if not len(lengths):
        return np.full(len(directions), np.nan)
    alpha = 8.0 * float(lengths.min()) if alpha == "auto" else float(alpha)
    units = directions / np.linalg.norm(directions, axis=0)
    weights: NDArray[np.float64] = np.abs(units * (lengths / (lengths**2 + alpha))).max(axis=1)
    return weights
