"""Weights from principal directions: the closed form is the ridge regression that it solves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from driftsieve.scores import subspace
from driftsieve.scores.subspace import principal_directions, ridge_weights, unit_rows
from tests.naive.unsupervised import generalised_feature_weights, unit

shapes = st.tuples(st.integers(1, 30), st.integers(1, 12), st.integers(0, 1000))


@given(shapes, st.floats(-150, 90), st.booleans())
def test_rows_get_length_one_whatever_their_scale(shape, magnitude, is_sparse):
    rows, features, seed = shape
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features)) * (rng.random((rows, features)) < 0.6)
    scaled = X * 10.0**magnitude
    given_ = sparse.csr_array(scaled) if is_sparse else scaled
    Y = unit_rows(given_)
    assert sparse.issparse(Y) == is_sparse
    Y = Y.toarray() if is_sparse else Y
    assert_allclose(Y, unit(X), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("shape", [(60, 8), (8, 60), (30, 30)])
@pytest.mark.parametrize("limit", [0, 1000], ids=["products", "gram"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_directions_are_singular_vectors_however_they_are_found(shape, limit, form, monkeypatch):
    monkeypatch.setattr(subspace, "GRAM_SIDE", limit)
    X = np.random.default_rng(1).standard_normal(shape)
    _, sigma, Vt = np.linalg.svd(X, full_matrices=False)
    for count in (1, 3, 7):
        directions, lengths = principal_directions(form(X), count)
        assert_allclose(lengths, sigma[:count], rtol=1e-10)
        assert_allclose(np.abs(directions), np.abs(Vt[:count].T), atol=1e-9)


def test_there_are_no_more_directions_than_the_rank():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 10))
    assert len(principal_directions(X, 8)[1]) == 3
    assert len(principal_directions(np.zeros((4, 3)), 2)[1]) == 0
    assert ridge_weights(*principal_directions(np.zeros((4, 3)), 2), None).tolist() == [0, 0, 0]


@given(st.integers(0, 1000), st.integers(1, 5), st.none() | st.floats(1e-3, 1e3))
def test_the_closed_form_solves_the_ridge_regression(seed, k, alpha):
    """Lemma 3.3."""
    X = np.random.default_rng(seed).standard_normal((25, 6))
    weights = ridge_weights(*principal_directions(unit_rows(X), k), alpha)
    assert_allclose(weights, generalised_feature_weights(X, k, alpha), rtol=1e-6)
