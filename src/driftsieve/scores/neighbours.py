"""The graph of nearest neighbours of rows, and what two methods make of it.

X. He, D. Cai and P. Niyogi (2005), *Laplacian Score for Feature Selection*, section 2;
D. Cai, C. Zhang and X. He (2010), *Unsupervised Feature Selection for Multi-Cluster Data*,
section 3.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.neighbors import kneighbors_graph

from driftsieve.scores.subspace import unit_rows

AFFINITIES = "heat", "binary", "cosine"

SMALL = 400
"""A graph of at most so many rows is decomposed as a dense matrix."""

BLOCK = 1 << 18
"""Cells of differences between neighbours worked on at a time."""


@dataclass(frozen=True)
class Graph:
    """An undirected graph: row `one[e]` is tied to row `other[e]` by `weight[e]`, each tie once."""

    n_rows: int
    one: NDArray[np.intp]
    other: NDArray[np.intp]
    weight: NDArray[np.float64]

    @property
    def degree(self) -> NDArray[np.float64]:
        """The sum of the weights of each row's ties."""
        ends = np.concatenate([self.one, self.other])
        weights = np.concatenate([self.weight, self.weight])
        return np.bincount(ends, weights, minlength=self.n_rows).astype(np.float64, copy=False)

    def matrix(self) -> Any:
        """The weights as a symmetric sparse matrix."""
        ends = np.concatenate([self.one, self.other]), np.concatenate([self.other, self.one])
        weights = np.concatenate([self.weight, self.weight])
        return sparse.csr_array((weights, ends), shape=(self.n_rows, self.n_rows))


def neighbour_graph(
    X: Any, neighbors: int, affinity: str = "heat", bandwidth: float | None = None
) -> Graph:
    """Tie each row to its nearest neighbours: two rows are tied if either is among the nearest
    `neighbors` of the other, by Euclidean distance.

    A tie weighs exp(-d² / bandwidth) ("heat"; None: the mean d² of all ties), or 1 ("binary"), or
    the cosine of the rows if that is positive ("cosine": nearest by angle, too).
    """
    n = X.shape[0]
    if n < 2:
        nobody = np.empty(0, np.intp)
        return Graph(n, nobody, nobody, np.empty(0))
    if affinity == "cosine":
        X = unit_rows(X)
    elif isinstance(X, np.ndarray):
        X = X - X.mean(axis=0)  # distances stay, and lose fewer digits
    ties = kneighbors_graph(X, min(neighbors, n - 1), mode="connectivity")
    ties = sparse.triu(ties + ties.T, 1, format="coo")
    one, other = (np.asarray(end, np.intp) for end in (ties.row, ties.col))
    order = np.lexsort((other, one))
    one, other = one[order], other[order]
    if affinity == "binary":
        return Graph(n, one, other, np.ones(len(one)))
    if affinity == "cosine":
        weight = np.maximum(_over_ties(X, one, other, lambda a, b: _row_sums(a * b)), 0.0)
        tied = weight > 0
        return Graph(n, one[tied], other[tied], weight[tied])
    square = _over_ties(X, one, other, lambda a, b: _row_sums(_squared(a - b)))
    scale = square.mean() if bandwidth is None else bandwidth
    return Graph(n, one, other, np.exp(-square / scale) if scale > 0 else np.ones(len(one)))


