"""The conditional generator: each class accepts only some values of some of the columns."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.accepted import Intervals, Subsets
from driftsieve.streams.checks import number, whole
from driftsieve.streams.concepts import Drifting

HELD = 4
"""Concepts that are held at a time."""


@dataclass(frozen=True)
class Concept:
    """What the classes accept; behind the last class, everything is accepted."""

    numeric: NDArray[np.intp]
    """The relevant ones of the numeric columns, and of the nominal ones."""
    nominal: NDArray[np.intp]
    intervals: Intervals
    subsets: Subsets


@dataclass(kw_only=True, eq=False)
class Conditional(Drifting):
    """Numeric and nominal columns whose values satisfy constraints of the row's class: CONDITIONAL
    and FY A to D.

    Yuan, Pfahringer & Barddal (2018), Iterative subset selection for feature drifting data streams,
    section 6. A concept has `n_relevant` columns of either kind, and each class has constraints on
    a random number of them, from one to all:

    - of a numeric column: 1 to `n_divisions` points, drawn uniformly, cut its range into intervals
      that are accepted and rejected in turn, beginning with either;
    - of a nominal column: some of its `n_values` are accepted, but not all.

    A relevant column that no class has a constraint on gets one of a class that is drawn. A row
    draws its class uniformly, and then each value uniformly from those that the class accepts. With
    probability `noise` all of its values are drawn without regard to the class. Each drift draws a
    new concept.

    Numeric columns, `x_num_0` and so on, go from 0 to a scale that is drawn once; nominal ones,
    `x_cat_0` and so on, hold codes from 0. Relevant are the columns of which not all classes accept
    the same values.

    Deviations: the paper's own generator tests intervals so that most accept everything, and draws
    values until one is accepted. Here the accepted ones are drawn at once.
    """

    n_relevant: int = 5
    n_irrelevant: int = 10
    n_classes: int = 2
    n_values: int = 10
    n_divisions: int = 10
    noise: float = 0.0

    _scales: NDArray[np.float64] = field(init=False, repr=False)
    _held_concepts: dict[int, Concept] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_relevant = whole("n_relevant", self.n_relevant, 1)
        self.n_irrelevant = whole("n_irrelevant", self.n_irrelevant)
        self.n_classes = whole("n_classes", self.n_classes, 2)
        self.n_values = whole("n_values", self.n_values, 2)
        self.n_divisions = whole("n_divisions", self.n_divisions, 1)
        self.noise = number("noise", self.noise, 0, 1)
        self._scales = 1 + 99 * self.rng("scales").random(self._of_a_kind)

    @property
    def _of_a_kind(self) -> int:
        return self.n_relevant + self.n_irrelevant

    @property
    def n_features(self) -> int:
        return 2 * self._of_a_kind

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"x_{kind}_{j}" for kind in ("num", "cat") for j in range(self._of_a_kind))

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(range(self._of_a_kind, self.n_features))

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        held = self._concept(concept)
        numeric = held.numeric[held.intervals.differ(self.n_classes)]
        nominal = held.nominal[held.subsets.differ(self.n_classes)]
        return np.concatenate([np.sort(numeric), self._of_a_kind + np.sort(nominal)])

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        held, split = self._concept(concept), self._of_a_kind
        y = rng.integers(self.n_classes, size=rows)
        accepts = np.where(rng.random(rows) < self.noise, self.n_classes, y) if self.noise else y
        X = np.empty((rows, self.n_features))
        X[:, :split] = rng.random((rows, split))
        X[:, split:] = rng.integers(self.n_values, size=(rows, split), dtype=np.int32)
        X[:, held.numeric] = held.intervals.values(accepts, X[:, held.numeric])
        shares = rng.random((rows, self.n_relevant))
        X[:, split + held.nominal] = held.subsets.values(accepts, shares)
        X[:, :split] *= self._scales
        return X, y

    def _concept(self, concept: int) -> Concept:
        held = self._held_concepts
        if concept not in held:
            if len(held) >= HELD:
                held.clear()
            held[concept] = self._drawn(self.rng("concept", concept))
        return held[concept]

    def _drawn(self, rng: np.random.Generator) -> Concept:
        k = self.n_relevant
        numeric, nominal = (rng.choice(self._of_a_kind, k, replace=False) for _ in range(2))
        constrained = np.zeros((self.n_classes + 1, 2 * k), dtype=bool)
        for line in constrained[:-1]:
            line[rng.choice(2 * k, rng.integers(1, 2 * k + 1), replace=False)] = True
        left = np.flatnonzero(~constrained.any(axis=0))
        constrained[rng.integers(self.n_classes, size=len(left)), left] = True
        return Concept(
            numeric,
            nominal,
            Intervals.drawn(constrained[:, :k], self.n_divisions, rng),
            Subsets.drawn(constrained[:, k:], self.n_values, rng),
        )
