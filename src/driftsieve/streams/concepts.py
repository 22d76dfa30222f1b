"""Streams of several concepts: which one holds at a row, and rows drawn concept by concept."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from sys import maxsize
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from driftsieve.streams import randomness
from driftsieve.streams.base import Generated
from driftsieve.streams.checks import number, whole

REACH = 10
"""Widths from a switch beyond which its probability is 0 or 1 in 53 bits."""


def passed(
    rows: NDArray[np.intp], point: int, width: float, drawn: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell which rows come from beyond a switch: row t with probability

        1 / (1 + exp(-4·(t - point) / width))

    by its number in `drawn`, uniform in [0, 1); without a width, all rows from `point` on.

    Bifet, Holmes, Pfahringer, Kirkby & Gavaldà (2009), New Ensemble Methods for Evolving Data
    Streams, definition 1.
    """
    if not width:
        return rows >= point
    with np.errstate(over="ignore"):  # of a tiny width
        beyond: NDArray[np.bool_] = drawn < expit(4 * (rows - point) / width)
    return beyond


@dataclass(kw_only=True, eq=False)
class Drifting(Generated):
    """A synthetic stream whose concept changes every `drift_every` rows, at once or gradually.

    Around a drift, a row belongs to the new concept with the probability of `ConceptSwitch`, which
    depends on the seed and the row alone: so a stream can be entered anywhere, and every row knows
    which features matter for it. `drift_every=None` stays with the first concept.

    To write a generator of this kind, derive a dataclass and give it, beside what `Generated` asks
    for (but for `draw` and `relevant_at`):

    - `sample(concept, rows, rng)`: X and y of so many rows of a concept;
    - `relevant_in(concept)`: the columns that matter in a concept, ascending;
    - `n_concepts`, if they come round again after so many. There is no end of them by default.
    """

    drift_every: int | None = None
    width: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.drift_every is not None:
            self.drift_every = whole("drift_every", self.drift_every, 1)
        # Beyond that, a row could belong to any number of concepts.
        self.width = number("width", self.width, 0, self.drift_every or np.inf)

    @property
    def n_concepts(self) -> int | None:
        return None

    @abstractmethod
    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return X and y of rows of one concept."""

    @abstractmethod
    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        """Return the columns that matter in a concept, ascending."""

    def concepts(self, start: int, stop: int) -> NDArray[np.intp]:
        """Return the concept of each row from `start` up to `stop`."""
        rows = np.arange(start, stop)
        every = self.drift_every
        if every is None:
            return np.zeros(len(rows), dtype=np.intp)
        reach = REACH * self.width
        surely = max(0, int((start - 1 - reach) // every))
        concept = np.full(len(rows), surely, dtype=np.intp)
        perhaps = range(surely + 1, int((stop + reach) // every) + 1)
        if perhaps:
            purpose = f"{type(self).__name__}.concepts"
            drawn = randomness.uniforms(self.seed, purpose, rows.astype(np.uint64))
            for later in perhaps:
                concept[passed(rows, later * every, self.width, drawn)] = later
        return concept if self.n_concepts is None else concept % self.n_concepts

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        concepts = self.concepts(start, stop)
        if (concepts == concepts[0]).all():
            return self.sample(int(concepts[0]), stop - start, rng)
        X, y = np.empty((stop - start, self.n_features)), np.empty(stop - start, dtype=np.int64)
        for concept in np.unique(concepts):
            here = np.flatnonzero(concepts == concept)
            X[here], y[here] = self.sample(int(concept), len(here), rng)
        return X, y

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        return self.relevant_in(int(self.concepts(row, row + 1)[0]))

    @property
    def drift_points(self) -> Sequence[int]:
        """The rows at which the concept changes, if gradually with even chances."""
        if self.drift_every is None or self.n_concepts == 1:
            return ()
        return range(
            self.drift_every, maxsize if self.n_rows is None else self.n_rows, self.drift_every
        )

    def truth(self, start: int, stop: int) -> NDArray[np.bool_]:
        concepts = self.concepts(start, stop)
        if (concepts == concepts[0]).all():
            mask = np.zeros((1, self.n_features), dtype=bool)
            mask[0, self.relevant_in(int(concepts[0]))] = True
            return np.broadcast_to(mask, (stop - start, self.n_features))
        found, of_row = np.unique(concepts, return_inverse=True)
        masks = np.zeros((len(found), self.n_features), dtype=bool)
        for mask, concept in zip(masks, found, strict=True):
            mask[self.relevant_in(int(concept))] = True
        return masks[of_row]


def flipped(y: NDArray[np.int64], noise: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels 0 and 1 of which each is the other one with probability `noise`."""
    return y ^ (rng.random(len(y)) < noise) if noise else y


def alternating(rows: int) -> NDArray[np.int64]:
    """Return labels 0, 1, 0, 1 ...: as many of either."""
    return np.arange(rows, dtype=np.int64) & 1
