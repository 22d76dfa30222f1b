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

Where the stream drifts, selections ought to change, and this measure takes that for instability.
**Stability within concepts** compares selections of the same concept only. Let V be the mean
variance, 1/d Σ_f r/(r-1) p_f (1 - p_f), and c what chance gives, as above, but of the r selections
of one concept. Pooled over concepts by their degrees of freedom, as in an analysis of variance::

    stability within concepts = 1 - Σ (r - 1) V / Σ (r - 1) c

It is the mean of the concepts' stabilities by weights (r - 1) c. With one concept it is the measure
above. A selector that changes at each drift and at no other time has 1, however different its
selections are; one that selects at random has 0. What was selected under one concept has no
influence on how the selections of another are judged. A concept of which there is one selection
says nothing. Concepts are independent, so the variance, linearised as in theorem 7, is
4 Σ ((r - 1)/r)² Σ_i (φ_i - mean φ)² / (Σ (r - 1) c)², with c left out of φ, the stability of all
concepts and the mean φ of one.

No time is granted for finding the new features: while a selector changes its mind, after a drift,
it is unstable in the new concept.

All features selected every time, or none at all, make the quotient 0/0. Such selections are all
equal, and equal selections have stability 1 for every other number of features, as the measure's
fourth property demands (maximal if and only if the selection is deterministic). So it is 1 here,
too.
"""

from collections import deque
from collections.abc import Hashable, Sequence
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
    selections: Sequence[NDArray[np.intp]],
    n_features: int,
    confidence: float = CONFIDENCE,
    concepts: Sequence[Hashable] | None = None,
) -> Stability:
    """Return the stability of selections, each an array of columns, of `n_features` features.

    With `concepts`, which says of each selection under which concept it was made: the stability
    within concepts. Costs O(r k): features that were never selected do not matter.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence must lie between 0 and 1, not {confidence!r}")
    d = n_features
    columns = np.concatenate([*selections, np.empty(0, dtype=np.intp)])
    if columns.size and not 0 <= columns.min() <= columns.max() < d:
        wrong = columns[(columns < 0) | (columns >= d)][0]
        raise ValueError(f"a selection holds column {wrong} of {d} features")
    concept = _numbered(concepts, len(selections))
    compared = np.bincount(concept)[concept] > 1
    if not compared.any():
        return UNKNOWN
    kept = [selection for selection, fits in zip(selections, compared, strict=True) if fits]
    concept = np.unique(concept[compared], return_inverse=True)[1]
    sizes = np.array([len(selection) for selection in kept], dtype=np.float64)
    r = np.bincount(concept)
    k = np.bincount(concept, sizes) / r
    selection_of = np.repeat(np.arange(len(kept)), sizes.astype(np.intp))
    # Each feature in each concept where it was selected, as one number.
    chosen, places, counts = np.unique(
        concept[selection_of] * d + np.concatenate(kept), return_inverse=True, return_counts=True
    )
    concept_of = chosen // d
    share = counts / r[concept_of]
    if (share == 1).all():  # equal selections, also of no feature and of all of them
        return Stability(1.0, 0.0, 1.0, 1.0)
    by_chance = np.sum((r - 1) * k / d * (1 - k / d))
    value = 1 - np.sum(share * (1 - share) * r[concept_of]) / d / by_chance
    mean = k[concept]
    phi = np.bincount(selection_of, share[places], len(kept)) / d - sizes * mean / d**2
    phi += value / 2 * (2 * sizes * mean / d**2 - sizes / d - mean / d + 1)
    phi -= (np.bincount(concept, phi) / r)[concept]
    phi *= ((r - 1) / r)[concept] / by_chance
    variance = 4 * np.sum(phi**2)
    reach = float(ndtri(0.5 + confidence / 2) * np.sqrt(variance))
    return Stability(float(value), float(variance), float(value - reach), float(value + reach))


class StabilityWindow:
    """The stability of the last `size` selections."""

    def __init__(self, size: int) -> None:
        self._selections: deque[NDArray[np.intp]] = deque(maxlen=size)
        self._concepts: deque[Hashable] = deque(maxlen=size)

    def update(
        self, selection: NDArray[np.intp], n_features: int, concept: Hashable = None
    ) -> Stability:
        """Take a selection in and return the stability, within concepts if they differ.

        `n_features` is how many there are by now: those that are new were not selected before.
        """
        self._selections.append(np.array(selection, dtype=np.intp))
        self._concepts.append(concept)
        return stability(self._selections, n_features, concepts=self._concepts)


def _numbered(concepts: Sequence[Hashable] | None, selections: int) -> NDArray[np.intp]:
    """Return concepts as numbers from 0."""
    if concepts is None:
        return np.zeros(selections, dtype=np.intp)
    if len(concepts) != selections:
        raise ValueError(f"there are {len(concepts)} concepts of {selections} selections")
    numbers: dict[Hashable, int] = {}
    numbered = [numbers.setdefault(concept, len(numbers)) for concept in concepts]
    return np.array(numbered, dtype=np.intp)
