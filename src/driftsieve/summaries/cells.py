"""What summaries of counts share that take in cell by cell: classes, fading, dense and sparse rows.

Zeros of sparse rows are cells like others here, so sparse rows cost what dense ones cost; a part of
them at a time is made dense.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.classes import Classes
from driftsieve.state import decode_label, encode_label
from driftsieve.summaries.counts import Counts, Cuts
from driftsieve.summaries.labelled import labelled
from driftsieve.threads import over_blocks

T = TypeVar("T")

SMALLEST_SCALE = 2.0**-100
CELLS = 1 << 20
"""Cells of sparse rows that are made dense at a time."""
FEATURES = 64
"""Features that are asked at a time."""


class CellCounts(Counts):
    """Base of the summaries that take in rows at once. A subclass says how, and lays out `Cuts`."""

    def __init__(self, n_features: int, n_jobs: int = 1) -> None:
        self.n_features = n_features
        self.n_jobs = n_jobs
        self._classes = Classes()
        self._scale = 1.0

    @property
    def classes(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        return list(self._classes.labels)

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights shrink to `fade` of what they are, then take in a labelled batch."""
        batch, y = labelled(batch, self.n_features, "counts")
        codes, classes = self._classes.encode(y)
        batch.refuse_infinities()
        # Nothing below this line can fail: a batch is taken in whole or not at all.
        self.fade(fade)
        self._adopt(classes)
        weights = np.ones(len(codes)) if batch.weight is None else batch.weight.astype(np.float64)
        if self._scale != 1:
            weights = weights / self._scale
        for X, rows in _dense_parts(batch):
            self._take_in(X, codes[rows], weights[rows])

    def fade(self, factor: float) -> None:
        """Let all weights held shrink to `factor` of what they are, in O(1)."""
        if not 0 <= factor <= 1:
            raise ValueError(f"a fading factor lies between 0 and 1, not {factor}")
        self._scale *= factor
        if self._scale < SMALLEST_SCALE:
            self._scale /= self._multiply(self._scale)

    def merge(self, other: Self) -> None:
        """Take in what `other` holds, as if its rows had been seen here."""
        if other.n_features != self.n_features:
            raise ValueError(
                f"counts of {other.n_features} features cannot be merged into those of "
                f"{self.n_features}"
            )
        self._require_like(other)
        into, classes = self._classes.union(other._classes)
        self._adopt(classes)
        self._take_over(other, into, other._scale / self._scale)

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "n_features": self.n_features,
            "labels": [encode_label(label) for label in self._classes.labels],
            "scale": self._scale,
            **self._own_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the summary that `to_state` was called on."""
        self = cls._empty(state)
        self._classes = Classes(decode_label(label) for label in state["labels"])
        self._scale = state["scale"]
        if not (isinstance(self._scale, float) and 0 < self._scale <= 1):
            raise ValueError(f"a scale lies between 0 and 1: {self._scale!r}")
        self._restore(state)
        return self

    def _adopt(self, classes: Classes) -> None:
        """Know these classes, and have room for them."""
        grows = len(classes) > len(self._classes)
        self._classes = classes
        if grows:
            self._make_room(len(classes))

    def _ask(self, ask: Callable[[Cuts, int, int], T], feature: int | None = None) -> list[T]:
        if feature is None:
            parts = [
                (lo, min(lo + FEATURES, self.n_features))
                for lo in range(0, max(self.n_features, 1), FEATURES)
            ]
        else:
            parts = [(feature, feature + 1)]
        answers: list[Any] = [None] * len(parts)
        settled = self._settled()

        def work(first: int, last: int) -> None:
            for i in range(first, last):
                answers[i] = ask(settled._cuts(*parts[i], every=feature is not None), *parts[i])

        over_blocks(work, len(parts), self.nbytes, self.n_jobs)
        return answers

    def _settled(self) -> Self:
        """Return a summary of the same rows in which none wait."""
        return self

    @property
    @abstractmethod
    def nbytes(self) -> int: ...

    @abstractmethod
    def _take_in(
        self, X: NDArray[Any], codes: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> None:
        """Take in dense rows, their weights being relative to the scale."""

    @abstractmethod
    def _take_over(self, other: Self, into: NDArray[np.intp], gain: float) -> None:
        """Take in what `other` holds; its class i is `into[i]`, its weights count `gain` times."""

    @abstractmethod
    def _require_like(self, other: Self) -> None:
        """Raise ValueError if `other` has parameters that make it another kind of summary."""

    @abstractmethod
    def _multiply(self, factor: float) -> float:
        """Multiply all weights held by about this factor; return by which exactly."""

    @abstractmethod
    def _make_room(self, n_classes: int) -> None:
        """Have room for so many classes."""

    @abstractmethod
    def _cuts(self, lo: int, hi: int, *, every: bool) -> Cuts:
        """Lay out the cut points of the features lo..hi: those between which a summary tells ranks
        apart, or every value it has."""

    @abstractmethod
    def _own_state(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def _empty(cls, state: dict[str, Any]) -> Self:
        """Return an empty summary with the parameters of a state, if these can be."""

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None:
        """Hold what a state holds, or raise ValueError if nothing can hold that."""


def _dense_parts(batch: Batch) -> Iterator[tuple[NDArray[Any], slice]]:
    """Yield the rows as C-ordered arrays, some at a time where they have to be made."""
    X: Any = batch.X
    if not batch.is_sparse:
        yield np.ascontiguousarray(X), slice(None)
        return
    step = max(1, CELLS // max(1, batch.n_features))
    for row in range(0, batch.n_rows, step):
        rows = slice(row, row + step)
        yield X[rows].toarray(), rows
