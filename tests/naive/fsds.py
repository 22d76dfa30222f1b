"""The obvious way to Algorithm 2 of Huang, Yoo & Kasiviswanathan (2015), as they print it: points
are columns, everything by full singular value decompositions."""

import numpy as np


def sketch(batches, size):
    """Algorithm 2, steps 1 to 4."""
    B = np.zeros((len(batches[0]), size))
    for Y in batches:
        U, sigma, _ = np.linalg.svd(np.hstack([B, Y]), full_matrices=False)
        U, sigma = padded(U, sigma, size)
        B = U[:, :size] * np.sqrt(sigma[:size] ** 2 - sigma[size - 1] ** 2)
    return B


def stream_feature_weights(batches, size, k, alpha):
    """Algorithm 2."""
    B = sketch(batches, size)
    U, sigma, _ = np.linalg.svd(B, full_matrices=False)
    return weights(U[:, :k], sigma[:k], alpha)


def weights(U, sigma, alpha):
    X = U @ np.diag(sigma / (sigma**2 + alpha))
    return np.abs(X).max(axis=1)


def padded(U, sigma, size):
    more = max(0, size - len(sigma))
    return np.pad(U, ((0, 0), (0, more))), np.pad(sigma, (0, more))


def kernel_feature_weights(X, Z, k, alpha=None):
    """The regression of Algorithm 1 with p = 2 on rows of X, for targets from their images Z."""
    U, sigma, _ = np.linalg.svd(Z, full_matrices=False)
    alpha = 8 * sigma[k - 1] if alpha is None else alpha
    coefficients = [np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ u) for u in U.T[:k]]
    return np.abs(coefficients).max(axis=0)
