"""The SEA stream: the sum of two features against a threshold, and two others after each drift."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.checks import number, several, whole
from driftsieve.streams.concepts import Drifting, flipped


@dataclass(kw_only=True, eq=False)
class SEA(Drifting):
    """Two relevant features whose sum is beyond a threshold (class 1) or not.

    Street & Kim (2001), A streaming ensemble algorithm (SEA) for large-scale classification, have
    three features of which the first two are relevant, and four thresholds: 8, 9, 7 and 9.5. With
    feature drift (Barddal, Gomes, Enembreck & Pfahringer 2017, A survey on feature drift
    adaptation) the relevant pair moves on by two columns at each drift, round and round.

    Relevant features are uniform in [0, 10), the others in [0, 10·`irrelevant_scale`). Concept i
    has number i of `thresholds`. Each label is the other one with probability `noise`.
    """

    n_features: int = 3
    thresholds: float | Sequence[float] = (8.0, 9.0, 7.0, 9.5)
    noise: float = 0.1
    irrelevant_scale: float = 1.0

    _thresholds: tuple[float, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 2)
        self._thresholds = several(
            "thresholds", self.thresholds, lambda name, one: number(name, one, 0, 20)
        )
        self.noise = number("noise", self.noise, 0, 1)
        self.irrelevant_scale = number("irrelevant_scale", self.irrelevant_scale, 0)

    @property
    def n_concepts(self) -> int:
        pairs = self.n_features if self.n_features % 2 else self.n_features // 2
        return lcm(pairs, len(self._thresholds))

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        return np.sort((2 * concept + np.arange(2)) % self.n_features)

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        one, other = self.relevant_in(concept)
        X = rng.random((rows, self.n_features))
        if self.irrelevant_scale == 1:
            X *= 10
        else:
            scale = np.full(self.n_features, 10 * self.irrelevant_scale)
            scale[[one, other]] = 10
            X *= scale
        beyond = X[:, one] + X[:, other] > self._thresholds[concept % len(self._thresholds)]
        return X, flipped(beyond.astype(np.int64), self.noise, rng)
