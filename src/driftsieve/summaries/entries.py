"""Sorted entries with class weights, feature after feature: what quantile summaries are made of.

An entry is a value, the weight by class of the rows that it stands for (all of them at most that
value), and an uncertainty: how much of this and all later entries may lie below the value. Its
rows and those of the earlier entries are certain to be at most the value; see Greenwald & Khanna
(2001), whose g is the weight and whose delta, less what the entry has of its own value, the
uncertainty.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import entries as entry_kernels
from driftsieve.kernels import quantiles as kernels
from driftsieve.kernels.bins import FORGOTTEN
from driftsieve.kernels.places import places
from driftsieve.summaries.blocks import SortedColumns

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

HEAVY = 2**31
"""Features that weigh more than this take floating-point numbers: as much again might come."""


class Policy(NamedTuple):
    """When entries are joined: once a feature has more than `capacity` of them, as far as no
    uncertainty exceeds `twice_epsilon` times the feature's weight; `fixed` features never."""

    twice_epsilon: float
    capacity: int
    fixed: Flags

    def of(self, lo: int, hi: int) -> "Policy":
        """Return the policy for the features lo..hi."""
        return self._replace(fixed=self.fixed[lo:hi])

    def never(self, n_features: int) -> "Policy":
        """Return the policy that joins nothing."""
        return self._replace(fixed=np.ones(n_features, np.bool_))


