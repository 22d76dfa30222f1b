"""Obvious and slow: the unsupervised relatives of FSDS, with dense matrices and their formulas."""

import numpy as np
from scipy.linalg import eigh
from sklearn.linear_model import lars_path


def unit(rows):
    return np.array([row / np.linalg.norm(row) if np.any(row) else row for row in rows])


def generalised_feature_weights(X, k, alpha=None):
    """GENFEATWEIGHT, p = 2, as eq. 3 has it: the ridge regression itself, and not its solution."""
    Y = unit(X).T  # points are columns
    _, sigma, Vt = np.linalg.svd(Y, full_matrices=False)
    alpha = 8 * sigma[k - 1] if alpha is None else alpha
    coefficients = np.linalg.solve(Y @ Y.T + alpha * np.eye(len(Y)), Y @ Vt[:k].T)
    return np.abs(coefficients).max(axis=1)


def lasso_feature_weights(X, targets, steps):
    """The largest coefficient of each feature after so many steps of LARS on all features."""
    coefs = [
        lars_path(X, y, method="lasso", max_iter=steps, alpha_min=0)[2][:, -1] for y in targets.T
    ]
    return np.abs(coefs).max(axis=0)


def similarities(X, neighbors, affinity, bandwidth=None):
    """The symmetric matrix S of the graph of nearest neighbours."""
    n = len(X)
    X = unit(X) if affinity == "cosine" else X
    square = np.array([[np.sum((a - b) ** 2) for b in X] for a in X])
    near = np.zeros((n, n), bool)
    for i in range(n):
        others = [j for j in np.argsort(square[i], kind="stable") if j != i]
        near[i, others[:neighbors]] = True
    tied = near | near.T
    if affinity == "binary":
        return tied.astype(float)
    if affinity == "cosine":
        return np.where(tied, np.maximum(X @ X.T, 0), 0)
    bandwidth = square[tied].mean() if bandwidth is None else bandwidth
    return np.where(tied, np.exp(-square / bandwidth), 0)


def laplacian_score(X, S):
    """He et al. (2005), eq. 1 to 3."""
    D = np.diag(S.sum(axis=1))
    L, one = D - S, np.ones(len(X))
    scores = []
    for f in X.T:
        centred = f - (f @ D @ one) / (one @ D @ one) * one
        scores.append((centred @ L @ centred) / (centred @ D @ centred))
    return np.array(scores)


def flat_embedding(S, k):
    """Cai et al. (2010), eq. 1, of a connected graph: L y = lambda D y, without the first."""
    D = np.diag(S.sum(axis=1))
    return eigh(D - S, D)[1][:, 1 : k + 1]


def multi_cluster_scores(X, k, nonzero, S):
    return lasso_feature_weights(X, flat_embedding(S, k), nonzero)
