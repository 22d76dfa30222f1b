"""MCFS: features on which the flat embedding of the rows is regressed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.memory import Memory
from driftsieve.scores.lasso import lasso_bytes, lasso_weights
from driftsieve.scores.neighbours import AFFINITIES, neighbour_graph, spectral_targets
from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.kept_rows import MAX_BYTES, KeepsRows, steps_of
from driftsieve.selectors.laplacian import check_graph, graph_bytes


class MCFS(KeepsRows):
    """Select the features on which the clusters of rows are best regressed, without labels.

    Multi-cluster feature selection of Cai, Zhang and He (2010). Rows are tied to their nearest
    neighbours; the eigenvectors of this graph, which lay its clusters apart, are regressed on all
    features by the lasso; a feature is worth the largest of its coefficients. A batch method: it
    keeps all rows, and is here as a reference.

    Parameters
    ----------
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    directions : int, default=10
        How many eigenvectors are regressed: the paper's K, the number of clusters expected.
    nonzero : int or None, default=None
        The steps of each lasso path, each of which lets a feature in or out: the paper's d. None:
        as many as are selected, as in the paper.
    neighbors, affinity, bandwidth
        The graph: see `LaplacianScore`.
    memory : Window or None, default=None
        Which rows are remembered; None: all. Rows that are kept cannot fade.
    max_bytes : int, default=4 GiB
        What the rows and the work may take together: more is an error before it is taken.

    Attributes
    ----------
    scores_, ranking_, selection_
        As in all selectors. A constant feature has no score (NaN), and one that is in no path 0.
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    Notes
    -----
    *Deviations*: the paper bounds the number of nonzero coefficients, here the steps of a path are
    bounded. Where the graph falls apart, its components are targets, the largest left out: the
    paper takes any basis of the eigenvectors of the eigenvalue 0.

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import MCFS
    >>> rng = np.random.default_rng(0)
    >>> X = np.abs(rng.normal(0, 0.1, (300, 6)))
    >>> X[np.arange(300), 2 + np.arange(300) % 3] += 1  # three clusters
    >>> sorted(MCFS(k=2, directions=2).fit(X).selection_.names)[0] in ("x2", "x3")
    True
    """

    _changeable = ("k", "directions", "nonzero", "neighbors", "affinity", "bandwidth", "max_bytes")

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        directions: int = 10,
        nonzero: int | None = None,
        neighbors: int = 5,
        affinity: str = "heat",
        bandwidth: float | None = None,
        memory: Memory = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.k = k
        self.directions = directions
        self.nonzero = nonzero
        self.neighbors = neighbors
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.memory = memory
        self.max_bytes = max_bytes

    def _check(self) -> None:
        super()._check()
        require_whole("directions", self.directions, 1)
        if self.nonzero is not None:
            require_whole("nonzero", self.nonzero, 1)
        check_graph(self.neighbors, self.affinity, self.bandwidth)

    def _working_bytes(self, X: Any) -> float:
        rows, features = X.shape
        steps = steps_of(self.k, self.nonzero, features)
        needed = graph_bytes(X, self.neighbors)
        needed += 8 * rows * (3 * min(self.directions, rows) + 20)  # the eigenvectors
        return float(needed) + lasso_bytes(features, steps)

    def _weigh(self, X: Any) -> NDArray[np.float64]:
        X = X.astype(np.float64, copy=False)
        graph = neighbour_graph(X, int(self.neighbors), self.affinity, self.bandwidth)
        targets = spectral_targets(graph, int(self.directions))
        steps = [steps_of(self.k, self.nonzero, X.shape[1])]
        return np.asarray(lasso_weights(X, targets, steps, max_bytes=self.max_bytes)[0])

    @classmethod
    def _variants(cls) -> list[dict[str, Any]]:
        return [{"directions": 2, "affinity": affinity} for affinity in AFFINITIES]
