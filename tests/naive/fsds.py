"""The obvious ways to Algorithms 1 and 2 of Huang, Yoo & Kasiviswanathan (2015), as they print
them: points are columns, everything by full singular value decompositions."""

import numpy as np


def unit_columns(Y):
    lengths = np.linalg.norm(Y, axis=0)
    return Y / np.where(lengths > 0, lengths, 1)


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


def feature_weights(Y, k, alpha=None):
    """Algorithm 1 with p = 2: a ridge regression for each of the k right singular vectors.

    alpha None: 8 times the k-th singular value.
    """
    _, sigma, Vt = np.linalg.svd(Y, full_matrices=False)
    alpha = 8 * sigma[k - 1] if alpha is None else alpha
    X = [np.linalg.solve(Y @ Y.T + alpha * np.eye(len(Y)), Y @ v) for v in Vt[:k]]
    return np.abs(X).max(axis=0)


def weights(U, sigma, alpha):
    X = U @ np.diag(sigma / (sigma**2 + alpha))
    return np.abs(X).max(axis=1)


def padded(U, sigma, size):
    more = max(0, size - len(sigma))
    return np.pad(U, ((0, 0), (0, more))), np.pad(sigma, (0, more))
