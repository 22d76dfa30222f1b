"""Kernels against obvious twins; run with the JIT on and off."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve.kernels import moments as kernels
from tests.naive import moments as naive


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("weighted", [False, True])
def test_group_rows_sorts_stably_and_leaves_out_weight_zero(rng, weighted):
    codes = rng.integers(0, 4, 50)
    weights = rng.integers(0, 2, 50).astype(float)
    order, starts = np.empty(50, dtype=np.intp), np.zeros(6, dtype=np.intp)
    kernels.group_rows(codes, weights, weighted, order, starts)
    for c in range(5):
        expected = [i for i in range(50) if codes[i] == c and (weights[i] > 0 or not weighted)]
        assert_array_equal(order[starts[c] : starts[c + 1]], expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 11, 12, 13, 24, 40])
def test_dense_sums(rng, dtype, n):
    X = rng.standard_normal((50, 9)).astype(dtype)
    rows = rng.permutation(50)[:n]
    weights = rng.random(50)
    d = X[rows].astype(float) - X[rows[0]].astype(float)
    s, z = np.zeros(9), np.zeros(9)
    kernels.dense_sums(X, rows, 0, 4, s, z)
    kernels.dense_sums(X, rows, 4, 9, s, z)
    assert_allclose(s, d.sum(axis=0), rtol=1e-12, atol=1e-12)
    assert_allclose(z, (d**2).sum(axis=0), rtol=1e-12)
    s, z = np.zeros(9), np.zeros(9)
    kernels.dense_sums_weighted(X, rows, weights, 2, 9, s, z)
    w = weights[rows, None]
    assert_allclose(s[2:], (w * d).sum(axis=0)[2:], rtol=1e-12, atol=1e-12)
    assert_allclose(z[2:], (w * d**2).sum(axis=0)[2:], rtol=1e-12)
    assert not s[:2].any(), "columns outside lo..hi are left alone"


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_moments_say_which_columns_are_not_to_be_trusted(rng, weighted):
    X = rng.standard_normal((60, 7)) + 30
    codes, weights = rng.choice([0, 2, 5], 60), rng.random(60) + 0.1
    last = np.flatnonzero(codes == 5)[-1]
    X[last, 1], X[last, 2], X[last, 3], X[np.argmax(codes == 2), 5] = np.nan, np.inf, 1e60, 1e101
    order, starts = np.empty(60, dtype=np.intp), np.zeros(7, dtype=np.intp)
    kernels.group_rows(codes, weights, weighted, order, starts)
    present = np.array([0, 2, 5])
    of_rows = weights if weighted else np.ones(60)
    w, m, q = (np.zeros((3, 7)) for _ in range(3))
    w[:] = [[of_rows[codes == c].sum()] for c in present]
    odd = np.zeros(7, dtype=bool)
    with np.errstate(all="ignore"):
        for lo, hi in ((0, 3), (3, 7)):
            kernels.dense_moments(
                X, order, starts, present, weights, weighted, lo, hi, 1e100, w, m, q, odd
            )
    assert_array_equal(odd, [False, True, True, True, False, True, False])
    for i, c in enumerate(present):
        for j in np.flatnonzero(~odd):
            expected = naive.moments(X[codes == c, j], of_rows[codes == c])
            assert_allclose([w[i, j], m[i, j], q[i, j]], np.array(expected, float))


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_sums_missing_then_centre(rng, weighted):
    X = rng.standard_normal((40, 6)) * 3 + 50
    X[rng.random(X.shape) < 0.4] = np.nan
    X[:, 5] = np.nan
    rows, weights = np.arange(3, 33), rng.random(40)
    shift = np.full(6, np.nan)
    w, s, z, m, q = np.zeros((5, 6))
    kernels.dense_sums_missing(X, rows, weights, weighted, shift, w, s, z)
    kernels.centre(w, shift, s, z, m, q)
    for j in range(6):
        of_rows = weights[rows] if weighted else np.ones(len(rows))
        assert_allclose([w[j], m[j], q[j]], np.array(naive.moments(X[rows, j], of_rows), float))
    assert w[5] == m[5] == q[5] == 0


def test_combine_is_the_moments_of_both(rng):
    a, b = rng.standard_normal((20, 3)) + 7, rng.standard_normal((30, 3)) - 2
    gain = 0.25
    parts = [
        [np.array(naive.moments(x[:, j], np.ones(len(x))), float) for j in range(3)] for x in (a, b)
    ]
    (w, m, q), (w2, m2, q2) = (np.array(part).T.copy() for part in parts)
    kernels.combine(w, m, q, w2, m2, q2, gain)
    both, weights = np.vstack([a, b]), np.r_[np.ones(20), np.full(30, gain)]
    for j in range(3):
        assert_allclose([w[j], m[j], q[j]], np.array(naive.moments(both[:, j], weights), float))


def test_combine_keeps_equal_means_to_the_last_bit():
    w, m, q = np.array([0.3]), np.array([0.1]), np.array([0.0])
    for weight in (0.7, 1e-9, 1e9, 0.0):
        kernels.combine(w, m, q, np.array([weight]), np.array([0.1]), np.array([0.0]), 0.37)
    assert m[0] == 0.1
    assert q[0] == 0.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_sparse_update(rng, weighted, missing):
    dense = np.where(rng.random((30, 5)) < 0.5, rng.standard_normal((30, 5)) + 3, 0.0)
    dense[:, 4] = 0.1
    if missing:
        dense[rng.random(dense.shape) < 0.2] = np.nan
    X = sparse.csr_array(dense)
    codes, weights = rng.integers(0, 2, 30), rng.random(30)
    rows, cells = np.zeros(2), np.zeros((5, 2, 4))
    kernels.sparse_update(X.data, X.indices, X.indptr, codes, weights, weighted, 2.0, rows, cells)
    gained = 2.0 * (weights if weighted else np.ones(30))
    for c in range(2):
        of_class = codes == c
        assert_allclose(rows[c], gained[of_class].sum())
        for j in range(5):
            entries = of_class & (dense[:, j] != 0)
            expected = np.array(naive.moments(dense[entries, j], gained[entries]), float)
            assert_allclose(cells[j, c, :3], expected, atol=1e-13)
            assert_allclose(cells[j, c, 3], gained[entries].sum())
    assert_array_equal(cells[4, :, 3], rows)  # an entry in every row: equal to the last bit
