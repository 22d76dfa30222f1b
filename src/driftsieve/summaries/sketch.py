"""Frequent directions: a few directions that stand for all rows of a stream.

Liberty (2013), *Simple and Deterministic Matrix Sketching*; Ghashami, Liberty, Phillips & Woodruff
(2016), *Frequent Directions*. Huang, Yoo & Kasiviswanathan (2015) keep it for batches (Algorithm 2,
steps 1 to 4).

For the rows Y seen so far (times the roots of their weights) and the sketch B of `size` rows, with
E = YᵀY − BᵀB:

- E is positive semidefinite: no direction is ever overrated;
- size · ‖E‖₂ ≤ tr E = ‖Y‖² − ‖B‖²;
- hence ‖E‖₂ ≤ ‖Y − Y_k‖² / (size − k) for every k < size, Y_k being the best approximation of rank
  k. For with Δ = ‖E‖₂, tr E ≤ kΔ + ‖Y − Y_k‖²: the k best directions miss Δ each at most.

The first two hold of every step (`driftsieve.summaries.shrinking`), and of sums: so the third holds
in any order of the rows, after any merging, and under fading, for the rows as they then weigh.

*Deviations*: the squares shrink by the first that is not kept, not by the last that is. All `size`
rows of the sketch are used so, nothing is lost where there are no more directions than that, and
the sketch equals the paper's with one column more. A step takes in a fixed number of rows, and not
a batch, so that batching does not matter.
"""

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import LARGEST, Batch
from driftsieve.selection import require_whole
from driftsieve.state_values import finite_or_none
from driftsieve.summaries import shrinking
from driftsieve.summaries.range_finder import found, is_worth_it
from driftsieve.summaries.shrinking import Step
from driftsieve.summaries.sketch_rows import Floats, ScaledRows, checked_lengths, filled, lengths_of
from driftsieve.summaries.varied import Varied

STEP = 1000
"""Rows to a step: the batches of the paper."""
WAITING = 1 << 23
"""Values that wait at most, unless that is fewer rows than twice the size of the sketch."""
SMALLEST_SCALE = 2.0**-100
SHORTEST = 1e-300
"""Rows shorter than this count as zeros."""


