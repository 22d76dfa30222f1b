"""The random tree stream: rows drawn uniformly, and labelled by a tree drawn once."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.base import Generated
from driftsieve.streams.checks import number, whole
from driftsieve.streams.trees import Box, Tree

MOST_NODES = 100_000


@dataclass(kw_only=True, eq=False)
class RandomTree(Generated):
    """Uniform rows labelled by a random tree: the RandomTree generator of MOA, scikit-multiflow and
    river (RTG).

    Domingos & Hulten (2000), Mining High-Speed Data Streams, section 4. Numeric features are
    uniform in [0, 1), categorical ones uniform over their categories. The tree is drawn once, from
    the root down:

    - a node at depth `max_tree_depth` is a leaf, and so is one at `first_leaf_level` or deeper with
      probability `fraction_leaves_per_level`; its class is drawn uniformly;
    - any other node splits on a feature drawn uniformly: a numeric one at a value drawn uniformly
      from its range in that node, into two; a categorical one, which no node below may split on
      again, into one child for each category.

    Columns are `x_num_0` ..., then `x_cat_0` ..., which hold the number of the category, as river
    has them. With `one_hot` there are columns `x_cat_0_0`, `x_cat_0_1` ... of zeros and ones
    instead, as scikit-multiflow has them.

    A feature is relevant if there are two rows that differ in nothing else and have different
    classes. So one that the tree splits on need not be relevant: its branches may be the same.

    Deviations: where no feature is left to split on, there is a leaf (river fails there).
    """

    n_classes: int = 2
    n_num_features: int = 5
    n_cat_features: int = 5
    n_categories_per_feature: int = 5
    max_tree_depth: int = 5
    first_leaf_level: int = 3
    fraction_leaves_per_level: float = 0.15
    one_hot: bool = False

    _tree: Tree = field(init=False, repr=False)
    _relevant: NDArray[np.intp] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_classes = whole("n_classes", self.n_classes, 1)
        self.n_num_features = whole("n_num_features", self.n_num_features)
        self.n_cat_features = whole("n_cat_features", self.n_cat_features)
        self.n_categories_per_feature = whole(
            "n_categories_per_feature", self.n_categories_per_feature, 2
        )
        self.max_tree_depth = whole("max_tree_depth", self.max_tree_depth)
        self.first_leaf_level = whole("first_leaf_level", self.first_leaf_level)
        self.fraction_leaves_per_level = number(
            "fraction_leaves_per_level", self.fraction_leaves_per_level, 0, 1
        )
        if self.n_num_features + self.n_cat_features == 0:
            raise ValueError("a tree needs features: n_num_features and n_cat_features are both 0")
        self._tree = self._grown(self.rng("tree"))
        self._relevant = self._tree.relevant()

    @property
    def n_features(self) -> int:
        width = self.n_categories_per_feature if self.one_hot else 1
        return self.n_num_features + self.n_cat_features * width

    @property
    def names(self) -> tuple[str, ...]:
        numeric = tuple(f"x_num_{j}" for j in range(self.n_num_features))
        names = (f"x_cat_{j}" for j in range(self.n_cat_features))
        if self.one_hot:
            categories = range(self.n_categories_per_feature)
            names = (f"{name}_{category}" for name in names for category in categories)
        return (*numeric, *names)

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(range(self.n_num_features, self.n_features))

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, split = stop - start, self.n_num_features
        values = np.empty((rows, split + self.n_cat_features))
        values[:, :split] = rng.random((rows, split))
        values[:, split:] = rng.integers(
            self.n_categories_per_feature, size=(rows, self.n_cat_features)
        )
        y = self._tree.classify(values)
        if not self.one_hot:
            return values, y
        X = np.zeros((rows, self.n_features))
        X[:, :split] = values[:, :split]
        columns = self._columns_of(np.arange(self.n_cat_features))
        np.put_along_axis(X, columns + values[:, split:].astype(np.intp), 1.0, axis=1)
        return X, y

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        if not self.one_hot:
            return self._relevant.copy()
        # A change of category changes two columns; of a relevant feature, no column is without one.
        numeric = self._relevant[self._relevant < self.n_num_features]
        first = self._columns_of(self._relevant[len(numeric) :] - self.n_num_features)
        columns = first[:, None] + np.arange(self.n_categories_per_feature)
        return np.concatenate([numeric, columns.ravel()])

    def _columns_of(self, categorical: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the first column of each categorical feature when they are one-hot."""
        return self.n_num_features + categorical * self.n_categories_per_feature

    def _grown(self, rng: np.random.Generator) -> Tree:
        """Draw the tree: a node, then all below its first child, then all below the next."""
        tree = Tree(self.n_num_features, self.n_categories_per_feature)
        # Depth, box, and which child of which node it is: the last one is drawn next.
        waiting: list[tuple[int, Box, tuple[int, int] | None]] = [(0, {}, None)]
        while waiting:
            depth, box, place = waiting.pop()
            used = sorted(feature for feature in box if feature >= self.n_num_features)
            free = self.n_num_features + self.n_cat_features - len(used)
            if self._ends(depth, rng) or not free:
                tree.add(place, label=int(rng.integers(self.n_classes)))
                continue
            feature, threshold = int(rng.integers(free)), 0.0
            for one in used:  # those cannot be split on again
                feature += feature >= one
            if feature < self.n_num_features:
                low, high = box.get(feature, (0.0, 1.0))
                threshold = low + (min(high, 1.0) - low) * rng.random()
            node = tree.add(place, feature=feature, threshold=threshold)
            for child, part in reversed(list(enumerate(tree.parts(node, box)))):
                waiting.append((depth + 1, part, (node, child)))
            if len(tree) + len(waiting) > MOST_NODES:
                raise ValueError(
                    f"the tree has more than {MOST_NODES:,} nodes: choose a smaller "
                    f"max_tree_depth than {self.max_tree_depth}, or fewer categories"
                )
        return tree

    def _ends(self, depth: int, rng: np.random.Generator) -> bool:
        if depth >= self.max_tree_depth:
            return True
        return depth >= self.first_leaf_level and rng.random() < self.fraction_leaves_per_level
