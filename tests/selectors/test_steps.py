"""Rows in steps, and their scaling: beside scikit-learn's scalers, and by what they must not do."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from driftsieve import FIRES
from driftsieve.batch import Batch, dense
from driftsieve.selectors.scaling import MinMax, Standard
from driftsieve.selectors.steps import Steps

P = 3


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.booleans()), max_size=8),
)
def test_steps_hold_the_rows_in_their_order(size, batches):
    steps, whole, given_rows = Steps(size), [], 0
    for n, is_sparse, weighted in batches:
        numbers = np.arange(given_rows, given_rows + n)
        X = np.repeat(numbers[:, None] + 1.0, P, axis=1)
        weight = numbers + 0.5 if weighted else None
        form = sparse.csr_array(X) if is_sparse else X
        for step in steps.add(Batch(form, numbers, weight)):
            assert_array_equal(dense(step.X), np.repeat(step.y[:, None] + 1.0, P, axis=1))
            whole.append(step)
        given_rows += n
        assert steps.nbytes <= steps.most_bytes(P)
    assert [step.n_rows for step in whole] == [size] * (given_rows // size)
    assert steps.waiting == given_rows % size
    rows = [*whole, *([steps.rows()] if steps.waiting else [])]
    number = np.concatenate([step.y for step in rows]) if rows else np.empty(0)
    assert_array_equal(number, np.arange(given_rows))
    for step in whole:
        if step.weight is not None:
            known = step.weight != 1  # rows without a weight weigh 1
            assert_array_equal(step.weight[known], step.y[known] + 0.5)


def test_waiting_rows_are_copies():
    X, y = np.ones((2, P)), np.zeros(2, dtype=int)
    steps = Steps(5)
    assert not list(steps.add(Batch(X, y)))
    X[:], y[:] = 9, 9
    assert_array_equal(steps.rows().X, np.ones((2, P)))
    assert_array_equal(steps.rows().y, [0, 0])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.filterwarnings("ignore:All-NaN slice", "ignore:Degrees of freedom")
@pytest.mark.parametrize("shift", [0.0, 1e8])
@pytest.mark.parametrize(("ours", "theirs"), [(MinMax, MinMaxScaler), (Standard, StandardScaler)])
def test_scaling_is_that_of_all_rows_so_far(ours, theirs, shift, form):
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((40, 4)) * 2**10) / 2**10 + shift
    X[rng.random(X.shape) < 0.2] = 0.0
    X[:, 2] = 5.0
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = np.nan
    weight = rng.uniform(0.1, 3, 40)
    scaler = ours(4)
    for lo, hi in ((0, 1), (1, 9), (9, 30), (30, 40)):
        found = dense(scaler.scaled(Batch(form(X[lo:hi]), None, weight[lo:hi])).X)
        weights = {"sample_weight": weight[:hi]} if ours is Standard else {}
        with np.errstate(all="ignore"):
            expected = theirs().fit(X[:hi, :3], **weights).transform(X[lo:hi, :3])
        assert_allclose(found[:, :3], expected, rtol=1e-6, atol=1e-7)
        assert np.isnan(found[:, 3]).all()


def test_counts_stay_sparse_and_what_is_negative_does_not():
    rng = np.random.default_rng(0)
    X = (rng.random((20, 4)) < 0.4) * rng.integers(1, 9, (20, 4))
    scaler, twin = MinMax(4), MinMax(4)
    for part in np.split(X.astype(float), 4):
        scaled = scaler.scaled(Batch(sparse.csr_array(part)))
        assert scaled.is_sparse
        assert_allclose(scaled.X.toarray(), twin.scaled(Batch(part)).X)
    assert not scaler.scaled(Batch(sparse.csr_array(-part))).is_sparse
    assert not scaler.scaled(Batch(sparse.csr_array(part))).is_sparse


def test_a_sparse_batch_touches_its_columns_only():
    """What a batch of few entries allocates does not grow with the number of columns."""
    columns = 2_000_000
    rng = np.random.default_rng(0)
    X = sparse.csr_array(
        (rng.random(500), rng.integers(0, columns, 500), np.arange(0, 501, 10)), shape=(50, columns)
    )
    X.sum_duplicates()
    y = rng.integers(0, 3, 50)
    sieve = FIRES(step=50).partial_fit(X, y)
    before = sieve.uncertainty_
    tracemalloc.start()
    sieve.partial_fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < columns  # a byte for each would be too much already
    touched = np.flatnonzero(sieve.uncertainty_ != before)
    assert 0 < len(touched) <= X.nnz
    assert np.isin(touched, X.indices).all()


def test_a_step_of_sparse_and_dense_rows():
    rng = np.random.default_rng(1)
    X, y = (rng.random((30, 5)) < 0.5) * 1.0, rng.integers(0, 2, 30)
    mixed, plain = FIRES(step=20), FIRES(step=20).fit(X, y)
    mixed.partial_fit(sparse.csr_array(X[:7]), y[:7]).partial_fit(X[7:], y[7:])
    assert_allclose(mixed.scores_, plain.scores_, rtol=1e-12)
