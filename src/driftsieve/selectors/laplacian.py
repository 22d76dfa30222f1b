"""LaplacianScore: features that keep neighbouring rows together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.memory import Memory
from driftsieve.scores.neighbours import (
    AFFINITIES,
    BLOCK,
    laplacian_scores,
    neighbour_graph,
)
from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.kept_rows import MAX_BYTES, KeepsRows, require_number


class LaplacianScore(KeepsRows):
    """Select the features that vary least between neighbouring rows, without labels.

    He, Cai and Niyogi (2005). Each feature is judged on its own, by how much of its variance lies
    between neighbours. A batch method: it keeps all rows, and is here as a reference.

    Parameters
    ----------
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    neighbors : int, default=5
        Two rows are tied if either is among so many nearest of the other.
    affinity : {"heat", "binary", "cosine"}, default="heat"
        What a tie weighs: exp(-d² / bandwidth) at the distance d, or 1, or the cosine of the two
        rows, which are then neighbours by angle.
    bandwidth : float or None, default=None
        That of the heat kernel; None: the mean squared distance of all that are tied.
    memory : Window or None, default=None
        Which rows are remembered; None: all. Rows that are kept cannot fade.
    max_bytes : int, default=4 GiB
        What the rows and the work may take together: more is an error before it is taken.

    Attributes
    ----------
    scores_, ranking_, selection_
        As in all selectors: larger is better, and so a score is the published one with a minus.
        A constant feature has no score (NaN).
    raw_scores_ : ndarray of shape (n_features_in_,)
        The Laplacian score as published: smaller is better.
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    Notes
    -----
    The graph is sparse, scikit-learn's: time is that of finding neighbours, memory the rows and
    their ties. *Deviations*: the paper leaves the bandwidth open. Rows are taken as they are:
    scale features that differ in their units, or use "cosine", beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import LaplacianScore
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(0, 1, (300, 6))
    >>> X[:, 4] += 20 * (np.arange(300) % 2)  # two clusters
    >>> LaplacianScore(k=1).fit(X).selection_.names
    ('x4',)
    """

    _changeable = ("k", "neighbors", "affinity", "bandwidth", "max_bytes")  # rows are all there

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        neighbors: int = 5,
        affinity: str = "heat",
        bandwidth: float | None = None,
        memory: Memory = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.k = k
        self.neighbors = neighbors
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.memory = memory
        self.max_bytes = max_bytes

    @property
    def raw_scores_(self) -> NDArray[np.float64]:
        """The Laplacian score as published: smaller is better."""
        return -self.scores_

    def _check(self) -> None:
        super()._check()
        check_graph(self.neighbors, self.affinity, self.bandwidth)

    def _working_bytes(self, X: Any) -> float:
        return graph_bytes(X, self.neighbors)

    def _weigh(self, X: Any) -> NDArray[np.float64]:
        X = X.astype(np.float64, copy=False)
        graph = neighbour_graph(X, int(self.neighbors), self.affinity, self.bandwidth)
        return -laplacian_scores(X, graph)

    @classmethod
    def _variants(cls) -> list[dict[str, Any]]:
        return [{"affinity": affinity} for affinity in AFFINITIES]


def check_graph(neighbors: Any, affinity: Any, bandwidth: Any) -> None:
    """Refuse parameters of a graph of neighbours that make no sense."""
    require_whole("neighbors", neighbors, 1)
    if affinity not in AFFINITIES:
        raise ValueError(f"affinity must be one of {', '.join(AFFINITIES)}, not {affinity!r}")
    if bandwidth is not None:
        require_number("bandwidth", bandwidth, "or None")


def graph_bytes(X: Any, neighbors: int) -> float:
    """Estimate what a graph of neighbours takes: copies of the rows, and its ties."""
    entries = 8 * X.size if isinstance(X, np.ndarray) else 12 * X.nnz
    return (
        3.0 * float(entries)
        + 40.0 * BLOCK
        + 100.0 * min(neighbors, int(X.shape[0])) * int(X.shape[0])
    )
