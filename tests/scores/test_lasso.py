"""Lasso paths on some of the features are those on all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import Lasso

from driftsieve.scores import lasso
from driftsieve.scores.lasso import lasso_weights
from tests.naive.unsupervised import lasso_feature_weights


@pytest.fixture
def few(monkeypatch):
    """Let paths begin with hardly more features than they need."""
    monkeypatch.setattr(lasso, "first_candidates", lambda features, steps: min(features, 2))


def problem(seed, rows=40, features=15, targets=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features)) + rng.standard_normal((rows, 1))  # correlated
    return X, rng.standard_normal((rows, targets))


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 14), is_sparse=st.booleans())
def test_a_path_that_began_with_few_features_is_that_of_all(seed, steps, is_sparse):
    X, targets = problem(seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lasso, "first_candidates", lambda features, steps: 2)
        found = lasso_weights(sparse.csr_array(X) if is_sparse else X, targets, [steps])
    assert_allclose(found[0], lasso_feature_weights(X, targets, steps), rtol=1e-7, atol=1e-9)


def test_one_path_answers_for_all_numbers_of_steps():
    X, targets = problem(3)
    steps = [1, 2, 5, 9, 14]
    found = lasso_weights(X, targets, steps)
    for number, weights in zip(steps, found):
        assert_allclose(weights, lasso_feature_weights(X, targets, number), rtol=1e-7, atol=1e-12)
        assert np.sum(weights > 0) <= number * targets.shape[1]


@pytest.mark.parametrize("penalty", [0.5, 5.0, 30.0])
def test_with_a_penalty_it_is_the_lasso(penalty, few):
    """Eq. 3 with p = 1, by another algorithm: coordinate descent."""
    X, targets = problem(5)
    found = lasso_weights(X, targets, [100], penalty=penalty)[0]
    other = [
        Lasso(alpha=penalty / 2 / len(X), fit_intercept=False, tol=1e-12, max_iter=100_000)
        .fit(X, target)
        .coef_
        for target in targets.T
    ]
    assert_allclose(found, np.abs(other).max(axis=0), atol=1e-7)


@given(st.integers(0, 1000), st.floats(0.01, 3))
def test_orthogonal_columns_have_the_closed_form(seed, penalty):
    """Lemma 3.1: least squares, moved towards zero by half of the penalty."""
    rng = np.random.default_rng(seed)
    X = np.linalg.qr(rng.standard_normal((30, 8)))[0]
    A = rng.standard_normal((30, 2))
    expected = np.maximum(np.abs(X.T @ A) - penalty / 2, 0).max(axis=1)
    assert_allclose(lasso_weights(X, A, [50], penalty=penalty)[0], expected, atol=1e-9)


def test_of_equal_columns_one_is_enough_and_nobody_is_warned():
    X, targets = problem(7)
    twice = lasso_weights(np.hstack([X, -X]), targets, [6])[0]
    assert_allclose(twice[:15], lasso_weights(X, targets, [6])[0], rtol=1e-9)
    assert not twice[15:].any()
    assert not lasso_weights(np.zeros((40, 3)), targets, [2]).any()


def test_columns_that_depend_on_others_do_no_harm():
    """x + y - z is as correlated as x, y and z, once these have entered with one sign."""
    rng = np.random.default_rng(9)
    X = rng.standard_normal((40, 8))
    target = X[:, :3].sum(axis=1) * 10 + rng.standard_normal(40)
    X = np.column_stack([X, X[:, 0] + X[:, 1] - X[:, 2]])
    for steps in range(1, 9):
        alphas, coefs = lasso._lars(X.T @ X, X.T @ target, steps, 0.0)
        left = np.abs(X.T @ (target - X @ coefs[:, -1]))
        assert left.max() <= alphas[-1] * (1 + 1e-6) + 1e-9
        assert_allclose(left[coefs[:, -1] != 0], alphas[-1], rtol=1e-6, atol=1e-9)


def test_a_gram_matrix_that_does_not_fit_is_refused():
    X, targets = problem(8)
    needed = lasso.GRAMS * 8 * 15**2
    lasso_weights(X, targets, [3], max_bytes=needed)
    with pytest.raises(ValueError, match="raise max_bytes, or ask for fewer"):
        lasso_weights(X, targets, [3], max_bytes=needed - 1)
