"""The classes of a stream: labels of any hashable type, numbered as they appear."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 1000
"""More classes than this are taken for a numeric target: each costs memory in every feature."""


class Classes:
    """Labels in order of appearance. A label's place is its code."""

    def __init__(self, labels: Iterable[Any] = ()) -> None:
        self.labels: list[Any] = list(labels)
        self._codes = {label: code for code, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return len(self.labels)

    def encode(self, y: NDArray[Any]) -> tuple[NDArray[np.intp], "Classes"]:
        """Return the code of each label, and the classes with the new ones among them added.

        These classes stay as they are, so that the caller may still refuse the batch.
        """
        distinct, places = _distinct(y)
        new = [place for place, label in enumerate(distinct) if label not in self._codes]
        if len(self) + len(new) > MOST:
            raise ValueError(
                f"y has more than {MOST} classes: is it a numeric target? "
                "Cut it into a few classes first, for example with numpy.digitize"
            )
        if new:
            new.sort(key=lambda place: int(np.argmax(places == place)))
            classes = Classes([*self.labels, *(distinct[place] for place in new)])
        else:
            classes = self
        codes = [classes._codes[label] for label in distinct]
        return np.array(codes, dtype=np.intp)[places], classes

    def union(self, other: "Classes") -> tuple[NDArray[np.intp], "Classes"]:
        """Return the codes that `other`'s labels have in the union, and the union."""
        labels = np.empty(len(other), dtype=object)
        labels[:] = other.labels
        return self.encode(labels)


def _distinct(y: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the labels that occur, as Python's own scalars, and the place of each row's."""
    if y.dtype.kind == "O":
        places: dict[Any, int] = {}
        found = [
            places.setdefault(label.item() if isinstance(label, np.generic) else label, len(places))
            for label in y
        ]
        return list(places), np.array(found, dtype=np.intp)
    if y.dtype.kind in "iu" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < max(len(y), 256):  # then counting beats sorting
            if low >= 0 and high < 256:
                offsets, low = y.astype(np.intp), 0
            else:  # unsigned differences are right where those of the type itself would overflow
                offsets = (y.astype(np.uint64) - np.uint64(low % 2**64)).astype(np.intp)
            occurs = np.bincount(offsets) > 0
            found = [low + offset for offset in np.flatnonzero(occurs).tolist()]
            if len(found) == len(occurs):
                return found, offsets
            return found, (np.cumsum(occurs) - 1)[offsets]
    labels, inverse = np.unique(y, return_inverse=True)
    return labels.tolist(), inverse
