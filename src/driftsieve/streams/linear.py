"""The drifting linear stream of Wang & Barbu 2021."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from sys import maxsize
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.base import Generated, between
from driftsieve.streams.checks import floating, number, whole


@dataclass(kw_only=True, eq=False)
class DriftingLinear(Generated):
    """Two classes by the sign of a linear function whose coefficients move along the features.

    Wang & Barbu 2021, Online Feature Screening for Data Streams with Concept Drift, eq. 20-22.
    Row i (counted from 0) has z ~ N(0, 1) and independent ε, e ~ N(0, 1):

    - x_j = nu·z + ε_j for each feature j (eq. 21);
    - t = signal·Σ x_j + intercept + noise·e, summed over the relevant features (eq. 20);
    - the relevant features are k in a row, from step·⌊i / shift_every⌋ on (eq. 22);
    - y is 1 where t > 0, else 0: balanced where `intercept` is 0.

    The paper moves by one feature at each shift (`step=1`); `step=k` gives a wholly new set.
    Features wrap around: behind the last one comes the first. `shift_every=None` never moves.

    Deviations: none from the equations. But two features of eq. 21 as printed have the
    correlation nu²/(1 + nu²), 0.2 for nu = 0.5, not the nu/(1 + nu) of the paper's text.
    """

    n_features: int = 1_000
    k: int = 100
    signal: float = 1.0
    nu: float = 0.5
    shift_every: int | None = 2_000
    step: int = 1
    intercept: float = 0.0
    noise: float = 1.0
    dtype: str = "float64"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 1)
        self.k = whole("k", self.k, 1, self.n_features)
        if self.shift_every is not None:
            self.shift_every = whole("shift_every", self.shift_every, 1)
        self.step = whole("step", self.step)
        self.signal = number("signal", self.signal)
        self.nu = number("nu", self.nu)
        self.intercept = number("intercept", self.intercept)
        self.noise = number("noise", self.noise, 0)
        floating(self.dtype)

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = stop - start
        common = self.nu * rng.standard_normal((rows, 1))
        target = self.noise * rng.standard_normal(rows) + self.intercept
        X: NDArray[Any] = rng.standard_normal((rows, self.n_features), dtype=floating(self.dtype))
        X += common.astype(X.dtype)
        for low, high in pairwise([start, *between(self.drift_points, start, stop), stop]):
            here = slice(low - start, high - start)
            first = self._first_at(low)
            behind = first + self.k - self.n_features  # how many wrap around
            for columns in (slice(first, first + self.k), slice(0, max(behind, 0))):
                target[here] += self.signal * X[here, columns].sum(axis=1, dtype=np.float64)
        return X, (target > 0).astype(np.int64)

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        columns = np.arange(self._first_at(row), self._first_at(row) + self.k) % self.n_features
        return np.sort(columns)

    @property
    def drift_points(self) -> Sequence[int]:
        if self.shift_every is None or self.k == self.n_features:
            return ()
        if self.step % self.n_features == 0:
            return ()
        return range(
            self.shift_every, maxsize if self.n_rows is None else self.n_rows, self.shift_every
        )

    def _first_at(self, row: int) -> int:
        return (
            0 if self.shift_every is None else row // self.shift_every * self.step % self.n_features
        )
