"""Annealing against its twin, row by row, and what its schedule promises."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import SparseFSA
from driftsieve.learners.annealing import Plan
from tests.naive import annealing as naive


def data(rng, n, p, classes):
    X = np.where(
        rng.random((n, p)) < 0.6, rng.standard_normal((n, p)) * 10.0 ** rng.integers(-2, 3, p), 0
    )
    return X, rng.integers(0, classes, n), rng.integers(1, 4, n) / 2


def plan(k, mu, rows):
    return Plan(k, mu, rows, again=False, size=1, rate=1.0, l2=0.0)


@given(
    p=st.integers(1, 500),
    k=st.integers(1, 500),
    mu=st.one_of(st.just(0.0), st.floats(0.01, 300)),
    rows=st.integers(1, 2000),
)
def test_the_schedule_begins_with_all_features_and_ends_with_k(p, k, mu, rows):
    k = min(k, p)
    left = [plan(k, mu, rows).features_at(row, p) for row in range(rows + 1)]
    assert left[0] == p and left[-1] == k
    assert left == sorted(left, reverse=True)
    assert left[-(-rows // 2)] == k, "from the middle on"
    assert plan(k, 3.0, 8).features_at(0, p) == p


@pytest.mark.parametrize("mu", [0.0, 1.0, 10.0, 300.0])
@pytest.mark.parametrize(("p", "k", "rows"), [(1000, 10, 500), (7, 6, 33), (40, 40, 10)])
def test_the_schedule_is_that_of_the_paper(p, k, rows, mu):
    # A share that is a whole number but for rounding may be rounded up.
    for row in range(rows + 1):
        expected = naive.features_at(row, p, k, mu, rows)
        assert plan(k, mu, rows).features_at(row, p) in (expected, expected + 1)


def same(model, twin):
    assert_array_equal(model.get_support(indices=True), twin.kept)
    scale = np.abs(twin.W).max()
    assert_allclose(model.coef_.T, twin.W, rtol=1e-9, atol=1e-9 * scale)
    assert_allclose(model.intercept_, twin.b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("l2", [0.0, 0.05])
@pytest.mark.parametrize("size", [1, 7])
def test_fit_equals_its_twin(classes, l2, size):
    rng = np.random.default_rng(size)
    X, y, weights = data(rng, 60, 24, classes)
    fsa = SparseFSA(5, epochs=3, mu=2.0, l2=l2, batch_size=size, random_state=8)
    fsa.fit(X, y, weights)
    outputs = 1 if classes == 2 else classes
    twin = naive.Annealed(
        24, outputs, k=5, mu=2.0, rows=180, again=False, size=size, rate=0.5, l2=l2
    )
    twin.observe(X, weights)
    random = np.random.default_rng(8)
    for _ in range(3):
        twin.learn(X, y, weights, random.permutation(60))
    same(fsa, twin)


@settings(max_examples=25, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 150), max_size=6),
    seed=st.integers(0, 99),
    classes=st.sampled_from([2, 3]),
    size=st.sampled_from([1, 5, 40]),
    rows=st.sampled_from([2, 30, 64, 1000]),
    k=st.integers(1, 12),
)
def test_a_stream_equals_its_twin_through_several_annealings(cuts, seed, classes, size, rows, k):
    X, y, weights = data(np.random.default_rng(seed), 150, 12, classes)
    fsa = SparseFSA(k, mu=1.5, l2=0.01, batch_size=size, anneal_rows=rows, learning_rate=0.3)
    twin = naive.Annealed(
        12, 1 if classes == 2 else classes, k=k, mu=1.5, rows=rows, again=True, size=size,
        rate=0.3, l2=0.01,
    )  # fmt: skip
    edges = sorted({0, *cuts, 150})
    for lo, hi in itertools.pairwise(edges):
        part = slice(lo, hi)
        fsa.partial_fit(X[part], y[part], range(classes), weights[part])
        twin.observe(X[part], weights[part])
        twin.learn(X[part], y[part], weights[part], list(range(hi - lo)))
        same(fsa, twin)


@pytest.mark.parametrize("convert", [sparse.csr_array, sparse.csc_array, np.asfortranarray])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_form_of_the_rows_does_not_matter(convert, dtype):
    X, y, _ = data(np.random.default_rng(0), 200, 30, 3)
    X = X.astype(dtype)
    dense = SparseFSA(7, anneal_rows=150)
    other = SparseFSA(7, anneal_rows=150)
    for learn in (SparseFSA.fit, SparseFSA.partial_fit, SparseFSA.partial_fit):
        learn(dense, X, y)
        learn(other, convert(X), y)
        assert_array_equal(dense.coef_, other.coef_)
        assert_allclose(
            dense.decision_function(X), other.decision_function(convert(X)), rtol=1e-5, atol=1e-5
        )


def test_with_steps_of_one_row_batches_do_not_matter():
    rng = np.random.default_rng(1)
    X, y = rng.choice([-1.0, 1.0], (300, 20)), rng.integers(0, 2, 300)  # all of one scale
    whole = SparseFSA(4, batch_size=1, anneal_rows=220).partial_fit(X, y)
    rows = SparseFSA(4, batch_size=1, anneal_rows=220)
    for i in range(300):
        rows.partial_fit(X[[i]], y[[i]], [0, 1])
    assert_allclose(rows.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    assert_array_equal(rows.get_support(), whole.get_support())


def test_units_do_not_matter():
    X, y, _ = data(np.random.default_rng(2), 200, 10, 2)
    units = 10.0 ** np.arange(-5, 5)
    one, other = SparseFSA(3).fit(X, y), SparseFSA(3).fit(X * units, y)
    assert_array_equal(one.get_support(), other.get_support())
    assert_allclose(one.decision_function(X), other.decision_function(X * units), rtol=1e-6)


def test_equal_weights_do_not_matter_and_rows_of_weight_zero_are_absent():
    X, y, _ = data(np.random.default_rng(2), 200, 10, 3)
    plain = SparseFSA(3).fit(X, y)
    assert_allclose(plain.coef_, SparseFSA(3).fit(X, y, np.full(200, 1e3)).coef_, rtol=1e-9)
    weights = np.where(np.arange(200) < 150, 1.0, 0.0)
    assert_array_equal(
        SparseFSA(3).fit(X, y, weights).coef_, SparseFSA(3).fit(X[:150], y[:150]).coef_
    )
    stream = SparseFSA(3, anneal_rows=100).partial_fit(X, y, sample_weight=weights)
    assert stream.n_samples_seen_ == 150
    assert_array_equal(
        stream.coef_, SparseFSA(3, anneal_rows=100).partial_fit(X[:150], y[:150]).coef_
    )


def test_the_budget_is_kept_and_begins_anew_with_every_annealing():
    X, y, _ = data(np.random.default_rng(4), 1000, 50, 2)
    fsa = SparseFSA(5, anneal_rows=400, batch_size=10)
    left = []
    for at in range(0, 1000, 50):
        fsa.partial_fit(X[at : at + 50], y[at : at + 50])
        left.append(int(fsa.get_support().sum()))
        assert not fsa.coef_[:, ~fsa.get_support()].any()
    assert left[3:8] == [5] * 5 == left[11:16]
    assert left[8] > left[9] > 5
    assert (
        SparseFSA(5).fit(X, y).get_support().sum()
        == 5
        == (SparseFSA(0.1).fit(X, y).coef_ != 0).sum()
    )


def relevant(rng, n, columns, p=60, classes=2):
    X = rng.standard_normal((n, p))
    margins = X[:, columns] @ rng.uniform(1, 2, (len(columns), classes))
    return X, (margins.argmax(axis=1) if classes > 2 else (X[:, columns].sum(axis=1) > 0) * 1)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_true_features_of_a_linear_problem_are_found(classes):
    X, y = relevant(np.random.default_rng(5), 1000, [3, 17, 20, 41, 59], classes=classes)
    fsa = SparseFSA(5).fit(X[:700], y[:700])
    assert fsa.get_support(indices=True).tolist() == [3, 17, 20, 41, 59]
    assert fsa.score(X[700:], y[700:]) > 0.9


def test_features_that_begin_to_matter_come_back():
    rng = np.random.default_rng(6)
    fsa = SparseFSA(3, anneal_rows=1000)
    for columns in ([1, 2, 3], [30, 40, 50]):
        for _ in range(20):
            fsa.partial_fit(*relevant(rng, 100, columns))
        assert fsa.get_support(indices=True).tolist() == columns
        X, y = relevant(rng, 500, columns)
        assert fsa.score(X, y) > 0.9
