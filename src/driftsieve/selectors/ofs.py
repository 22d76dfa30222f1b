"""OFS: a perceptron that keeps a few weights only.

Wang, Zhao, Hoi and Jin (2014), *Online Feature Selection and Its Applications*.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, dense
from driftsieve.selection import Rule, as_rule, require_whole
from driftsieve.selectors.mistakes import Cells, Floats, Pupil, added_up, over_outputs
from driftsieve.selectors.stepwise import StepwiseSelector
from driftsieve.streams.checks import number
from driftsieve.streams.randomness import generator


class OFS(StepwiseSelector):
    """Select the features that hold the weights of a truncated perceptron.

    After a mistake the row moves the weights, which are then projected on a ball of radius 1/√λ,
    and all but the k largest are set to zero (algorithm 2 of the paper).

    Parameters
    ----------
    k : int, TopK or Hysteresis, default=10
        How many features to select, and how many weights are kept.
    step : int, default=1
        The rows that are judged by the same weights, and move them together, each by
        learning_rate / step. 1 is the algorithm of the paper.
    learning_rate : float, default=0.2
        η, how far a mistake moves the weights.
    regularization : float, default=0.01
        λ, which makes the ball of the weights smaller.
    information : {"full", "partial"}, default="full"
        "partial": of each row, k cells are looked at and no others (algorithm 3): mostly those of
        the selected features, and now and then k at random, of those that are not missing.
    exploration : float, default=0.2
        ε, the share of rows whose cells are chosen at random, with partial information.
    scaling : {None, "minmax", "standard"}, default=None
        How columns are scaled by what has been seen of them. None: they are taken as they are.
    features : {"closed", "open"}, default="closed"
        "closed": every batch has the same columns. "open": named columns may come, go and
        change places.
    random_state : int, default=0
        Seeds the exploration.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features_in_,)
        The size of each feature's weight (larger is better, NaN undefined) and its rank.
    selection_, classes_, n_features_in_, feature_names_in_, n_samples_seen_, position_
        As in `FIRES`.

    *Deviations*: more than two classes are told one from all others, and a feature's score is the
    root of the mean square of its weights. Weights of rows multiply their steps.
    """

    _changeable = ()

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        step: int = 1,
        learning_rate: float = 0.2,
        regularization: float = 0.01,
        information: str = "full",
        exploration: float = 0.2,
        scaling: str | None = None,
        features: str = "closed",
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.step = step
        self.learning_rate = learning_rate
        self.regularization = regularization
        self.information = information
        self.exploration = exploration
        self.scaling = scaling
        self.features = features
        self.random_state = random_state

    @classmethod
    def law_variants(cls) -> Iterator[Self]:
        """Yield what the laws are put to."""
        yield cls(k=3)
        yield cls(k=3, step=8)
        yield cls(k=3, step=20, scaling="standard")
        yield cls(k=3, step=20, scaling="minmax")
        yield cls(k=2, information="partial")

    @property
    def draws(self) -> bool:
        """Whether cells are chosen at random."""
        return self.information == "partial"

    def _pupil(self, n_features: int) -> Pupil:
        rate = number("learning_rate", self.learning_rate)
        if rate <= 0:
            raise ValueError(f"learning_rate must be above 0, not {rate!r}")
        regularization = number("regularization", self.regularization)
        if regularization <= 0:
            raise ValueError(f"regularization must be above 0, not {regularization!r}")
        if self.information not in ("full", "partial"):
            raise ValueError(f'information must be "full" or "partial", not {self.information!r}')
        exploration = number("exploration", self.exploration, 0, 1)
        require_whole("random_state", self.random_state, 0)
        kept = getattr(as_rule(self.k), "k", None)
        if kept is None:
            raise ValueError(
                f"OFS keeps a number of weights: k must be one, or a rule that has one, "
                f"not {self.k!r}"
            )
        settings = int(kept), rate / int(self.step), 1 / np.sqrt(regularization)
        if self.information == "full":
            return Perceptron(n_features, *settings)
        return ThriftyPerceptron(n_features, *settings, exploration, int(self.random_state))

    def _worth(self, pupil: Any) -> NDArray[np.float64]:
        return over_outputs(pupil.w)


class Perceptron(Pupil):
    """Algorithm 2: a step after mistakes, projection, truncation."""

    weights: ClassVar = {"w": 0.0}
    w: Floats

    def __init__(self, n_features: int, k: int, rate: float, radius: float) -> None:
        super().__init__(n_features)
        self.k, self.rate, self.radius = k, rate, radius

    def step(self, output: int, cells: Cells, sign: Floats, weight: Floats) -> None:
        w = self.w[output]
        wrong = sign * cells.sums(w, len(sign)) <= 0
        if not wrong.any():
            return
        pull = np.where(wrong, self.rate * weight * sign, 0.0)
        self.w[output] = self.kept(w + self.moves(cells, pull))

    def moves(self, cells: Cells, pull: Floats) -> Floats:
        """Return how rows that pull move each weight."""
        return added_up(cells.column, pull[cells.row] * cells.value, self.n_features)

    def kept(self, w: Floats) -> Floats:
        """Project weights on the ball, and keep the k largest; the first of equals."""
        size = np.abs(w).max(initial=0.0)
        if size > 0:
            norm = size * np.linalg.norm(w / size)  # whose squares exist
            w = w * min(1.0, self.radius / norm)
        if np.count_nonzero(w) > self.k:
            w[np.argsort(-np.abs(w), kind="stable")[self.k :]] = 0.0
        return w

    def mirror(self) -> None:
        self.w[1] = -self.w[0]


class ThriftyPerceptron(Perceptron):
    """Algorithm 3: of each row k cells are looked at, and stand for those that are not.

    A cell's value is divided by the probability of being looked at, ε k / d plus 1 - ε for
    features that hold weights, d being the number of cells that are not missing.
    """

    def __init__(
        self, n_features: int, k: int, rate: float, radius: float, exploration: float, seed: int
    ) -> None:
        super().__init__(n_features, k, rate, radius)
        self.exploration, self.seed = exploration, seed
        self._likely = np.ones(0)

    def seen(self, rows: Batch) -> Cells:
        X = dense(rows.X)
        present = ~np.isnan(X)
        looked = np.zeros(X.shape, np.bool_)
        held = self._held()
        likely = np.empty(X.shape)
        for i, there in enumerate(present):
            d = int(there.sum())
            share = min(1.0, self.k / d) if d else 1.0
            likely[i] = self.exploration * share + (1 - self.exploration) * held
            random = generator(self.seed, "cells of OFS", self.rows_taken + i)
            if random.random() < self.exploration:
                lot = np.where(there, random.random(self.n_features), np.inf)
                looked[i, np.argsort(lot, kind="stable")[: self.k]] = True
            else:
                looked[i] = held
        row, column = np.nonzero(looked & present & (X != 0))
        self._likely = likely[row, column]
        return Cells(row, column, X[row, column].astype(np.float64))

    def _held(self) -> NDArray[np.bool_]:
        worth = over_outputs(self.w)
        held = np.zeros(self.n_features, np.bool_)
        held[np.argsort(-worth, kind="stable")[: self.k]] = True
        return held & (worth > 0)

    def moves(self, cells: Cells, pull: Floats) -> Floats:
        return super().moves(cells._replace(value=cells.value / self._likely), pull)