def laplacian_scores(X: Any, graph: Graph) -> NDArray[np.float64]:
    """Return the Laplacian score of each feature (He et al., eq. 3): the smaller, the better it
    keeps neighbours together. NaN where a feature does not vary among rows that have neighbours."""
    tied = np.flatnonzero(graph.degree)
    if not len(tied):
        return np.full(X.shape[1], np.nan)
    place = np.cumsum(graph.degree > 0) - 1
    X, degree = X[tied], graph.degree[tied]
    one, other = place[graph.one], place[graph.other]
    apart = np.zeros(X.shape[1])
    block = max(1, BLOCK // X.shape[1])
    for begin in range(0, len(one), block):
        part = slice(begin, begin + block)
        apart += graph.weight[part] @ _squared(X[one[part]] - X[other[part]])
    mean = (degree @ X) / degree.sum()
    if isinstance(X, np.ndarray):
        varies = X.min(axis=0) < X.max(axis=0)
        spread = sum(
            degree[rows] @ (X[rows] - mean) ** 2
            for rows in (slice(i, i + block) for i in range(0, len(X), block))
        )
    else:
        varies = np.ravel(X.min(axis=0).toarray() < X.max(axis=0).toarray())
        entries = sparse.csr_array((X.data - mean[X.indices], X.indices, X.indptr), shape=X.shape)
        present = sparse.csr_array((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape)
        spread = degree @ _squared(entries) + (degree.sum() - degree @ present) * mean**2
    scores = np.full(X.shape[1], np.nan)
    scores[varies] = (apart / np.where(varies, spread, 1.0))[varies]
    return scores


def spectral_targets(graph: Graph, count: int) -> NDArray[np.float64]:
    """Return the flat embedding of the rows, as columns: the eigenvectors y of L y = λ D y with
    the smallest λ, without the constant one, of length 1 by yᵀ D y (Cai et al., eq. 1).

    At most `count`. Where the graph has several components, λ = 0 has as many eigenvectors, and
    any mixture of them is one, too. To have the same ones however they are worked out, each sets
    a component apart from all that is left, from the second largest one on down: constant on every
    component, and orthogonal to the constant and to those before. A row without ties has 0.
    """
    degree = graph.degree
    tied = np.flatnonzero(degree)
    if not len(tied):
        return np.zeros((graph.n_rows, 0))
    root = np.sqrt(degree[tied])
    ties = graph.matrix()[tied][:, tied]
    ties = sparse.diags_array(1 / root) @ ties @ sparse.diags_array(1 / root)
    parts, part = connected_components(ties, directed=False)
    constant = np.zeros((len(tied), parts))
    constant[np.arange(len(tied)), part] = root
    constant /= np.linalg.norm(constant, axis=0)
    order = np.argsort(-np.bincount(part), kind="stable")
    all_alike = constant.T @ root  # the constant vector, in terms of the components
    single = np.eye(parts)[:, order[1 : count + 1]]
    apart = np.linalg.qr(np.column_stack([all_alike, single]))[0][:, 1:]
    found = constant @ apart
    further = min(count - found.shape[1], len(tied) - parts)
    if further > 0:
        found = np.hstack([found, _further(ties, sparse.csr_array(constant), further)])
    targets = np.zeros((graph.n_rows, found.shape[1]))
    targets[tied] = found / root[:, None]
    return targets


def _further(ties: Any, constant: Any, count: int) -> NDArray[np.float64]:
    """Return eigenvectors with the largest eigenvalues, next to those that are known."""
    n = ties.shape[0]
    if n <= SMALL or count >= n - 1:
        # what is known moves below all other eigenvalues, of which the least is -1
        rest = ties.toarray() - 3 * (constant @ constant.T).toarray()
        return np.asarray(linalg.eigh(rest, subset_by_index=(n - count, n - 1))[1][:, ::-1])
    rest = LinearOperator(
        (n, n), lambda v: ties @ v - 3 * (constant @ (constant.T @ v)), dtype=np.float64
    )
    start = np.random.default_rng(0).standard_normal(n)
    value, vector = eigsh(rest, count, which="LA", v0=start)
    return np.asarray(vector[:, np.argsort(-value)])


def _over_ties(X: Any, one: NDArray[np.intp], other: NDArray[np.intp], what: Any) -> Any:
    """Ask something of the two rows of each tie, some ties at a time."""
    block = max(1, BLOCK // X.shape[1])
    parts = [slice(i, i + block) for i in range(0, len(one), block)]
    return np.concatenate([what(X[one[part]], X[other[part]]) for part in parts])


def _squared(X: Any) -> Any:
    return X**2 if isinstance(X, np.ndarray) else X.power(2)


def _row_sums(X: Any) -> NDArray[np.float64]:
    return np.ravel(X.sum(axis=1))
