"""The rotating hyperplane: rows on one side or the other of a plane that moves with every row."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.base import Generated
from driftsieve.streams.checks import number, whole
from driftsieve.streams.concepts import flipped


class Stretch(NamedTuple):
    """The way of the plane through a block of rows."""

    block: int
    weights: NDArray[np.float64]
    """At the first row."""
    moved: NDArray[np.float64]
    """What the moving weights have gained before each row, and behind the last one."""
    direction: NDArray[np.float64]
    """In which each of them goes on, 1 or -1."""


@dataclass(kw_only=True, eq=False)
class Hyperplane(Generated):
    """Uniform rows, of class 1 where Σ w_j x_j ≥ Σ w_j / 2: Hyperplane in MOA and river.

    Hulten, Spencer & Domingos (2001), Mining time-changing data streams, section 4. The weights
    begin uniform in [0, 1). Behind each row, the first `n_moving` of them move by `step` in their
    direction, which then turns with probability `turn`. The other way round is each label with
    probability `noise`.

    The last `n_irrelevant` features have no weight.

    Deviations: in river, `noise` and `turn` are less by 0.01 than they say. The way of the weights
    is a walk: entering the stream at row n takes the steps of the n rows before.
    """

    n_features: int = 10
    n_moving: int = 2
    step: float = 0.0
    turn: float = 0.1
    noise: float = 0.05
    n_irrelevant: int = 0

    _stretch: Stretch = field(init=False, repr=False)
    """The last one that was asked for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 1)
        self.n_irrelevant = whole("n_irrelevant", self.n_irrelevant, 0, self.n_features - 1)
        self.n_moving = whole("n_moving", self.n_moving, 0, self.n_features - self.n_irrelevant)
        self.step = number("step", self.step, 0)
        self.turn = number("turn", self.turn, 0, 1)
        self.noise = number("noise", self.noise, 0, 1)
        self._stretch = self._first()

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        X = rng.random((stop - start, self.n_features))
        stretch = self._at(start // self.block_rows)
        # Σ w (x - 1/2) ≥ 0, the weights as they were at the first row, and what was added since.
        from_middle = X - 0.5
        side = from_middle @ stretch.weights
        if self.step:
            side += np.einsum("ij,ij->i", from_middle[:, : self.n_moving], stretch.moved[:-1])
        return X, flipped((side >= 0).astype(np.int64), self.noise, rng)

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        return np.arange(self.n_features - self.n_irrelevant)

    def weights_at(self, row: int) -> NDArray[np.float64]:
        """Return the weights by which a row is labelled."""
        stretch = self._at(row // self.block_rows)
        weights = stretch.weights.copy()
        weights[: self.n_moving] += stretch.moved[row % self.block_rows]
        return weights

    def _at(self, block: int) -> Stretch:
        """Walk to a block."""
        if not self.step:  # the plane stands still
            return self._stretch
        if self._stretch.block > block:
            self._stretch = self._first()
        while self._stretch.block < block:
            number, weights, moved, direction = self._stretch
            weights = weights.copy()
            weights[: self.n_moving] += moved[-1]
            self._stretch = self._through(number + 1, weights, direction)
        return self._stretch

    def _first(self) -> Stretch:
        weights = np.zeros(self.n_features)
        relevant = self.n_features - self.n_irrelevant
        weights[:relevant] = self.rng("weights").random(relevant)
        return self._through(0, weights, np.ones(self.n_moving))

    def _through(
        self, block: int, weights: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> Stretch:
        shape = self.block_rows, self.n_moving
        turns = self.rng("turns", block).random(shape) < self.turn
        directions = np.empty((self.block_rows + 1, self.n_moving))
        directions[0] = direction
        np.cumprod(1 - 2.0 * turns, axis=0, out=directions[1:])
        directions[1:] *= direction
        moved = np.zeros_like(directions)
        np.cumsum(self.step * directions[:-1], axis=0, out=moved[1:])
        return Stretch(block, weights, moved, directions[-1].copy())
