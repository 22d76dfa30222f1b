"""What selectors share that learn from mistakes: linear classifiers with a weight per feature.

More than two classes are told one from all others, by an output for each. Until a third class
appears that of the first is enough: what it says of one class, it says of the other.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.state_values import require_array

Floats = NDArray[np.float64]


class Cells(NamedTuple):
    """The cells of some rows that are neither zero nor missing."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    value: Floats

    def sums(self, weights: Floats, n_rows: int) -> Floats:
        """Return the sum of each row's values, each times the weight of its column."""
        return added_up(self.row, weights[self.column] * self.value, n_rows)


class Pupil(ABC):
    """Learns from rows on the wrong side of a margin. Subclasses name their weights, with the value
    that these begin with: each is an array of outputs by features, or `alone` of outputs."""

    weights: ClassVar[dict[str, float]] = {}
    alone: ClassVar[dict[str, float]] = {}

    def __init__(self, n_features: int) -> None:
        self.n_features, self.outputs, self.rows_taken = n_features, 1, 0
        for name, (shape, value) in self._forms().items():
            setattr(self, name, np.full(shape, value))

    @abstractmethod
    def step(self, output: int, cells: Cells, sign: Floats, weight: Floats) -> None:
        """Learn from the cells of some rows, whose `sign` is 1 for the class of an output or -1."""

    @abstractmethod
    def mirror(self) -> None:
        """Let output 1 begin, where a third class has appeared, after what output 0 has learnt."""

    def require_room(self, n_classes: int) -> None:  # noqa: B027
        """There may be any number of classes."""

    def take(self, rows: Batch) -> None:
        """Learn from the rows of a step."""
        y: Any = rows.y
        if rows.n_rows == 0:
            return
        classes = int(y.max()) + 1
        if classes > max(self.outputs, 2):
            before, self.outputs = self.outputs, classes
            self._resize({})
            if before == 1:
                self.mirror()
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        cells = self.seen(rows)
        for output in range(self.outputs):
            self.step(output, cells, np.where(y == output, 1.0, -1.0), weight)
        self.rows_taken += rows.n_rows

    def seen(self, rows: Batch) -> Cells:
        """Return the cells that may be looked at."""
        X: Any = rows.X
        if rows.is_sparse:
            row = np.repeat(np.arange(rows.n_rows), np.diff(X.indptr))
            column, value = X.indices.astype(np.intp), X.data.astype(np.float64)
            known = (value != 0) & ~np.isnan(value)
            return Cells(row[known], column[known], value[known])
        row, column = np.nonzero((X != 0) & ~np.isnan(X))
        return Cells(row, column, X[row, column].astype(np.float64))

    def copy(self) -> Self:
        """Return an equal pupil that goes its own way."""
        other = object.__new__(type(self))
        other.__dict__.update(vars(self))
        for name in self._forms():
            setattr(other, name, getattr(self, name).copy())
        return other

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others begin."""
        self.n_features = n_features
        self._resize({1: places})

    def _resize(self, places: dict[int, NDArray[np.intp]]) -> None:
        for name, (shape, value) in self._forms().items():
            old, new = getattr(self, name), np.full(shape, value)
            where = [places.get(axis, np.arange(size)) for axis, size in enumerate(old.shape)]
            new[np.ix_(*where)] = old
            setattr(self, name, new)

    def _forms(self) -> dict[str, tuple[tuple[int, ...], float]]:
        full = {name: ((self.outputs, self.n_features), v) for name, v in self.weights.items()}
        return {**full, **{name: ((self.outputs,), v) for name, v in self.alone.items()}}

    @property
    def nbytes(self) -> int:
        return sum(int(getattr(self, name).nbytes) for name in self._forms())

    def most_bytes(self) -> int:
        """The most bytes for these classes."""
        return self.nbytes

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        counts = {"outputs": self.outputs, "rows": self.rows_taken}
        return {**counts, **{name: getattr(self, name) for name in self._forms()}}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `to_state` was called."""
        for name, attribute, least in (("outputs", "outputs", 1), ("rows", "rows_taken", 0)):
            if type(state[name]) is not int or state[name] < least:
                raise ValueError(f"there cannot be {state[name]!r} {name}")
            setattr(self, attribute, state[name])
        for name, (shape, _) in self._forms().items():
            require_array(state[name], name, shape, np.float64)
            if not np.isfinite(state[name]).all():
                raise ValueError(f"some {name} are not finite")
            setattr(self, name, np.array(state[name], order="C"))


def added_up(places: NDArray[np.intp], values: Floats, n: int) -> Floats:
    """Return the sum of the values of each of n places."""
    return np.bincount(places, values, n).astype(np.float64, copy=False)  # of nothing: integers


def over_outputs(values: Floats) -> Floats:
    """Return one value for each feature: the root of the mean square over the outputs."""
    size: Floats = np.abs(values).max(axis=0)
    if len(values) > 1:
        safe = np.where(size > 0, size, 1.0)
        size *= np.sqrt(np.mean((values / safe) ** 2, axis=0))
    return size