@dataclass(frozen=True)
class Entries:
    """The entries of some features, side by side; feature j has those from offsets[j] on.

    A missing value is an entry too: NaN, the last of its feature.
    """

    offsets: Ints
    values: NDArray[Any]
    uncertainty: NDArray[Any]
    """Whole numbers, as narrow as possible, while all rows weigh one; float64 from then on."""
    weights: NDArray[Any]
    """Classes by entries; of the type of the uncertainties."""
    mass: NDArray[np.float64]
    """The weight of each feature, without missing values."""
    joined: Flags
    """Whether entries of a feature were ever joined: until then it is exact."""

    @classmethod
    def empty(cls, n_features: int, n_classes: int) -> "Entries":
        return cls(
            np.zeros(n_features + 1, np.int64),
            np.empty(0, np.float32),
            np.empty(0, np.uint32),
            np.empty((n_classes, 0), np.uint32),
            np.zeros(n_features),
            np.zeros(n_features, np.bool_),
        )

    @property
    def n_features(self) -> int:
        return len(self.mass)

    @property
    def n_entries(self) -> int:
        return len(self.values)

    @property
    def lists(self) -> "tuple[Entries, ...]":
        """All lists of entries that there are: one."""
        return (self,)

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in vars(self).values())

    @property
    def heaviest(self) -> float:
        """The most that a feature weighs, missing values included."""
        last = self.offsets[1:] - 1
        last = last[np.diff(self.offsets) > 0]
        missing = self.weights[:, last[np.isnan(self.values[last])]].sum(axis=0).max(initial=0)
        return float(self.mass.max(initial=0.0) + missing)

    @property
    def largest(self) -> float:
        """No entry weighs more, or is more uncertain."""
        each = float(self.weights.max(initial=0)) * len(self.weights)
        return max(each, float(self.uncertainty.max(initial=0)))

    def absorb(self, rows: SortedColumns, policy: Policy) -> "Entries":
        """Return the entries with these rows taken in."""
        new = float((rows.segments[:, -1] - rows.segments[:, 0]).max(initial=0))
        coming = new + policy.twice_epsilon * (new + self.mass.max(initial=0.0))
        mine = self.fit(rows.values.dtype, self._kind(coming, rows.weighted))
        out = _Room(mine, len(rows.values))
        mass, joined = self.mass.copy(), self.joined.copy()
        place = np.empty((rows.segments.shape[1] - 1, mine.n_entries + mine.n_features), np.uint32)
        places(rows.values, rows.segments, mine.offsets, mine.values, joined,
               policy.fixed, policy.capacity, place)  # fmt: skip
        kernels.absorb(
            *rows, place, mine.offsets, mine.values, mine.uncertainty, mine.weights, mass, joined,
            policy.fixed, policy.twice_epsilon, policy.capacity, *out.arrays
        )  # fmt: skip
        return out.packed(mass, joined)

    def merge(self, other: "Entries", into: Ints, gain: float, policy: Policy) -> "Entries":
        """Return the entries of both; the other's class i is `into[i]`, its weights times `gain`.

        There must be room for all classes already.
        """
        mass, joined = self.mass + gain * other.mass, self.joined | other.joined
        weighted = gain != 1 or self.heaviest + other.heaviest > HEAVY
        joining = policy.twice_epsilon * mass.max(initial=0.0)
        kind = np.promote_types(
            self._kind(joining + other.largest, weighted),
            other._kind(joining + self.largest, weighted),
        )
        mine = self.fit(other.values.dtype, kind)
        other = other.fit(mine.values.dtype, kind)
        out = _Room(mine, len(other.values))
        entry_kernels.combine(
            mine.offsets, mine.values, mine.uncertainty, mine.weights,
            other.offsets, other.values, other.uncertainty, other.weights, into, float(gain),
            mass, joined, policy.fixed, policy.twice_epsilon, policy.capacity, *out.arrays
        )  # fmt: skip
        return out.packed(mass, joined)

    def pruned(self, most: int, fixed: Flags) -> "Entries":
        """Return about `most` entries of each feature that is not fixed, evenly spaced by rank."""
        mine = self.fit(self.values.dtype, self._kind(np.inf))
        out = _Room(mine, 1)
        entry_kernels.prune(
            mine.offsets, mine.values, mine.uncertainty, mine.weights, most, fixed, *out.arrays
        )
        joined = self.joined | (np.diff(self.offsets) != out.lengths)
        return out.packed(self.mass, joined)

    def fit(self, dtype: np.dtype[Any], kind: np.dtype[Any]) -> "Entries":
        """Return the same with values as wide as `dtype`, and weights of this kind."""
        wide = np.promote_types(self.values.dtype, dtype)
        return replace(
            self,
            values=self.values.astype(wide, copy=False),
            uncertainty=self.uncertainty.astype(kind, copy=False),
            weights=self.weights.astype(kind, copy=False),
        )

    def _kind(self, coming: float, weighted: bool = False) -> np.dtype[Any]:
        """Return the numbers to count in, if no entry will grow by more than what is `coming`.

        Features that were never joined stay away from 16 bits: a value of theirs may soon have
        as many rows as that.
        """
        if weighted or self.weights.dtype == np.float64:
            return np.dtype(np.float64)
        largest = self.largest
        if largest * len(self.values) > HEAVY and self.heaviest > HEAVY:  # seldom asked: slower
            return np.dtype(np.float64)
        light = self.joined.all() and largest + coming < 2**16
        return np.dtype(np.uint16 if light else np.uint32)

    def scaled(self, factor: float, fixed: Flags) -> "Entries":
        """Return the same with all weights times `factor`.

        Entries of `fixed` features that have faded away are dropped: nothing else takes them away.
        """
        mine = self.fit(self.values.dtype, np.dtype(np.float64))
        weights = mine.weights * factor
        lengths = np.diff(mine.offsets)
        kept = (weights.sum(axis=0) >= FORGOTTEN) | ~np.repeat(fixed, lengths)
        before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        return Entries(
            before[mine.offsets],
            mine.values[kept],
            mine.uncertainty[kept] * factor,
            np.ascontiguousarray(weights[:, kept]),
            mine.mass * factor,
            mine.joined,
        )

    def with_classes(self, n_classes: int) -> "Entries":
        """Return the same with nothing in the classes that are new."""
        new = np.zeros((n_classes - len(self.weights), len(self.values)), self.weights.dtype)
        return replace(self, weights=np.concatenate([self.weights, new]))

    def whole(self, policy: Policy) -> "Entries":
        """Return all entries as one list: what they are."""
        return self

    def take(self, features: Ints, rows: NDArray[np.float64]) -> "Entries":
        """Return the entries of some features, in that order; feature -1 is missing in `rows`."""
        known = self._chosen(features)
        lacking = features < 0
        if not lacking.any() or not rows.any():
            return known
        offsets = np.concatenate([[0], np.cumsum(lacking)]).astype(np.int64)
        n = offsets[-1]
        missing = Entries(
            offsets,
            np.full(n, np.nan, np.float32),
            np.zeros(n),
            np.repeat(rows[:, None], n, axis=1),
            np.zeros(len(features)),
            np.zeros(len(features), np.bool_),
        )
        whole = (rows == np.floor(rows)).all() and rows.sum() <= HEAVY
        if known.weights.dtype != np.float64 and whole:
            missing = replace(
                missing,
                uncertainty=missing.uncertainty.astype(np.uint32),
                weights=missing.weights.astype(np.uint32),
            )
        policy = Policy(0.0, 0, np.ones(len(features), np.bool_))
        return known.merge(missing, np.arange(len(rows)), 1.0, policy)

    def _chosen(self, features: Ints) -> "Entries":
        lengths = np.where(
            features < 0, 0, np.diff(self.offsets, append=self.offsets[-1])[features]
        )
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        starts = np.repeat(self.offsets[features] - offsets[:-1], lengths)
        chosen = np.arange(offsets[-1]) + starts
        known = features >= 0
        return Entries(
            offsets,
            self.values[chosen],
            self.uncertainty[chosen],
            np.ascontiguousarray(self.weights[:, chosen]),
            np.where(known, np.append(self.mass, 0.0)[features], 0.0),
            known & np.append(self.joined, False)[features],
        )

    @classmethod
    def joined_features(cls, parts: "list[Entries]") -> "Entries":
        """Return the features of all parts, one part after the other."""
        dtype = np.result_type(*(part.values.dtype for part in parts))
        kind = np.result_type(*(part.weights.dtype for part in parts))
        parts = [part.fit(dtype, kind) for part in parts]
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.uncertainty for part in parts]),
            np.concatenate([part.weights for part in parts], axis=1),
            np.concatenate([part.mass for part in parts]),
            np.concatenate([part.joined for part in parts]),
        )

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Entries":
        return cls(**state)


class _Room:
    """Room for the entries that a kernel writes: more than it can need, of which only what it
    touches takes memory; `packed` keeps just that."""

    def __init__(self, like: Entries, more: int) -> None:
        most = len(like.values) + more + like.n_features
        self.values = np.empty(most, like.values.dtype)
        self.uncertainty = np.empty(most, like.uncertainty.dtype)
        self.weights = np.empty((len(like.weights), most), like.weights.dtype)
        self.lengths = np.empty(like.n_features, np.int64)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.values, self.uncertainty, self.weights, self.lengths

    def packed(self, mass: NDArray[np.float64], joined: Flags) -> Entries:
        offsets = np.zeros(len(mass) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        n = offsets[-1]
        return Entries(
            offsets,
            self.values[:n].copy(),
            self.uncertainty[:n].copy(),
            self.weights[:, :n].copy(),
            mass,
            joined,
        )
