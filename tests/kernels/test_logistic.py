"""Kernels of logistic regression against finite differences and twins; with the JIT on and off."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve.kernels import logistic as kernels
from tests.naive import annealing as naive


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def sparse_rows(rng, n, p):
    return np.where(rng.random((n, p)) < 0.5, rng.standard_normal((n, p)), 0.0)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_gradients_are_those_of_the_loss(rng, outputs, factor):
    X = sparse_rows(rng, 6, 5)
    codes, weights = rng.integers(0, outputs + (outputs == 1), 6), rng.random(6) + 0.5
    W, b = rng.standard_normal((5, outputs)), rng.standard_normal(outputs)
    kept = np.array([True, True, False, True, True])
    W[2] = 0.0
    rows = sparse.csr_array(X)
    V, A, B, G = W / factor, np.zeros(5), np.zeros(1), np.zeros((5, outputs))
    norms, b_after = np.array([factor, 0.0, 0.0]), b.copy()
    several = outputs > 1
    (kernels.steps if several else kernels.steps_of_one)(
        rows.data, rows.indices, rows.indptr, np.arange(6), codes, weights, 6, 0.1, 0.0,
        kept * 1.0, V if several else V[:, 0], A, b_after, B, G if several else G[:, 0], norms,
    )  # fmt: skip

    def change(where, h=1e-6):
        before = where[...].copy()
        slope = np.empty_like(where)
        for place in np.ndindex(where.shape):
            sides = []
            for side in (h, -h):
                where[place] = before[place] + side
                sides.append(naive.loss(X * kept, codes, weights, W, b))
            where[place] = before[place]
            slope[place] = (sides[0] - sides[1]) / (2 * h)
        return slope

    # Each feature's first step has the same length, and leads down; A holds that of the gradient.
    length = np.average(1 + (X**2)[:, kept].sum(axis=1), weights=weights)
    step = 0.1 * np.sqrt(max(1, outputs / 2) / length)
    moved = W - V * norms[0]
    assert_allclose(np.linalg.norm(moved[kept], axis=1), step, rtol=1e-12)
    assert_allclose(moved / step * np.sqrt(A)[:, None], change(W), atol=1e-7)
    assert_allclose((b - b_after) / step * np.sqrt(B), change(b), atol=1e-7)
    assert not G.any() and not V[2].any() and not A[2].any()


def test_scales_are_the_root_mean_squares_of_what_is_not_zero(rng):
    X, weights = sparse_rows(rng, 20, 4), rng.random(20)
    X[:, 2] = 0.0
    kept = np.array([True, True, True, False])
    c, q, u = np.zeros((3, 4))
    for part in (slice(0, 7), slice(7, 20)):
        rows = sparse.csr_array(X[part])
        kernels.observe(rows.data, rows.indices, rows.indptr, weights[part], kept, c, q, u)
    for j in (0, 1, 3):
        there = X[:, j] != 0
        assert_allclose(q[j] / c[j], np.average(X[there, j] ** 2, weights=weights[there]))
    assert_allclose(u[:2] ** 2, c[:2] / q[:2])
    assert u[2] == u[3] == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_lose_columns(rng, dtype, order):
    X = np.array(sparse_rows(rng, 9, 6), dtype=dtype, order=order)
    rows = sparse.csr_array(X)
    data, indices = np.empty(rows.nnz, dtype), np.empty(rows.nnz, np.int32)
    kernels.take_non_zero(X, data, indices)
    assert_array_equal(data, rows.data)
    assert_array_equal(indices, rows.indices)
    kept = np.array([True, False, True, True, False, False])
    indptr = np.empty_like(rows.indptr)
    kernels.count_kept(rows.indices, rows.indptr, kept, indptr)
    data, indices = np.empty(indptr[-1], dtype), np.empty(indptr[-1], np.int32)
    kernels.take_kept(rows.data, rows.indices, rows.indptr, kept, data, indices)
    assert_array_equal(sparse.csr_array((data, indices, indptr), X.shape).toarray(), X * kept)


@pytest.mark.parametrize("steps", [kernels.steps, kernels.steps_of_one])
def test_a_common_factor_near_its_end_is_put_into_the_weights(steps):
    V, norms = np.full((1, 2) if steps is kernels.steps else 1, 2.0), np.array([1e-6, 0.0, 0.0])
    none, b = np.zeros(0, np.int64), np.zeros(2 if steps is kernels.steps else 1)
    steps(
        np.zeros(0), none, np.zeros(2, np.int64), np.arange(1), np.zeros(1, np.int64), np.ones(1),
        1, 0.5, 1.0, np.ones(1), V, np.zeros(1), b, np.zeros(1), np.zeros_like(V), norms,
    )  # fmt: skip
    assert norms[0] == 1
    assert_allclose(V, 2 * 0.5e-6)
