"""What selectors that predict learn from: labels as codes of classes, or numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import LARGEST, Batch
from driftsieve.classes import Classes
from driftsieve.state import decode_label, encode_label
from driftsieve.state_values import require_within
from driftsieve.summaries.varied import Varied


class ClassTargets:
    """Labels of any type: a code for each class, in order of appearance."""

    kind = np.int64

    def __init__(self, classes: Classes | None = None) -> None:
        self.classes = Classes() if classes is None else classes

    @property
    def varied(self) -> bool:
        """Whether there have been two classes."""
        return len(self.classes) > 1

    def read(self, y: NDArray[Any]) -> tuple[NDArray[Any], "ClassTargets"]:
        """Return the codes of labels, and the targets with new classes among them added."""
        codes, classes = self.classes.encode(y)
        return codes.astype(np.int64, copy=False), ClassTargets(classes)

    def require_known(self, codes: Any) -> None:
        """Raise ValueError if a code is that of no class."""
        require_within(codes, len(self.classes), "classes of waiting rows")

    def to_state(self) -> Any:
        """Return the labels as JSON values."""
        return [encode_label(label) for label in self.classes.labels]

    def from_state(self, state: Any) -> "ClassTargets":
        """Return what `to_state` was called on."""
        return ClassTargets(Classes([decode_label(label) for label in state]))


class NumberTargets:
    """Numbers."""

    kind = np.float64

    def __init__(self, seen: Varied | None = None) -> None:
        self._seen = Varied(1) if seen is None else seen

    @property
    def varied(self) -> bool:
        """Whether there have been two different numbers."""
        return bool(self._seen.mask[0])

    def read(self, y: NDArray[Any]) -> tuple[NDArray[Any], "NumberTargets"]:
        """Return the numbers, and the targets that have seen them."""
        seen = Varied.from_state(self._seen.to_state(), 1)
        seen.update(Batch(y[:, None]))
        return y, NumberTargets(seen)

    def require_known(self, numbers: Any) -> None:
        """Raise ValueError if a target is no finite number."""
        if not (np.abs(numbers) <= LARGEST).all():
            raise ValueError("some targets of waiting rows are not finite")

    def to_state(self) -> Any:
        """Return which numbers were seen."""
        return self._seen.to_state()

    def from_state(self, state: Any) -> "NumberTargets":
        """Return what `to_state` was called on."""
        return NumberTargets(Varied.from_state(state, 1))


def as_numbers(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return targets as float64, or name the row of one that is not a finite number."""
    try:
        if y.dtype.kind not in "biufO" or (y.dtype.kind == "O" and not all(map(_is_number, y))):
            raise TypeError
        numbers = y.astype(np.float64)
    except (TypeError, ValueError):
        row, target = next((i, t) for i, t in enumerate(y.tolist()) if not _is_number(t))
        raise ValueError(
            f"the target of row {row} is {target!r}: a regression learns from numbers, and a "
            'model such as "glm" from classes'
        ) from None
    bad = np.flatnonzero(~(np.abs(numbers) <= LARGEST))
    if bad.size:
        raise ValueError(
            f"the target of row {bad[0]} is {numbers[bad[0]]:g}: "
            f"targets must be finite (at most {LARGEST:g})"
        )
    return numbers


def _is_number(target: Any) -> bool:
    try:
        float(target)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(target, (str, bytes))
