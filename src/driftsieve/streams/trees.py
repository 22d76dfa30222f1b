"""Decision trees: which class a row belongs to, and which features matter for that."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAF, MIXED = -1, -1

Box = dict[int, tuple[float, float]]
"""From which value up to, not including, which each feature lies; 0 up to infinity if not named."""
EVERYTHING, NOTHING = (0.0, np.inf), (0.0, 0.0)


class Tree:
    """Nodes by number, the root first, and children after their parents.

    A node splits on a numeric feature at a threshold, or on a categorical one into all categories.
    Numeric features come first; categories are numbered from 0.
    """

    def __init__(self, n_num_features: int, n_categories: int) -> None:
        self._n_num_features = n_num_features
        self._n_categories = n_categories
        self._feature: list[int] = []  # LEAF: it is a leaf
        self._threshold: list[float] = []
        self._label: list[int] = []
        self._children: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._feature)

    def add(
        self,
        place: tuple[int, int] | None,
        *,
        feature: int = LEAF,
        threshold: float = 0.0,
        label: int = 0,
    ) -> int:
        """Add a node as the next child of another, or as the root; return its number."""
        node = len(self)
        self._feature.append(feature)
        self._threshold.append(threshold)
        self._label.append(label)
        self._children.append([node] * max(2, self._n_categories))
        if place is not None:
            parent, child = place
            places = self._children[parent]
            places[child:] = [node] * (len(places) - child)  # the last child fills what is left
        return node

    def parts(self, node: int, box: Box) -> Iterator[Box]:
        """Yield the part of a box that each child of a node gets; it may be empty."""
        feature = self._feature[node]
        low, high = box.get(feature, EVERYTHING)
        if feature < self._n_num_features:
            cut = self._threshold[node]
            yield box | {feature: (low, min(cut, high))}
            yield box | {feature: (max(cut, low), high)}
        else:
            for category in range(self._n_categories):
                inside = low <= category < high
                yield box | {feature: (category, category + 1) if inside else NOTHING}

    def classify(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of each row of values: numeric features, then categories."""
        feature, threshold, label, children = self._arrays
        node = np.zeros(len(values), dtype=np.intp)
        rows = np.arange(len(values))
        while (rows := rows[feature[node[rows]] != LEAF]).size:
            at = node[rows]
            value = values[rows, feature[at]]
            numeric = feature[at] < self._n_num_features
            child = np.where(numeric, value >= threshold[at], value).astype(np.intp)
            node[rows] = children[at, child]
        return label[node]

    def relevant(self) -> NDArray[np.intp]:
        """Return the features that alone can change the class of some row, ascending."""
        found = set()
        waiting: list[tuple[int, Box]] = [(0, {})]
        while waiting:
            node, box = waiting.pop()
            if self._classes_below[node] != MIXED:
                continue
            feature = self._feature[node]
            below = list(zip(self._children[node], self.parts(node, box), strict=False))
            waiting += below
            if feature not in found:
                (first, _), *others = below
                if any(self._differ(first, other, box, feature) for other, _ in others):
                    found.add(feature)
        return np.array(sorted(found), dtype=np.intp)

    def _differ(self, one: int, other: int, box: Box, free: int) -> bool:
        """Tell whether two subtrees give different classes to two rows of a box which agree in all
        but the feature `free`."""
        waiting = [(one, other, box)]
        while waiting:
            one, other, box = waiting.pop()
            if self._classes_below[one] != MIXED:
                one, other = other, one
            if self._classes_below[one] != MIXED:
                if self._classes_below[one] != self._classes_below[other]:
                    return True
                continue
            feature = self._feature[one]
            for child, part in zip(self._children[one], self.parts(one, box), strict=False):
                low, high = part[feature]
                if feature == free:
                    waiting.append((child, other, box))
                elif low < high:
                    waiting.append((child, other, part))
        return False

    @cached_property
    def _classes_below(self) -> list[int]:
        """The class of all leaves below each node, or MIXED."""
        classes = list(self._label)
        for node in range(len(self) - 1, -1, -1):  # children have larger numbers
            below = {classes[child] for child in self._children[node]}
            classes[node] = below.pop() if len(below) == 1 else MIXED
        return classes

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        parts = self._feature, self._threshold, self._label, self._children
        return tuple(map(np.array, parts))