class FrequentDirections:
    """A sketch of the rows of a stream, dense or sparse, in one pass.

    Holds 8 · n_features · size bytes once a step was taken, 64 · n_features if there are many dense
    rows, and up to `step` rows that wait, as they came.

    `unit` scales rows to unit length; rows of zeros stay zero. `fill` counts missing values as
    zeros; without, they are refused.
    """

    def __init__(
        self,
        n_features: int,
        n_jobs: int = 1,
        *,
        size: int | None = None,
        unit: bool = False,
        fill: bool = False,
        seed: int = 0,
    ) -> None:
        self.n_features = n_features
        self.n_jobs = n_jobs
        self.size = default_size(n_features) if size is None else size
        self.unit = unit
        self.fill = fill
        self.seed = seed
        self.varied = Varied(n_features)
        self._scale = 1.0
        self._energy = 0.0
        self._doubt = 0.0
        self._steps = 0
        self._known: Floats | None = None
        self._spare: Floats | None = None
        self._rows = ScaledRows()

    @property
    def step(self) -> int:
        """The rows that a step takes in."""
        return int(max(2 * self.size, min(STEP, WAITING // max(self.n_features, 1))))

    @property
    def nbytes(self) -> int:
        arrays = [array for array in (self._known, self._spare) if array is not None]
        return sum(a.nbytes for a in arrays) + self._rows.nbytes + self.varied.nbytes

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, whatever the rows weigh."""
        each = 8 * (self.size + shrinking.SPARE) + 24
        return each * self.n_features + self.step * (12 * self.n_features + 32)

    @property
    def energy(self) -> float:
        """‖Y‖²: the sum of the squares of all values."""
        return self._scale * (self._energy + self._rows.energy)

    def covariance_error(self) -> float:
        """Return a bound of ‖YᵀY − BᵀB‖₂, from what was lost at each step."""
        return self._scale * self._now().doubt

    def directions(self, count: int | None = None) -> tuple[Floats, Floats]:
        """Return the longest directions of the sketch as columns, and their lengths.

        They are the rows of B: orthogonal, and longest first.
        """
        step = self._now()
        count = self.size if count is None else min(count, self.size)
        columns = step.directions(self._columns(), self._rows, count)
        return columns * np.sqrt(self._scale), step.lengths[:count] * np.sqrt(self._scale)

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights shrink to `fade` of what they are, then take a batch in."""
        if batch.n_features != self.n_features:
            raise ValueError(
                f"the batch has {batch.n_features} features, not {self.n_features} as before"
            )
        full = filled(batch) if self.fill else batch
        lengths = checked_lengths(full)
        # Nothing below this line can fail: a batch is taken in whole or not at all.
        self.fade(fade)
        self.varied.update(batch)
        roots = np.full(batch.n_rows, np.sqrt(1.0 / self._scale))
        if batch.weight is not None:
            roots *= np.sqrt(batch.weight)
        if self.unit:
            roots = np.divide(roots, lengths, out=np.zeros_like(roots), where=lengths > SHORTEST)
        batch = Batch(X=full.X, weight=roots)
        counts = slice(None) if roots.all() else np.flatnonzero(roots)  # others are absent
        self._take(batch.take(counts), np.square(roots * lengths)[counts])

    def fade(self, factor: float) -> None:
        """Let all weights held shrink to `factor` of what they are, in O(1)."""
        if not 0 <= factor <= 1:
            raise ValueError(f"a fading factor lies between 0 and 1, not {factor}")
        self._scale *= factor
        if self._scale < SMALLEST_SCALE:
            self._multiply(self._scale)
            self._scale = 1.0

    def merge(self, other: Self) -> None:
        """Take in the sketch of other rows, and the rows that wait there."""
        mine, theirs = ((s.n_features, s.size, s.unit, s.fill) for s in (self, other))
        if mine != theirs:
            raise ValueError(f"a sketch of {theirs} cannot be merged into one of {mine}")
        self.varied.merge(other.varied)
        gain = other._scale / self._scale
        if other._known is not None:
            if self._known is None:
                self._known = other._known * np.sqrt(gain)
                self._spare = None if other._spare is None else other._spare.copy()
                self._energy += gain * other._energy
            else:
                rows = ScaledRows([Batch(np.ascontiguousarray(other._known.T) * np.sqrt(gain))])
                self._put(
                    shrinking.exactly(self._known, rows, self.size), rows, gain * other._energy
                )
            self._doubt += gain * other._doubt
            self._steps += other._steps
        for batch in list(other._rows.batches()):
            assert batch.weight is not None
            roots = batch.weight * np.sqrt(gain)
            self._take(batch.replace(weight=roots), np.square(roots * lengths_of(batch)))

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others have been zero."""
        for name in ("_known", "_spare"):
            columns = getattr(self, name)
            if columns is not None:
                moved = np.zeros((n_features, columns.shape[1]))
                moved[places] = columns
                setattr(self, name, moved)
        self._rows.rearrange(places, n_features)
        self.varied.rearrange(places, n_features)
        self.n_features = n_features

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "n_features": self.n_features,
            "size": self.size,
            "unit": self.unit,
            "fill": self.fill,
            "seed": self.seed,
            "numbers": [self._scale, self._energy, self._doubt],
            "steps": self._steps,
            "known": self._known,
            "spare": self._spare,
            "rows": self._rows.to_state(),
            "varied": self.varied.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the summary that `to_state` was called on."""
        m, size = state["n_features"], state["size"]
        require_whole("n_features", m, 0)
        require_whole("size", size, 1)
        require_whole("seed", state["seed"], 0)
        require_whole("steps", state["steps"], 0)
        self = cls(
            m, size=size, unit=bool(state["unit"]), fill=bool(state["fill"]), seed=state["seed"]
        )
        scale, energy, doubt = numbers = state["numbers"]
        if not (0 < scale <= 1 and 0 <= energy <= LARGEST**3 and 0 <= doubt <= LARGEST**3):
            raise ValueError(f"{numbers} are not a scale, an energy and an error")
        self._scale, self._energy, self._doubt = map(float, numbers)
        self._steps = state["steps"]
        spare = None if state["spare"] is None else state["spare"].shape[-1]
        if spare is not None and (state["known"] is None or spare > shrinking.SPARE):
            raise ValueError(f"there are {spare} spare directions")
        self._known = finite_or_none(state["known"], "directions", (m, size))
        self._spare = finite_or_none(state["spare"], "spare directions", (m, spare))
        self._rows = ScaledRows.from_state(state["rows"], m)
        if self._rows.n >= self.step:
            raise ValueError(f"{self._rows.n} rows wait, and a step takes {self.step}")
        self.varied = Varied.from_state(state["varied"], m)
        return self

    def _take(self, batch: Batch, squares: Floats) -> None:
        """Let rows wait, or take a step with them, whenever there are enough of them.

        `squares` are the squared lengths of the rows, as they count.
        """
        done = 0
        while done < batch.n_rows:
            here = slice(done, done + max(0, self.step - self._rows.n))
            part, energy = batch.take(here), float(np.sum(squares[here]))
            done += part.n_rows
            if part.n_rows == self.step:
                self._advance(ScaledRows([part], energy))  # without a copy
                continue
            self._rows.append(part, energy)
            if self._rows.n >= self.step:
                rows, self._rows = self._rows, ScaledRows()
                self._advance(rows)

    def _advance(self, rows: ScaledRows) -> None:
        self._put(self._step(rows), rows, rows.energy)
        self._steps += 1

    def _step(self, rows: ScaledRows) -> Step:
        """Return what the sketch becomes with these rows; it stays as it is."""
        known = self._columns()
        if not is_worth_it(self.n_features, self.size, rows):
            return shrinking.exactly(known, rows, self.size)
        rng = np.random.default_rng([self.seed, self._steps])
        return found(known, self._spare, rows, self.size, self._energy, self._doubt, rng)

    def _put(self, step: Step, rows: ScaledRows, energy: float) -> None:
        """Let the sketch become what a step with these rows, of so much energy, makes of it."""
        self._spare = step.next_directions(self._columns(), rows)
        if self._known is None:
            self._known = step.directions(self._columns(), rows, self.size)
        else:
            step.replace(self._known, rows)
        self._doubt += step.doubt
        self._energy += energy

    def _now(self) -> Step:
        """Return the sketch of all rows, those that wait included."""
        if self._rows.n:
            step = self._step(self._rows)
            return replace(step, doubt=self._doubt + step.doubt)
        known = np.zeros((self.n_features, self.size)) if self._known is None else self._known
        return Step(np.linalg.norm(known, axis=0), self._doubt, known, True)

    def _columns(self) -> Floats:
        """Return the directions that are known, if any."""
        return np.empty((self.n_features, 0)) if self._known is None else self._known

    def _multiply(self, factor: float) -> None:
        """Multiply all weights, in the arrays."""
        root = np.sqrt(factor)
        for columns in (self._known, self._spare):
            if columns is not None:
                columns *= root
        self._rows.scale(root)
        self._energy *= factor
        self._doubt *= factor


def default_size(n_features: int) -> int:
    """Return the root of the number of features: the size of the paper (section 3.4)."""
    return max(1, math.ceil(math.sqrt(n_features)))
