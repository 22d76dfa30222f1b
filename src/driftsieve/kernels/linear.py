"""Steps of linear models whose weights are random: margins of rows, and their pulls on the columns.

Symbols: μ and σ mean and deviation of the weight of each column; m = Σ μ x and q = Σ σ² x² of a
row; a and b how far a row pulls at its x and at its x². Missing cells (NaN) count as absent.
"""

import numpy as np

from driftsieve.kernels import kernel

LARGEST = 1e50  # beyond this, nothing is moved: squares of it, times squares of cells, still exist
LEAST = 1e-10  # below this, no deviation falls


@kernel
def dense_margins(X, mu, sigma, m, q):
    """Find m and q of dense rows."""
    for i in range(len(X)):
        s = 0.0
        z = 0.0
        for j in range(X.shape[1]):
            x = np.float64(X[i, j])
            if x == x:
                s += mu[j] * x
                z += (sigma[j] * x) ** 2
        m[i] = s
        q[i] = z


@kernel
def sparse_margins(data, indices, indptr, mu, sigma, m, q):
    """Find m and q of sparse rows."""
    for i in range(len(indptr) - 1):
        s = 0.0
        z = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
            if x == x:
                j = indices[e]
                s += mu[j] * x
                z += (sigma[j] * x) ** 2
        m[i] = s
        q[i] = z


@kernel
def dense_pulls(X, a, b, g, h):
    """Find g = Σ a x and h = Σ b x² of each column of dense rows."""
    g[:] = 0.0
    h[:] = 0.0
    for i in range(len(X)):
        for j in range(X.shape[1]):
            x = np.float64(X[i, j])
            if x == x:
                g[j] += a[i] * x
                h[j] += b[i] * (x * x)


@kernel
def sparse_pulls(data, indices, indptr, a, b, g, h):
    """Find g = Σ a x and h = Σ b x² of each column of sparse rows."""
    g[:] = 0.0
    h[:] = 0.0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
            if x == x:
                g[indices[e]] += a[i] * x
                h[indices[e]] += b[i] * (x * x)


@kernel
def ascend(mu, sigma, g, h, rate):
    """Step along the gradients g of μ and h of σ.

    A step takes half of a σ at most, and none moves what floats could not hold.
    """
    for k in range(len(mu)):
        by = rate * g[k]
        if abs(by) <= LARGEST:
            mu[k] = min(max(mu[k] + by, -LARGEST), LARGEST)
        by = rate * h[k]
        if abs(by) <= LARGEST:
            sigma[k] = min(max(sigma[k] + by, 0.5 * sigma[k], LEAST), LARGEST)
