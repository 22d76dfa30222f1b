"""Random samplers of Gupta & Zane (2003), as Pawling, Chawla & Chaudhary (2006), sections 3.2 and
3.3, use them for ranks of exponential and of equal frequency.

To know the rank r of a feature's values in a class, take each row with probability T / r and keep
the T least values taken: the largest of them has about the rank r. Ranks beyond the middle are told
by samplers that keep the largest values. A sampler for each of the ranks β, β², ... answers every
question of how many rows have a value of at most v within a factor (1 + ε)^1.5, with
T = 8 ε⁻² ln n, with high probability. Equal frequency needs samplers of ranks from n / bins on.

One uniform draw u serves all samplers of a row: those of probabilities of more than u take it. So
their samples are nested, a value is held once, and it is held as long as fewer than T values before
it were drawn as low: some T (1 + ln(n / T)) values a side, instead of T for each sampler. Samplers
of ranks that no row has reached are there without being held: that is how they spawn lazily.

A row of weight w is drawn as w rows are, by the least of their draws, so fading multiplies weights
and draws alike, and costs nothing. Two such summaries are merged by putting their values together
and dropping what no sampler keeps: that is the sample of all rows, if the draws were independent.
Give summaries that will be merged different seeds (windows see to their parts themselves).

Deviations. Probabilities of samplers are a factor of 2^(1/32) apart rather than β = 1 + ε / 10,
since that costs nothing; a rank is estimated from the probabilities with which all
values up to it were kept, rather than rounded to a power of α; cut points are values whose ranks
grow by a factor β; T is that of `horizon` rows. Values that have faded to 2^-40 of the heaviest one
are dropped.
"""

from collections.abc import Iterator
from math import ceil, log, log2, sqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.kernels import sampled_cuts
from driftsieve.kernels.samplers import FADED, LEVELS
from driftsieve.selection import require_whole
from driftsieve.streams import randomness
from driftsieve.summaries.blocks import DenseBlock
from driftsieve.summaries.cells import CellCounts
from driftsieve.summaries.counts import Cuts
from driftsieve.summaries.sampled import HIGHEST, Rows, Sampled
from driftsieve.summaries.sound import require_sound_rows
from driftsieve.summaries.waiting import WaitingRows

BLOCK_ROWS = 4096
"""Rows that wait to be sampled together, at least. All values held are looked at each time, so they
are a quarter as many as a feature has of these, if that is more."""
MOST_ROWS = 1 << 17
"""Rows that wait at most."""
MOST_DRAWN = 1 << 62
SMALLEST_DRAW = 2.0**-54


