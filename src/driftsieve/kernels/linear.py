"""Steps of linear models whose weights are random: margins of rows, and their pulls on the columns.

Symbols: μ and σ mean and deviation of the weight of each column; m = Σ μ x and q = Σ σ² x² of a
row; a and b how far a row pulls at its x and at its x². Callers put 0 for a missing cell, which
then takes no part; they need not look for one as long as no m is NaN.
"""

import numpy as np

from driftsieve.kernels import dot_kernel, kernel

LARGEST = 1e50  # beyond this, nothing is moved: squares of it, times squares of cells, still exist
LEAST = 1e-10  # below this, no deviation falls


@dot_kernel
def dense_margins(X, mu, sigma, squares, m, q):
    """Find m and q of dense rows. `squares` is filled with those of σ.

    Four rows a pass share what is read of μ and σ.
    """
    for j in range(len(sigma)):
        squares[j] = sigma[j] * sigma[j]
    i = 0
    while i + 4 <= len(X):
        a, b, c, d = X[i], X[i + 1], X[i + 2], X[i + 3]
        ma = mb = mc = md = 0.0
        qa = qb = qc = qd = 0.0
        for j in range(len(mu)):
            u = mu[j]
            v = squares[j]
            x = np.float64(a[j])
            ma += u * x
            qa += v * (x * x)
            x = np.float64(b[j])
            mb += u * x
            qb += v * (x * x)
            x = np.float64(c[j])
            mc += u * x
            qc += v * (x * x)
            x = np.float64(d[j])
            md += u * x
            qd += v * (x * x)
        m[i], m[i + 1], m[i + 2], m[i + 3] = ma, mb, mc, md
        q[i], q[i + 1], q[i + 2], q[i + 3] = qa, qb, qc, qd
        i += 4
    while i < len(X):
        a = X[i]
        ma = qa = 0.0
        for j in range(len(mu)):
            x = np.float64(a[j])
            ma += mu[j] * x
            qa += squares[j] * (x * x)
        m[i], q[i] = ma, qa
        i += 1


@kernel
def sparse_margins(data, indices, indptr, mu, sigma, squares, m, q):
    """Find m and q of sparse rows. `squares` is not used."""
    for i in range(len(indptr) - 1):
        s = 0.0
        z = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
            j = indices[e]
            s += mu[j] * x
            z += sigma[j] * sigma[j] * (x * x)
        m[i] = s
        q[i] = z


@kernel
def dense_pulls(X, a, b, g, h):
    """Find g = Σ a x and h = Σ b x² of each column of dense rows, four rows a pass."""
    g[:] = 0.0
    h[:] = 0.0
    i = 0
    while i + 4 <= len(X):
        x0, x1, x2, x3 = X[i], X[i + 1], X[i + 2], X[i + 3]
        a0, a1, a2, a3 = a[i], a[i + 1], a[i + 2], a[i + 3]
        b0, b1, b2, b3 = b[i], b[i + 1], b[i + 2], b[i + 3]
        for j in range(len(g)):
            s, t = np.float64(x0[j]), np.float64(x1[j])
            u, v = np.float64(x2[j]), np.float64(x3[j])
            g[j] += (a0 * s + a1 * t) + (a2 * u + a3 * v)
            h[j] += (b0 * (s * s) + b1 * (t * t)) + (b2 * (u * u) + b3 * (v * v))
        i += 4
    while i < len(X):
        x0 = X[i]
        for j in range(len(g)):
            s = np.float64(x0[j])
            g[j] += a[i] * s
            h[j] += b[i] * (s * s)
        i += 1


@kernel
def sparse_pulls(data, indices, indptr, a, b, g, h):
    """Find g = Σ a x and h = Σ b x² of each column of sparse rows."""
    g[:] = 0.0
    h[:] = 0.0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
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
