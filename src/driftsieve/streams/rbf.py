"""Random radial basis functions: rows around centroids, each of which belongs to a class."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.base import Generated
from driftsieve.streams.checks import floating, whole


@dataclass(kw_only=True, eq=False)
class RandomRBF(Generated):
    """Rows around random centroids: the RandomRBF generator of MOA, scikit-multiflow and river.

    Bifet, Holmes, Kirkby & Pfahringer (2010), MOA: Massive Online Analysis. There are `n_centroids`
    centroids; each has a centre uniform in the unit cube, a class drawn uniformly from
    0 ... n_classes - 1, and a deviation and a weight uniform in [0, 1). A row belongs to a centroid
    drawn by weight, has its class, and lies at ::

        centre + z · deviation · u / |u|

    with z ~ N(0, 1) and u uniform in [-1, 1] for each feature.

    So it is the whole distance from the centre that is normal, whatever the number of features: in
    each of many features a row hardly leaves its centre. The wider the stream, the easier it is.

    Every feature is relevant, since all coordinates of a centre are drawn for it alone; none is
    when all centroids happen to belong to the same class.
    """

    n_features: int = 10
    n_classes: int = 2
    n_centroids: int = 50
    dtype: str = "float64"

    _centres: NDArray[Any] = field(init=False, repr=False)
    _deviations: NDArray[np.float64] = field(init=False, repr=False)
    _weights: NDArray[np.float64] = field(init=False, repr=False)
    _classes: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 1)
        self.n_classes = whole("n_classes", self.n_classes, 1)
        self.n_centroids = whole("n_centroids", self.n_centroids, 1)
        rng = self.rng("centroids")
        shape = self.n_centroids, self.n_features
        self._centres = rng.random(shape).astype(floating(self.dtype))
        self._deviations, self._weights = rng.random((2, self.n_centroids))
        self._classes = rng.integers(self.n_classes, size=self.n_centroids)

    def draw(
        self, start: int, stop: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = stop - start
        edges = np.cumsum(self._weights)
        centroid = np.searchsorted(edges, rng.random(rows) * edges[-1], side="right")
        distance = rng.standard_normal(rows) * self._deviations[centroid]
        X: NDArray[Any] = rng.random((rows, self.n_features), dtype=self._centres.dtype)
        X *= 2
        X -= 1
        # A row that has no direction stays at its centre.
        length = np.maximum(np.linalg.norm(X, axis=1), np.finfo(X.dtype).tiny)
        X *= (distance / length).astype(X.dtype)[:, None]
        X += self._centres[centroid]
        return X, self._classes[centroid]

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        tells_apart = len(np.unique(self._classes)) > 1
        return np.arange(self.n_features if tells_apart else 0)
