"""Lists of sampled values by feature and class: what sampler summaries are made of."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import samplers as kernels
from driftsieve.state_values import require_array
from driftsieve.threads import over_blocks

FEATURES = 64
"""Features whose lists are rewritten at a time."""
EFFORT = 16
"""Taking a value in takes about so many times as long as adding it up (see `over_blocks`)."""
LEVEL = np.int16
HIGHEST = kernels.HIGHEST


class Rows(NamedTuple):
    """Dense rows, with the highest level of which a sampler takes each."""

    X: NDArray[Any]
    codes: NDArray[np.int32]
    levels: NDArray[np.int64]
    weights: NDArray[np.float64]
    weighted: bool


@dataclass(frozen=True)
class Sampled:
    """The lists, one after the other: those of the classes of the first feature first."""

    offsets: NDArray[np.int64]
    values: NDArray[Any]
    levels: NDArray[np.int16]
    weights: NDArray[np.float64]
    """Empty while all rows weigh 1."""
    totals: NDArray[np.float64]
    """The weight of each feature (rows) and class (columns), without missing values."""
    floors: NDArray[np.int64]
    """The lowest level that is left, or NONE if all are, of each feature and class."""

    @classmethod
    def empty(cls, n_features: int, n_classes: int) -> "Sampled":
        return cls(
            np.zeros(n_features * n_classes + 1, np.int64),
            np.empty(0, np.float32),
            np.empty(0, LEVEL),
            np.empty(0),
            np.zeros((n_features, n_classes)),
            np.full((n_features, n_classes), kernels.NONE, np.int64),
        )

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in vars(self).values())

    @property
    def n_entries(self) -> int:
        return len(self.values)

    @property
    def weighted(self) -> bool:
        return len(self.weights) > 0

    def absorb(self, rows: Rows, size: int, bins: int, n_jobs: int) -> "Sampled":
        """Return the lists with these rows sampled; `size`: how many values a sampler keeps."""
        weighted = rows.weighted or self.weighted
        mine = self.fit(rows.X.dtype, weighted)
        base = int(min(mine.levels.min(initial=0), rows.levels.min(initial=0)))
        totals, floors = mine.totals.copy(), mine.floors.copy()

        def rewrite(lo: int, hi: int, *out: Any) -> None:
            kernels.absorb(
                *rows[:4], weighted, lo, hi, base, size, bins, *mine.arrays, totals, floors, *out
            )

        return mine._rewritten(rewrite, len(rows.X), weighted, totals, floors, n_jobs)

    def merge(
        self, other: "Sampled", into: NDArray[np.intp], gain: float, size: int, bins: int
    ) -> "Sampled":
        """Return the lists of both; the other's class i is `into[i]`, its weights times `gain`."""
        if not other.totals.any():
            return self
        weighted = self.weighted or other.weighted or gain != 1
        mine = self.fit(other.values.dtype, weighted)
        other = other.fit(mine.values.dtype, weighted)
        shift = round(kernels.LEVELS * np.log2(gain))
        lowest = max(int(other.levels.min(initial=0)) + shift, -HIGHEST)
        base = min(int(mine.levels.min(initial=0)), lowest)
        totals, floors = mine.totals.copy(), mine.floors.copy()
        longest = int(np.diff(other.offsets).max(initial=0)) * len(other.totals[0])

        def rewrite(lo: int, hi: int, *out: Any) -> None:
            kernels.combine(
                lo, hi, base, size, bins, weighted, into, shift, float(gain), *mine.arrays, totals,
                floors, *other.arrays, other.totals, other.floors, *out
            )  # fmt: skip

        return mine._rewritten(rewrite, longest, weighted, totals, floors, 1)

    def fit(self, dtype: np.dtype[Any], weighted: bool) -> "Sampled":
        """Return the same with values as wide as `dtype`, and with weights if wanted."""
        wide = np.promote_types(self.values.dtype, dtype)
        weights = np.ones(len(self.values)) if weighted and not self.weighted else self.weights
        return replace(self, values=self.values.astype(wide, copy=False), weights=weights)

    def with_classes(self, n_classes: int) -> "Sampled":
        """Return the same with nothing in the classes that are new."""
        n_features, old = self.totals.shape
        wider = Sampled.empty(n_features, n_classes)
        wider.totals[:, :old], wider.floors[:, :old] = self.totals, self.floors
        lengths = np.zeros((n_features, n_classes), np.int64)
        lengths[:, :old] = np.diff(self.offsets).reshape(n_features, old)
        offsets = _offsets(lengths.ravel())
        return replace(self, offsets=offsets, totals=wider.totals, floors=wider.floors)

    def rearranged(self, places: NDArray[np.intp], n_features: int) -> "Sampled":
        """Return the same with feature j at `places[j]` of `n_features`."""
        old, n_classes = self.totals.shape
        source = np.full(n_features, -1)
        source[places] = np.arange(old)
        known = source >= 0
        wider = Sampled.empty(n_features, n_classes)
        wider.totals[known] = self.totals[source[known]]
        wider.floors[known] = self.floors[source[known]]
        lengths = np.zeros((n_features, n_classes), np.int64)
        lengths[known] = np.diff(self.offsets).reshape(old, n_classes)[source[known]]
        starts = self.offsets[:-1].reshape(old, n_classes)[source[known]].ravel()
        each = lengths[known].ravel()
        chosen = np.repeat(starts - _offsets(each)[:-1], each) + np.arange(each.sum())
        return Sampled(
            _offsets(lengths.ravel()),
            self.values[chosen],
            self.levels[chosen],
            self.weights[chosen] if self.weighted else self.weights,
            wider.totals,
            wider.floors,
        )

    def scaled(self, octaves: int) -> "Sampled":
        """Return the same with all weights times 2^octaves: exactly."""
        shift = kernels.LEVELS * octaves
        mine = self.fit(self.values.dtype, True)
        levels = np.clip(mine.levels.astype(np.int64) + shift, -HIGHEST, HIGHEST)
        floors = np.clip(mine.floors + shift, -HIGHEST, HIGHEST)
        return replace(
            mine,
            weights=mine.weights * 2.0**octaves,
            levels=levels.astype(LEVEL),
            totals=mine.totals * 2.0**octaves,
            floors=np.where(mine.floors == kernels.NONE, kernels.NONE, floors),
        )

    def require_sound(self, n_features: int, n_classes: int) -> None:
        """Raise ValueError unless these are lists of so many features and classes."""
        n = len(self.values)
        require_array(self.offsets, "offsets", (n_features * n_classes + 1,), np.int64)
        require_array(self.values, "values", (n,), np.float32, np.float64)
        require_array(self.levels, "levels", (n,), LEVEL)
        weights = (n,) if self.weighted else (0,)
        require_array(self.weights, "weights", weights, np.float64)
        require_array(self.totals, "totals", (n_features, n_classes), np.float64)
        require_array(self.floors, "floors", (n_features, n_classes), np.int64)
        if self.offsets[0] != 0 or self.offsets[-1] != n or (np.diff(self.offsets) < 0).any():
            raise ValueError("offsets that do not ascend")
        for amounts in (self.weights, self.totals):
            if not (np.isfinite(amounts).all() and (amounts >= 0).all()):
                raise ValueError("weights that are none")
        ascends = np.diff(self.values) >= 0
        ascends[self.offsets[1:-1][(self.offsets[1:-1] > 0) & (self.offsets[1:-1] < n)] - 1] = True
        if not (np.isfinite(self.values).all() and ascends.all()):
            raise ValueError("values that do not ascend")
        within = (np.abs(self.floors) <= HIGHEST) | (self.floors == kernels.NONE)
        if not within.all():
            raise ValueError("levels out of bounds")

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.offsets, self.values, self.levels, self.weights

    def _rewritten(
        self, rewrite: Any, more: int, weighted: bool, totals: Any, floors: Any, n_jobs: int
    ) -> "Sampled":
        """Return what `rewrite` writes, some features at a time, with room for `more` values in
        each."""
        n_features, n_classes = self.totals.shape
        bounds = [*range(0, n_features, FEATURES), n_features]
        parts: list[Any] = [None] * (len(bounds) - 1)

        def work(first: int, last: int) -> None:
            for part in range(first, last):
                lo, hi = bounds[part], bounds[part + 1]
                held = self.offsets[hi * n_classes] - self.offsets[lo * n_classes]
                room = int(held) + more * (hi - lo)
                lengths = np.zeros((hi - lo) * n_classes, np.int64)
                values, levels = np.empty(room, self.values.dtype), np.empty(room, LEVEL)
                weights = np.empty(room if weighted else 0)
                rewrite(lo, hi, lengths, values, levels, weights)
                n = lengths.sum()
                arrays = (array[:n].copy() for array in (values, levels, weights))
                parts[part] = (lengths, *arrays)

        over_blocks(work, len(parts), EFFORT * more * n_features, n_jobs)
        if not parts:
            return replace(self, totals=totals, floors=floors)
        lengths, values, levels, weights = (np.concatenate(part) for part in zip(*parts))
        return Sampled(_offsets(lengths), values, levels, weights, totals, floors)


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
