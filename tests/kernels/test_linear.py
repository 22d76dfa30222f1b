"""Passes over rows for linear models, and draws of parameters, beside plain NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve.kernels.linear import (
    LARGEST,
    LEAST,
    ascend,
    dense_margins,
    dense_pulls,
    sparse_margins,
    sparse_pulls,
)
from driftsieve.kernels.sampling import collect, draw

P = 6


def rows(n, kind):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, P)).astype(kind)
    X[rng.random(X.shape) < 0.3] = 0
    return X, rng


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 11])
def test_margins_and_pulls(n, kind):
    X, rng = rows(n, kind)
    mu, sigma = rng.standard_normal(P), rng.random(P)
    a, b = rng.standard_normal((2, n))
    cells = X.astype(float)
    csr = sparse.csr_array(X)
    passes = (
        (dense_margins, dense_pulls, (X,)),
        (sparse_margins, sparse_pulls, (csr.data, csr.indices, csr.indptr)),
    )
    for margins, pulls, matrix in passes:
        m, q = np.full((2, n), 7.0)
        margins(*matrix, mu, sigma, np.empty(P), m, q)
        assert_allclose(m, cells @ mu, rtol=1e-12, atol=1e-14)
        assert_allclose(q, cells**2 @ sigma**2, rtol=1e-12, atol=1e-14)
        g, h = np.full((2, P), 7.0)
        pulls(*matrix, a, b, g, h)
        assert_allclose(g, cells.T @ a, rtol=1e-12, atol=1e-14)
        assert_allclose(h, (cells**2).T @ b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("column", range(P))
def test_a_missing_cell_shows_in_its_margin(column):
    X, _ = rows(5, np.float32)
    X[3, column] = np.nan
    csr = sparse.csr_array(X)
    for margins, matrix in (
        (dense_margins, (X,)),
        (sparse_margins, (csr.data, csr.indices, csr.indptr)),
    ):
        m, q = np.empty((2, 5))
        margins(*matrix, np.zeros(P), np.ones(P), np.empty(P), m, q)
        assert np.isnan(m).tolist() == [False, False, False, True, False]


def test_ascent_stays_within_bounds():
    mu, sigma = np.array([0.0, 1.0, -1.0, 5.0, 9.0]), np.array([1.0, 1.0, 2.0, 1.0, LEAST])
    g = np.array([1.0, np.nan, np.inf, 1e49, 0.0])
    h = np.array([0.1, -9.0, -np.inf, np.nan, -1.0])
    ascend(mu, sigma, g, h, 2.0)
    assert_array_equal(mu, [2.0, 1.0, -1.0, 2e49, 9.0])
    assert_array_equal(sigma, [1.2, 0.5, 2.0, 1.0, LEAST])
    ascend(mu, sigma, np.full(5, 5e49), np.full(5, 5e49), 1.0)
    ascend(mu, sigma, np.full(5, 5e49), np.full(5, 5e49), 1.0)
    assert mu.max() == sigma.max() == LARGEST


def test_draws_and_what_is_led_back():
    rng = np.random.default_rng(0)
    mu, sigma = rng.standard_normal((2, 3, 4))
    codes = rng.integers(0, 8, (3, 5, 4)).astype(np.uint16)
    table = rng.standard_normal(8).astype(np.float32)
    theta = np.empty((3, 5, 4))
    draw(mu, sigma, codes, table, theta)
    r = table[codes].astype(float)
    assert_allclose(theta, mu[:, None] + sigma[:, None] * r)
    gradient = rng.standard_normal((3, 5, 4))
    g, h = np.empty((2, 3, 4))
    collect(gradient, codes, table, g, h)
    assert_allclose(g, gradient.sum(axis=1))
    assert_allclose(h, (gradient * r).sum(axis=1))
