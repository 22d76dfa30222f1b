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
        # tolist() makes Python's own scalars of NumPy's, which hash alike but print oddly.
        if y.dtype.kind == "O":
            values = [label.item() if isinstance(label, np.generic) else label for label in y]
            distinct = list(dict.fromkeys(values))
        else:
            uniques, first, inverse = np.unique(y, return_index=True, return_inverse=True)
            distinct = uniques.tolist()
            distinct = [distinct[i] for i in np.argsort(first)]
        new = [label for label in distinct if label not in self._codes]
        if len(self) + len(new) > MOST:
            raise ValueError(
                f"y has more than {MOST} classes: is it a numeric target? "
                "Cut it into a few classes first, for example with numpy.digitize"
            )
        classes = Classes([*self.labels, *new]) if new else self
        codes = classes._codes
        if y.dtype.kind == "O":
            return np.fromiter((codes[v] for v in values), np.intp, len(values)), classes
        return np.array([codes[v] for v in uniques.tolist()], np.intp)[inverse], classes

    def union(self, other: "Classes") -> tuple[NDArray[np.intp], "Classes"]:
        """Return the codes that `other`'s labels have in the union, and the union."""
        labels = np.empty(len(other), dtype=object)
        labels[:] = other.labels
        return self.encode(labels)
