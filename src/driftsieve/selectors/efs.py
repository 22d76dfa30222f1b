"""EFS: the extreme weights of a modified balanced winnow.

Carvalho and Cohen (2006), *Single-Pass Online Learning: Performance, Voting Schemes and Online
Feature Selection*.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.selection import Rule
from driftsieve.selectors.mistakes import Cells, Floats, Pupil, added_up
from driftsieve.selectors.stepwise import StepwiseSelector
from driftsieve.streams.checks import number

FAR = 600.0  # logarithms beyond this count as this in margins, so that these stay finite
FARTHEST = 1e100
NEARLY_ALL = 1 - 2.0**-53


class EFS(StepwiseSelector):
    """Select the features whose positive and negative weights lie farthest apart.

    A balanced winnow has two weights u and v for each feature, and predicts by the sign of
    Σ (u - v) x - threshold. A row within `margin` of the wrong side promotes one of them and
    demotes the other, by factors: u by promotion · (1 + x) and v by demotion · (1 - x), or the
    other way round. A feature's importance is |u - v|.

    Parameters
    ----------
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    step : int, default=1
        The rows that are judged by the same weights. 1 is the algorithm of the paper.
    promotion, demotion : float, default=1.5 and 0.5
        The factors α above 1 and β below 1.
    threshold : float, default=1.0
        θ, what a margin must exceed.
    margin : float, default=1.0
        M, by how much it must.
    scaling : {None, "minmax", "standard"}, default=None
        How columns are scaled by what has been seen of them. None: they are taken as they are.
    features : {"closed", "open"}, default="closed"
        "closed": every batch has the same columns. "open": named columns may come, go and
        change places.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features_in_,)
        The natural logarithm of |u - v| (larger is better, NaN undefined) and its rank. Of more
        than two classes, that of the largest.
    selection_, classes_, n_features_in_, feature_names_in_, n_samples_seen_, position_
        As in `FIRES`.

    A row gets a cell of 1 that belongs to no feature, and is divided by the sum of its sizes. u
    begins as 2 and v as 1. Logarithms of weights are kept: the weights themselves would be zero in
    floats after some thousand rows.

    *Deviations*: the paper knows no negative values; here these promote and demote the other way
    round. More than two classes are told one from all others. A row of weight 2 counts twice.
    """

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        step: int = 1,
        promotion: float = 1.5,
        demotion: float = 0.5,
        threshold: float = 1.0,
        margin: float = 1.0,
        scaling: str | None = None,
        features: str = "closed",
    ) -> None:
        self.k = k
        self.step = step
        self.promotion = promotion
        self.demotion = demotion
        self.threshold = threshold
        self.margin = margin
        self.scaling = scaling
        self.features = features

    @property
    def mirror_invariant(self) -> bool:
        """Never: u and v begin apart, and a mirrored feature has them exchanged."""
        return False

    @classmethod
    def law_variants(cls) -> Iterator[Self]:
        """Yield what the laws are put to."""
        yield cls(k=3)
        yield cls(k=3, step=8)
        yield cls(k=3, step=20, scaling="minmax")
        yield cls(k=3, step=20, scaling="standard")

    def _pupil(self, n_features: int) -> Pupil:
        promotion, demotion = (number(n, getattr(self, n)) for n in ("promotion", "demotion"))
        if promotion <= 1:
            raise ValueError(f"promotion must be above 1, not {promotion!r}")
        if not 0 < demotion < 1:
            raise ValueError(f"demotion must lie between 0 and 1, not {demotion!r}")
        threshold, margin = number("threshold", self.threshold), number("margin", self.margin, 0)
        return BalancedWinnow(n_features, promotion, demotion, threshold, margin)

    def _worth(self, pupil: Any) -> NDArray[np.float64]:
        importance: Floats = pupil.importance()
        return importance


class BalancedWinnow(Pupil):
    """Modified balanced winnow (figure 3 of the paper), with logarithms of weights."""

    weights: ClassVar = {"u": float(np.log(2.0)), "v": 0.0}
    alone: ClassVar = {"bias_u": float(np.log(2.0)), "bias_v": 0.0}
    u: Floats
    v: Floats
    bias_u: Floats
    bias_v: Floats

    def __init__(
        self, n_features: int, promotion: float, demotion: float, threshold: float, margin: float
    ) -> None:
        super().__init__(n_features)
        self.up, self.down = np.log(promotion), np.log(demotion)
        self.threshold, self.margin = threshold, margin

    def step(self, output: int, cells: Cells, sign: Floats, weight: Floats) -> None:
        u, v = self.u[output], self.v[output]
        length = 1.0 + added_up(cells.row, np.abs(cells.value), len(sign))
        share = np.minimum(np.abs(cells.value) / length[cells.row], NEARLY_ALL)
        signed = cells._replace(value=np.copysign(share, cells.value))
        bias = 1.0 / length
        score = signed.sums(_weight(u) - _weight(v), len(sign))
        score += bias * float(_weight(self.bias_u[output]) - _weight(self.bias_v[output]))
        wrong = sign * (score - self.threshold) <= self.margin
        if not wrong.any():
            return
        factor = np.where(wrong, weight, 0.0)
        raised = self.up + np.log1p(share)
        lowered = self.down + np.log1p(-share)
        for_class = sign[cells.row] * cells.value > 0
        times = factor[cells.row]
        for weights, change in (
            (u, np.where(for_class, raised, lowered)),
            (v, np.where(for_class, lowered, raised)),
        ):
            weights += added_up(cells.column, times * change, self.n_features)
            np.clip(weights, -FARTHEST, FARTHEST, out=weights)
        up, down = self.up + np.log1p(bias), self.down + np.log1p(-np.minimum(bias, NEARLY_ALL))
        self.bias_u[output] += float(factor @ np.where(sign > 0, up, down))
        self.bias_v[output] += float(factor @ np.where(sign > 0, down, up))

    def mirror(self) -> None:
        """Leave output 1 at the beginning: the mirror image would begin elsewhere (u as 1, v as 2),
        and features that appear later could not be told from those that had."""

    def importance(self) -> Floats:
        """Return log |u - v|, of the output where it is largest."""
        apart = np.abs(self.u - self.v)
        with np.errstate(divide="ignore"):
            importance = np.maximum(self.u, self.v) + np.log(-np.expm1(-apart))
        return np.asarray(importance.max(axis=0))


def _weight(logarithm: Any) -> Any:
    return np.exp(np.minimum(logarithm, FAR))
