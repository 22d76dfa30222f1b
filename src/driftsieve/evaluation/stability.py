"""How stable selections are: the measure of Nogueira, Sechidis and Brown.

Nogueira, Sechidis & Brown (2018), *On the Stability of Feature Selection Algorithms*, Journal of
Machine Learning Research 18(174); over a shifting window of selections as in Haug, Pawelczyk,
Broelemann & Kasneci (2020), *Leveraging Model Inherent Variable Importance for Stable Online
Feature Selection*, eq. 7.

With r selections of d features, p_f the share of the selections that hold feature f, k_i the size
of selection i, k their mean and c = k/d (1 - k/d), which is what chance gives::

    stability = 1 - 1/d Σ_f r/(r-1) p_f (1 - p_f) / c                                (definition 4)

1 means that all selections are equal, 0 what selections at random would give. Its variance is
estimated by 4/r² Σ_i (φ_i - mean φ)² with ::

    φ_i = (1/d Σ_{f in i} p_f - k_i k/d² + stability/2 (2 k_i k/d² - k_i/d - k/d + 1)) / c

(theorem 7), and the estimate is normal for many selections, which gives the interval (corollary 9).
The interval is left as it comes, and so may reach beyond 1. It supposes independent selections;
those of a stream depend on each other, so read it as a spread rather than as a promise.

All features selected every time, or none at all, make the quotient 0/0. Such selections are all
equal, and equal selections have stability 1 for every other number of features, as the measure's
fourth property demands (maximal if and only if the selection is deterministic). So it is 1 here,
too.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Stability:
    """An estimate of the stability of a feature selection."""

    value: float
    """At most 1; NaN with fewer than two selections."""
    variance: float
    low: float
    high: float
    """The ends of the confidence interval."""


UNKNOWN = Stability(np.nan, np.nan, np.nan, np.nan)


def stability(
    selections: Sequence[NDArray[np.intp]], n_features: int, confidence: float = CONFIDENCE
) -> Stability:
    """Return the stability of selections, each an array of columns, of `n_features` features.

    Costs O(r k): features that were never selected do not matter.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence must lie between 0 and 1, not {confidence!r}")
    sizes = np.array([len(selection) for selection in selections], dtype=np.float64)
    r, d = len(sizes), n_features
    if r < 2:
        return UNKNOWN
    features, places, counts = np.unique(
        np.concatenate(selections), return_inverse=True, return_counts=True
    )
    if features.size and not 0 <= features[0] <= features[-1] < d:
        raise ValueError(f"a selection holds column {features[-1]} of {d} features")
    share = counts / r
    if (counts == r).all():  # equal selections, also of no feature and of all of them
        return Stability(1.0, 0.0, 1.0, 1.0)
    k = sizes.mean()
    by_chance = k / d * (1 - k / d)
    value = 1 - np.sum(share * (1 - share)) * r / (r - 1) / d / by_chance
    selection_of = np.repeat(np.arange(r), sizes.astype(np.intp))
    shared = np.bincount(selection_of, share[places], r) / d
    phi = shared - sizes * k / d**2
    phi += value / 2 * (2 * sizes * k / d**2 - sizes / d - k / d + 1)
    phi /= by_chance
    variance = 4 / r**2 * np.sum((phi - phi.mean()) ** 2)
    reach = float(ndtri(0.5 + confidence / 2) * np.sqrt(variance))
    return Stability(float(value), float(variance), float(value - reach), float(value + reach))


class StabilityWindow:
    """The stability of the last `size` selections."""

    def __init__(self, size: int) -> None:
        self._selections: deque[NDArray[np.intp]] = deque(maxlen=size)

    def update(self, selection: NDArray[np.intp], n_features: int) -> Stability:
        """Take a selection in and return the stability.

        `n_features` is how many there are by now: those that are new were not selected before.
        """
        self._selections.append(np.array(selection, dtype=np.intp))
        return stability(self._selections, n_features)
