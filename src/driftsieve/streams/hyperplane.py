"""The rotating hyperplane: rows on one side or the other of a plane that moves with every row."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.base import Generated
from driftsieve.streams.checks import number, whole
from driftsieve.streams.concepts import flipped

Plane = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Weights, and the direction (1 or -1) in which each of the moving ones moves."""


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

    _stands: tuple[int, Plane] = field(init=False, repr=False)
    """The number of a block, and the plane at its first row."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 1)
        self.n_irrelevant = whole("n_irrelevant", self.n_irrelevant, 0, self.n_features - 1)
        self.n_moving = whole("n_moving", self.n_moving, 0, self.n_features - self.n_irrelevant)
        self.step = number("step", self.step, 0)
        self.turn = number("turn", self.turn, 0, 1)
        self.noise = number("noise", self.noise, 0, 1)
        self._stands = self._beginning()

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = stop - start
        X = rng.random((rows, self.n_features))
        weights, moved = self._moved(start // self.block_rows, rows)
        # Σ w (x - 1/2) ≥ 0, the weights as they were at the first row, and what was added since.
        from_middle = X - 0.5
        side = from_middle @ weights
        side += np.einsum("ij,ij->i", from_middle[:, : self.n_moving], moved)
        return X, flipped((side >= 0).astype(np.int64), self.noise, rng)

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        return np.arange(self.n_features - self.n_irrelevant)

    def weights_at(self, row: int) -> NDArray[np.float64]:
        """Return the weights by which a row is labelled."""
        weights, moved = self._moved(row // self.block_rows, self.block_rows)
        weights = weights.copy()
        weights[: self.n_moving] += moved[row % self.block_rows]
        return weights

    def _moved(self, block: int, rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights at the first row of a block, and what each row adds to them."""
        if not self.step:  # they never move
            return self._stands[1][0], np.zeros((rows, self.n_moving))
        if self._stands[0] > block:
            self._stands = self._beginning()
        for earlier in range(self._stands[0], block):
            weights, direction = self._stands[1]
            moved, last = self._steps(earlier, direction, self.block_rows)
            weights = weights.copy()
            weights[: self.n_moving] += moved[-1]
            self._stands = earlier + 1, (weights, last)
        weights, direction = self._stands[1]
        moved, _ = self._steps(block, direction, rows)
        return weights, moved[:-1]

    def _steps(
        self, block: int, direction: NDArray[np.float64], rows: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how far the weights have moved before each row of a block and behind the last, and
        the directions there."""
        turns = self.rng("turns", block).random((rows, self.n_moving)) < self.turn
        signs = direction * np.cumprod(np.where(turns, -1.0, 1.0), axis=0)
        moved = np.zeros((rows + 1, self.n_moving))
        np.cumsum(self.step * np.vstack([direction, signs[:-1]]), axis=0, out=moved[1:])
        return moved, signs[-1]

    def _beginning(self) -> tuple[int, Plane]:
        weights = np.zeros(self.n_features)
        relevant = self.n_features - self.n_irrelevant
        weights[:relevant] = self.rng("weights").random(relevant)
        return 0, (weights, np.ones(self.n_moving))
