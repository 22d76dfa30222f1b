"""Weight, mean and squared deviations of every feature in every class.

Raw sums of squares cancel (a column around 1e8 loses its variance altogether), so moments are
kept centred and merged by the formula of Chan, Golub and LeVeque (1983), of which Welford's
(1962) is the case of one row. The online moments of Wang & Barbu (2021), section 2.1, are the
same up to rounding.

Sparse rows have moments of their own (`SparseMoments`), which are merged with those of dense rows
when somebody asks.

Fading costs O(1): weights are kept relative to `scale`, which alone shrinks, and which is
multiplied into the arrays before it gets too small.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.classes import Classes
from driftsieve.state import decode_label, encode_label
from driftsieve.state_values import require_array
from driftsieve.summaries.class_moments import ClassMoments, dense_block
from driftsieve.summaries.labelled import labelled
from driftsieve.summaries.sparse_moments import SparseMoments

SMALLEST_SCALE = 2.0**-100
FORGOTTEN = 1e-100
"""A class whose weight falls below this is forgotten, before the numbers lose precision."""


class Moments:
    """Moments per class and feature of a stream of dense or sparse batches.

    Holds 24 bytes per class and feature once there were dense rows, and 32 (and 8 per class) once
    there were sparse rows.
    """

    def __init__(self, n_features: int, n_jobs: int = 1) -> None:
        self.n_features = n_features
        self.n_jobs = n_jobs
        self._classes = Classes()
        self._scale = 1.0
        self._dense: ClassMoments | None = None
        self._sparse: SparseMoments | None = None

    @property
    def classes(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        return list(self._classes.labels)

    @property
    def nbytes(self) -> int:
        dense = sum(array.nbytes for array in self._dense or ())
        return dense + (0 if self._sparse is None else self._sparse.nbytes)

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, whatever the rows weigh."""
        n_classes = len(self._classes)
        dense = 24 * n_classes * self.n_features if self._dense is not None else 0
        sparse = 8 * n_classes + 32 * n_classes * self.n_features if self._sparse is not None else 0
        return dense + sparse

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights shrink to `fade` of what they are, then take in a labelled batch."""
        batch, y = labelled(batch, self.n_features, "moments")
        codes, classes = self._classes.encode(y)
        block = None
        if batch.is_sparse:
            batch.refuse_infinities()
        else:
            block = dense_block(batch, codes, len(classes), self.n_jobs)
        # Nothing below this line can fail: a batch is taken in whole or not at all.
        self.fade(fade)
        self._adopt(classes)
        if block is not None and block[0].size:
            if self._dense is None:
                self._dense = ClassMoments.empty(len(classes), self.n_features)
            self._dense.take_in(block[1], 1.0 / self._scale, into=block[0])
        elif batch.is_sparse:
            if self._sparse is None:
                self._sparse = SparseMoments(len(classes), self.n_features)
            self._sparse.update(batch, codes, 1.0 / self._scale)

    def fade(self, factor: float) -> None:
        """Let all weights shrink to `factor` of what they are, in O(1)."""
        if not 0 <= factor <= 1:
            raise ValueError(f"a fading factor lies between 0 and 1, not {factor}")
        self._scale *= factor
        if self._scale < SMALLEST_SCALE:
            self._fold()

    def merge(self, other: Self) -> None:
        """Take in the moments of `other`, as if its rows had been seen here."""
        if other.n_features != self.n_features:
            raise ValueError(
                f"moments of {other.n_features} features cannot be merged into those of "
                f"{self.n_features}"
            )
        into, classes = self._classes.union(other._classes)
        self._adopt(classes)
        gain = other._scale / self._scale
        if other._dense is not None:
            if self._dense is None:
                self._dense = ClassMoments.empty(len(classes), self.n_features)
            self._dense.take_in(other._dense, gain, into)
        if other._sparse is not None:
            if self._sparse is None:
                self._sparse = SparseMoments(len(classes), self.n_features)
            self._sparse.take_in(other._sparse, gain, into)

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        if self._sparse is not None:
            self._sparse.rearrange(places, n_features)
        self.n_features = n_features
        if self._dense is not None:
            self._dense = self._dense.rearranged(places, n_features)

    def by_class(self) -> ClassMoments:
        """Return the moments of all rows seen, zeros of sparse rows included."""
        total = ClassMoments.empty(len(self._classes), self.n_features)
        if self._dense is not None:
            total.take_in(self._dense, self._scale)
        if self._sparse is not None:
            total.take_in(self._sparse.total(), self._scale)
        _forget(total)  # here as well as in _fold, whose moments depend on the batches
        return total

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "n_features": self.n_features,
            "labels": [encode_label(label) for label in self._classes.labels],
            "scale": self._scale,
            "dense": None if self._dense is None else list(self._dense),
            "sparse": None if self._sparse is None else self._sparse.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the summary that `to_state` was called on."""
        self = cls(state["n_features"])
        self._classes = Classes(decode_label(label) for label in state["labels"])
        self._scale = state["scale"]
        if not (isinstance(self._scale, float) and 0 < self._scale <= 1):
            raise ValueError(f"a scale lies between 0 and 1: {self._scale!r}")
        size = len(self._classes), self.n_features
        if state["dense"] is not None:
            self._dense = ClassMoments(*state["dense"])
            for array in self._dense:
                require_array(array, "moments", size, np.float64)
        if state["sparse"] is not None:
            self._sparse = SparseMoments.from_state(state["sparse"])
            require_array(self._sparse.rows, "weights of rows", size[:1], np.float64)
            require_array(self._sparse.cells, "moments", (*size[::-1], 4), np.float64)
        return self

    def _adopt(self, classes: Classes) -> None:
        """Know these classes, and have room for them."""
        grows = len(classes) > len(self._classes)
        self._classes = classes
        if grows and self._dense is not None:
            self._dense = self._dense.with_classes(len(classes))
        if grows and self._sparse is not None:
            self._sparse.add_classes(len(classes))

    def _fold(self) -> None:
        """Multiply the scale into the arrays, and forget what has all but faded away."""
        if self._dense is not None:
            self._dense.weight[:] *= self._scale
            self._dense.scatter[:] *= self._scale
            _forget(self._dense)
        if self._sparse is not None:
            self._sparse.scale(self._scale, FORGOTTEN)
        self._scale = 1.0


def _forget(moments: ClassMoments) -> None:
    """Set what weighs next to nothing to nothing."""
    gone = moments.weight < FORGOTTEN
    for array in moments:
        array[gone] = 0.0
