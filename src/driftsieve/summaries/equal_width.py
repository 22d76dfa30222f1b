"""Equal-width bins by class, as in Pawling, Chawla & Chaudhary (2006), section 3.1.

The first values of a feature wait, and settle the bounds of its bins; later ones are counted only,
those outside in the first or the last bin. As long as the values wait, answers are exact.

No guarantee: bins are good while the first values tell where the later ones lie, and all but one
or two are empty where they don't, as when the rows come sorted by the feature.

Deviation. Each feature takes its own first values, rather than those of the first rows: some may be
missing, and features may appear later. What the paper leaves open: merged into another, bins of
other bounds are spread evenly over the bins that they overlap; and a feature that is constant at
first has two bins, up to that value and above it.
"""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import equal_width as kernels
from driftsieve.selection import require_whole
from driftsieve.state_values import require_array, require_within
from driftsieve.summaries.cells import CellCounts
from driftsieve.summaries.counts import Cuts
from driftsieve.threads import over_blocks

ARRAYS = (
    "low",
    "high",
    "least",
    "most",
    "known",
    "first",
    "first_codes",
    "first_weights",
    "counts",
)


class EqualWidth(CellCounts):
    """How many rows of each class fall into bins of equal width.

    Holds 40 bytes a feature, 8 for each bin and class of it, and 20 for each of its first values.

    Parameters
    ----------
    n_features, n_jobs : int
        How many features, and how many threads may work on them.
    bins : int, default=64
        Bins to a feature: as many as there are quantiles in the samplers of the paper for a
        million rows.
    first : int, default=100
        How many values of a feature settle the bounds of its bins.
    """

    answers_within: ClassVar[float] = 0.1
    """What is merged has the bounds of one side only, and weights are no further first values."""

    def __init__(
        self, n_features: int, n_jobs: int = 1, *, bins: int = 64, first: int = 100
    ) -> None:
        super().__init__(n_features, n_jobs)
        require_whole("bins", bins, 2)
        require_whole("first", first, 1)
        self.bins, self.first = int(bins), int(first)
        self._low, self._high, self._least, self._most = np.full((4, n_features), np.nan)
        self._known = np.zeros(n_features, np.int64)
        self._first = np.zeros((n_features, self.first))
        self._first_codes = np.zeros((n_features, self.first), np.int64)
        self._first_weights = np.zeros((n_features, self.first))
        self._counts = np.zeros((n_features, self.bins, 0))

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in self._arrays())

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, whatever the rows weigh."""
        return self.nbytes

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        wider = type(self)(n_features, bins=self.bins, first=self.first)
        wider._make_room(len(self._classes))
        for name in ARRAYS:
            getattr(wider, f"_{name}")[places] = getattr(self, f"_{name}")
            setattr(self, f"_{name}", getattr(wider, f"_{name}"))
        self.n_features = n_features

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, f"_{name}") for name in ARRAYS]

    def _take_in(
        self, X: NDArray[Any], codes: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> None:
        def work(lo: int, hi: int) -> None:
            kernels.take_in(X, codes, weights, lo, hi, *self._arrays())

        over_blocks(work, self.n_features, 4 * X.size, self.n_jobs)

    def _take_over(self, other: Self, into: NDArray[np.intp], gain: float) -> None:
        kernels.take_over(into, float(gain), *self._arrays(), *other._arrays())

    def _require_like(self, other: Self) -> None:
        if (self.bins, self.first) != (other.bins, other.first):
            raise ValueError(
                f"{other.bins} bins from {other.first} first values cannot be merged into "
                f"{self.bins} bins from {self.first}"
            )

    def _multiply(self, factor: float) -> float:
        self._counts *= factor
        self._first_weights *= factor
        return factor

    def _make_room(self, n_classes: int) -> None:
        wider = np.zeros((self.n_features, self.bins, n_classes))
        wider[:, :, : self._counts.shape[2]] = self._counts
        self._counts = wider

    def _cuts(self, lo: int, hi: int, *, every: bool) -> Cuts:
        n_classes = len(self._classes)
        room = (hi - lo) * max(self.bins, self.first)
        offsets, values = np.zeros(hi - lo + 1, np.int64), np.empty(room)
        weights = np.zeros((n_classes, room))
        kernels.cuts(lo, hi, *self._arrays(), offsets, values, weights)
        n = offsets[-1]
        return Cuts(
            offsets, values[:n], np.zeros(n), np.ascontiguousarray(weights[:, :n]),
            self._scale, np.zeros(n_classes), False,
        )  # fmt: skip

    def _least_values(self, lo: int, hi: int) -> NDArray[np.float64]:
        return self._least[lo:hi]

    def _own_state(self) -> dict[str, Any]:
        arrays = dict(zip(ARRAYS, self._arrays()))
        return {"bins": self.bins, "first_values": self.first, **arrays}

    @classmethod
    def _empty(cls, state: dict[str, Any]) -> Self:
        n_features, first = len(state["known"]), state["first_values"]
        require_array(state["first"], "first values", (n_features, first), np.float64)
        require_array(
            state["counts"], "counts", (n_features, state["bins"], len(state["labels"])), np.float64
        )
        if state["n_features"] != n_features:
            raise ValueError(f"{n_features} features instead of {state['n_features']}")
        return cls(n_features, bins=state["bins"], first=first)

    def _restore(self, state: dict[str, Any]) -> None:
        self._make_room(len(self._classes))
        for name, like in zip(ARRAYS, self._arrays()):
            require_array(state[name], name, like.shape, like.dtype.type)
            setattr(self, f"_{name}", np.ascontiguousarray(state[name]))
        require_within(self._known, self.first + 1, "numbers of first values")
        waiting = np.arange(self.first) < self._known[:, None]
        require_within(self._first_codes[waiting], len(self._classes), "classes")
        settled = self._known == self.first
        for amounts in (self._counts, self._first_weights[waiting]):
            if not (np.isfinite(amounts).all() and (amounts >= 0).all()):
                raise ValueError("weights are finite and not negative")
        low, high, least, most = (
            array[settled] for array in (self._low, self._high, self._least, self._most)
        )
        ordered = (least <= low) & (low <= high) & (high <= most)
        if not (ordered & np.isfinite(least) & np.isfinite(most)).all():
            raise ValueError("bounds that are none")
        if not np.isfinite(self._first[waiting]).all():
            raise ValueError("first values that are none")
