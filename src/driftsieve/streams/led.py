"""The LED stream: a digit, as seven segments show it, among others that show nothing."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.checks import number, whole
from driftsieve.streams.concepts import Drifting
from driftsieve.streams.randomness import bits

SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=np.uint8,
)
"""Which are lit, by digit: top, upper left and right, middle, lower left and right, bottom."""
DIGITS, LIT = SEGMENTS.shape


@dataclass(kw_only=True, eq=False)
class LED(Drifting):
    """Digits on a display of seven segments, each of which is wrong with probability `noise`.

    Breiman, Friedman, Olshen & Stone (1984), Classification and regression trees; LED and LEDDrift
    in MOA and river. The digits 0 to 9 are equally likely. Columns that show no segment are 0 or 1
    with even chances. At each drift, `swapped` of the seven relevant columns change places with as
    many of the others, which are drawn.

    Deviations: in MOA and river the columns that change places are neighbours, and noise of 0.1 is
    0.09 in river, because 0.01 is added to its random numbers.
    """

    n_features: int = 24
    noise: float = 0.1
    swapped: int = 4

    _layouts: list[NDArray[np.intp]] = field(init=False, repr=False)
    """The columns of the segments in each concept, as far as they have been drawn."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, LIT)
        self.noise = number("noise", self.noise, 0, 1)
        self.swapped = whole("swapped", self.swapped, 0, LIT)
        if self.drift_every is not None and self.swapped > self.n_features - LIT:
            raise ValueError(
                f"swapped must be at most {self.n_features - LIT}, the number of columns that show "
                f"no segment, not {self.swapped}"
            )
        self._layouts = [np.arange(LIT)]

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(range(self.n_features))

    @property
    def n_concepts(self) -> int | None:
        return None if self.swapped else 1

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        return np.sort(self._layout(concept))

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        y = rng.integers(DIGITS, size=rows)
        shown = SEGMENTS[y]
        if self.noise:
            shown ^= rng.random(shown.shape) < self.noise
        X = bits(rng, rows, self.n_features)
        X[:, self._layout(concept)] = shown
        return X.astype(np.float64), y

    def _layout(self, concept: int) -> NDArray[np.intp]:
        while len(self._layouts) <= concept:
            layout = self._layouts[-1].copy()
            rng = self.rng("swaps", len(self._layouts))
            others = np.setdiff1d(np.arange(self.n_features), layout)
            segments = rng.choice(LIT, self.swapped, replace=False)
            layout[segments] = rng.choice(others, self.swapped, replace=False)
            self._layouts.append(layout)
        return self._layouts[concept]