class ExponentialFrequency(CellCounts):
    """Samplers of ranks that grow by a constant factor from both ends.

    Parameters
    ----------
    n_features, n_jobs : int
        How many features, and how many threads may work on them.
    epsilon : float, default=0.5
        ε: counts are within a factor (1 + ε)^1.5. The paper's experiments have 0.5.
    horizon : int, default=1,000,000
        How many rows the promise is made for. Longer streams are well served, too: only the
        probability of 1 - 1 / horizon² is for so many.
    seed : int, default=0
        Of the draws.
    """

    _options: ClassVar[tuple[str, ...]] = ("epsilon", "horizon", "seed")

    def __init__(
        self,
        n_features: int,
        n_jobs: int = 1,
        *,
        epsilon: float = 0.5,
        horizon: int = 1_000_000,
        seed: int = 0,
    ) -> None:
        super().__init__(n_features, n_jobs)
        if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float, np.number)):
            raise ValueError(f"epsilon must be a number between 0 and 1, not {epsilon!r}")
        if not 0 < epsilon <= 1:
            raise ValueError(f"epsilon must lie between 0 and 1, not {epsilon!r}")
        require_whole("horizon", horizon, 2)
        require_whole("seed", seed, 0)
        self.epsilon, self.horizon, self.seed = float(epsilon), int(horizon), int(seed)
        self._drawn = 0
        self._lists = Sampled.empty(n_features, 0)
        self._waiting = WaitingRows(BLOCK_ROWS)

    @property
    def size(self) -> int:
        """T: how many values a sampler keeps."""
        return ceil(8 * self.epsilon**-2 * log(self.horizon))

    @property
    def n_bins(self) -> int:
        """How many quantiles α^-i there are within `horizon` rows, on both sides."""
        return 2 * ceil(log(self.horizon / 2) / log(1 + self.epsilon))

    @property
    def nbytes(self) -> int:
        return self._lists.nbytes + self._waiting.nbytes

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be after rows of this weight, but for one time in 10^20."""
        n_classes = max(len(self._classes), 1)
        rows = weight / n_classes / self.size
        faded = log(1 / FADED) if self._lists.weighted or self._scale != 1 else 0.0
        values = self.size * (1 + log(1 + rows) + faded)
        per_class = 2 * (values + 10 * sqrt(values)) * (10 + 8 * bool(faded)) + 24
        block = max(self._waiting.size, min(n_classes * values, MOST_ROWS))
        waiting = block * (8 * self.n_features + 12)
        return ceil(self.n_features * n_classes * per_class + waiting + 8)

    def begin_at(self, row: int) -> None:
        """Draw for the rows to come as rows from this number on: parts of a stream that will be
        merged draw independently then."""
        self._drawn = row

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        self._lists = self._lists.rearranged(places, n_features)
        self._waiting.rearrange(places, n_features)
        self.n_features = n_features

    @property
    def _bins(self) -> int:
        """Bins of equal frequency; 0 for exponential frequency."""
        return 0

    def _take_in(
        self, X: NDArray[Any], codes: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> None:
        given = None if (weights == 1).all() else weights
        self._absorb(self._waiting.blocks(X, codes.astype(np.int32), given))

    def _absorb(self, blocks: Iterator[DenseBlock]) -> None:
        for block in blocks:
            self._lists = self._sampled(block.X, block.codes, block.weights)
            self._drawn += len(block.codes)
            self._waiting.size = max(self._waiting.size, self._block_rows())

    def _block_rows(self) -> int:
        return min(self._lists.n_entries // (4 * self.n_features), MOST_ROWS)

    def _sampled(
        self, X: NDArray[Any], codes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> Sampled:
        """Return the lists with the next rows in them."""
        numbers = np.arange(self._drawn, self._drawn + len(X), dtype=np.uint64)
        draws = -np.log1p(-randomness.uniforms(self.seed, "samplers", numbers))
        mass = np.ones(len(X)) if weights is None else weights
        levels = np.floor(LEVELS * np.log2(mass / np.maximum(draws, SMALLEST_DRAW)))
        levels = np.clip(levels, -HIGHEST, HIGHEST).astype(np.int64)
        rows = Rows(np.ascontiguousarray(X), codes, levels, mass, weights is not None)
        return self._lists.absorb(rows, self.size, self._bins, self.n_jobs)

    def _settled(self) -> Self:
        if not self._waiting.n:
            return self
        other = type(self)(self.n_features, self.n_jobs, **self._parameters())
        other._classes, other._scale = self._classes, self._scale
        other._lists = self._sampled(*self._waiting.rows())
        other._drawn = self._drawn + self._waiting.n
        return other

    def _take_over(self, other: Self, into: NDArray[np.intp], gain: float) -> None:
        self._lists = self._lists.merge(other._lists, into, gain, self.size, self._bins)
        self._drawn += other._drawn
        # Rows that wait have not been drawn yet, and are as the next ones here.
        self._absorb(self._waiting.blocks_of(other._waiting, into.astype(np.int32), gain))

    def _require_like(self, other: Self) -> None:
        for name in self._options:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs and name != "seed":
                raise ValueError(f"{name} differs: {mine!r} here, {theirs!r} there")

    def _multiply(self, factor: float) -> float:
        octaves = round(log2(factor))
        self._lists = self._lists.scaled(octaves)
        self._waiting.scale(2.0**octaves)
        return float(2.0**octaves)

    def _make_room(self, n_classes: int) -> None:
        self._lists = self._lists.with_classes(n_classes)

    def _cuts(self, lo: int, hi: int, *, every: bool) -> Cuts:
        lists, n_classes = self._lists, len(self._classes)
        offsets, room = np.zeros(hi - lo + 1, np.int64), 0
        if n_classes:
            room = int(lists.offsets[hi * n_classes] - lists.offsets[lo * n_classes])
        values, weights = np.empty(room), np.zeros((n_classes, room))
        factor, bins = (1.0, 0) if every else (1 + self.epsilon / 10, self._bins)
        sampled_cuts.cut_points(
            lo, hi, int(lists.levels.min(initial=0)), self.size, factor, bins, *lists.arrays,
            lists.weighted, lists.totals, lists.floors, offsets, values, weights
        )  # fmt: skip
        n = offsets[-1]
        return Cuts(
            offsets, values[:n], np.zeros(n), np.ascontiguousarray(weights[:, :n]),
            self._scale, np.zeros(n_classes), False,
        )  # fmt: skip

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._options}

    def _own_state(self) -> dict[str, Any]:
        return {
            "parameters": self._parameters(),
            "drawn": self._drawn,
            "lists": dict(vars(self._lists)),
            "waiting": self._waiting.to_state(),
        }

    @classmethod
    def _empty(cls, state: dict[str, Any]) -> Self:
        return cls(state["n_features"], **state["parameters"])

    def _restore(self, state: dict[str, Any]) -> None:
        n_classes, waiting = len(self._classes), state["waiting"]
        require_whole("the number of rows drawn", state["drawn"], 0)
        if state["drawn"] > MOST_DRAWN:
            raise ValueError("more rows drawn than there can be")
        self._drawn = state["drawn"]
        self._lists = Sampled(**state["lists"])
        self._lists.require_sound(self.n_features, n_classes)
        require_sound_rows(waiting["rows"], waiting["size"], self.n_features, n_classes)
        self._waiting.restore({**waiting, "size": min(waiting["size"], MOST_ROWS)})


class EqualFrequency(ExponentialFrequency):
    """Samplers of ranks that are equally far apart.

    Parameters
    ----------
    n_features, n_jobs, epsilon, horizon, seed
        As of `ExponentialFrequency`.
    bins : int, optional
        Bins to a class, between which the ranks lie; by default, as many as there are quantiles of
        exponential frequency.
    """

    _options: ClassVar[tuple[str, ...]] = (*ExponentialFrequency._options, "bins")

    def __init__(
        self,
        n_features: int,
        n_jobs: int = 1,
        *,
        epsilon: float = 0.5,
        horizon: int = 1_000_000,
        seed: int = 0,
        bins: int | None = None,
    ) -> None:
        super().__init__(n_features, n_jobs, epsilon=epsilon, horizon=horizon, seed=seed)
        if bins is not None:
            require_whole("bins", bins, 2)
        self.bins = None if bins is None else int(bins)

    @property
    def _bins(self) -> int:
        return self.n_bins if self.bins is None else self.bins
