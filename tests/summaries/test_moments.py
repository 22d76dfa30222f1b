"""Moments against exact arithmetic, over the whole input space."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Batch
from driftsieve.memory import Fading
from driftsieve.remembered import remember
from driftsieve.scores.moments import fisher, t
from driftsieve.summaries.moments import Moments
from tests.naive import moments as naive

FEATURES = 3


@st.composite
def streams(draw):
    rows = draw(st.integers(1, 30))
    values = st.one_of(
        st.just(0.0),
        st.just(np.nan),
        st.floats(-1e6, 1e6, width=32),
        st.floats(1e8, 1e8 + 10),
    )
    X = draw(arrays(np.float64, (rows, FEATURES), elements=values))
    y = draw(arrays(np.int64, rows, elements=st.integers(0, 2)))
    weight = draw(arrays(np.float64, rows, elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=4)))
    sparse_parts = draw(st.lists(st.booleans(), min_size=5, max_size=5))
    return X, y, weight, [0, *cuts, rows], sparse_parts


@given(streams())
def test_equals_exact_moments_whatever_the_batches_and_formats(stream):
    X, y, weight, cuts, sparse_parts = stream
    summary = Moments(FEATURES)
    for lo, hi, as_sparse in zip(cuts, cuts[1:], sparse_parts):
        part = sparse.csr_array(X[lo:hi]) if as_sparse else X[lo:hi]
        summary.update(Batch(part, y[lo:hi], weight[lo:hi]))
    found = summary.by_class()
    for code, label in enumerate(summary.classes):
        for j in range(FEATURES):
            of_class = y == label
            w, m, q = naive.moments(X[of_class, j], weight[of_class])
            assert_allclose(found.weight[code, j], float(w), rtol=1e-12)
            assert_allclose(found.mean[code, j], float(m), rtol=1e-9, atol=1e-9)
            # What rounding costs grows with the square of the spread, never with the place.
            values = [*X[~np.isnan(X[:, j]), j], *([0.0] if any(sparse_parts) else [])]
            spread = max(values) - min(values) if values else 0.0
            assert_allclose(
                found.scatter[code, j], float(q), rtol=1e-9, atol=1e-14 * 30 * spread**2
            )
    assert set(summary.classes) == set(y[weight > 0].tolist())


def test_a_far_column_under_fading_keeps_its_variance():
    """Raw sums of squares give a negative variance here."""
    rng = np.random.default_rng(0)
    near = rng.standard_normal((3000, 1)).round(3)
    y = rng.integers(0, 2, 3000)
    variances = []
    for place in (0.0, 1e8):
        summary = Moments(1)
        for i in range(0, 3000, 10):
            summary.update(Batch(near[i : i + 10] + place, y[i : i + 10]), fade=0.99**10)
        by_class = summary.by_class()
        variances.append(by_class.scatter / by_class.weight)
    assert_allclose(variances[1], variances[0], rtol=1e-6)
    assert 0.5 < variances[0].min() < variances[0].max() < 2


def test_sparse_and_faded_equals_naive_row_weights():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((400, 4)) < 0.1, rng.standard_normal((400, 4)) + 2, 0.0)
    X[:, 3] = 1e8  # always there: its zeros must not leave a trace
    y = rng.integers(0, 3, 400)
    summary = Moments(4)
    for i in range(400):
        summary.update(Batch(sparse.csr_array(X[i : i + 1]), y[i : i + 1]), fade=0.97)
    weights = 0.97 ** np.arange(399, -1, -1)
    found = summary.by_class()
    for code, label in enumerate(summary.classes):
        for j in range(4):
            expected = naive.moments(X[y == label, j], weights[y == label])
            got = found.weight[code, j], found.mean[code, j], found.scatter[code, j]
            assert_allclose(got, np.array(expected, float), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_fast_fading_equals_naive_row_weights(form):
    """So fast that the common scale of the weights runs out of range, again and again."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((900, 2)).round(1), rng.integers(0, 2, 900)
    summary, other = Moments(2), Moments(2)
    for i in range(900):
        (summary if i < 800 else other).update(Batch(form(X[i : i + 1]), y[i : i + 1]), fade=0.7)
    summary.fade(0.7**100)
    summary.merge(other)
    found = summary.by_class()
    weights = 0.7 ** np.arange(899, -1, -1)
    for code, label in enumerate(summary.classes):
        for j in range(2):
            expected = naive.moments(X[y == label, j], weights[y == label])
            got = found.weight[code, j], found.mean[code, j], found.scatter[code, j]
            assert_allclose(got, np.array(expected, float), rtol=1e-9)


@pytest.mark.parametrize("labels", [[7, 3, 5, 3], ["b", "a", "c"], [2.5, -1.5], [True, False]])
def test_classes_are_numbered_as_they_appear(labels):
    summary = Moments(1)
    summary.update(Batch(np.ones((len(labels), 1)), np.array(labels)))
    assert summary.classes == list(dict.fromkeys(labels))


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([-100, 100, -100], np.int8),
        ([-128, 127, 127], np.int8),
        ([20_000, -20_000] * 25_000, np.int16),
        ([2**64 - 1, 2**64 - 3], np.uint64),
        ([-(2**63), -(2**63) + 5], np.int64),
    ],
)
def test_classes_at_the_ends_of_a_type(labels, dtype):
    moments = Moments(1)
    moments.update(Batch(np.zeros((len(labels), 1)), np.array(labels, dtype=dtype)))
    assert moments.classes == list(dict.fromkeys(labels))
    assert all(type(label) is int for label in moments.classes)


def test_a_class_may_come_late_and_be_forgotten():
    summary = Moments(2)
    summary.update(Batch(np.ones((5, 2)), np.zeros(5)))
    summary.update(Batch(np.ones((5, 2)), np.array(["late"] * 5)), fade=1e-30)
    assert summary.classes == [0.0, "late"]
    for _ in range(5):
        summary.fade(1e-25)
    assert_array_equal(summary.by_class().weight, np.zeros((2, 2)))


@pytest.mark.parametrize("as_sparse", [False, True])
def test_fading_to_nothing_forgets_all(as_sparse):
    summary = Moments(2)
    X = np.array([[1.0, 0.0], [2.0, np.nan]])
    summary.update(Batch(sparse.csr_array(X) if as_sparse else X, np.array([0, 1])))
    summary.fade(0.0)
    assert_array_equal(summary.by_class().weight, np.zeros((2, 2)))
    assert_array_equal(summary.by_class().scatter, np.zeros((2, 2)))


def test_bad_fading_factors_are_refused():
    for factor in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            Moments(2).fade(factor)


def test_infinities_are_named_and_change_nothing():
    summary = Moments(2)
    summary.update(Batch(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])))
    before = summary.to_state()
    X = np.array([[1.0, 2.0], [np.nan, 4.0], [1.0, -np.inf]])
    for form in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"column 'b' holds an infinity in row 2"):
            summary.update(Batch(form, np.array([0, 1, 7]), names=("a", "b")), fade=0.5)
    with pytest.raises(ValueError, match=r"column 0 holds 1e\+200 in row 0 .*, which is too large"):
        summary.update(Batch(np.array([[1e200, 1.0]]), np.array([0])))
    after = summary.to_state()
    assert after["labels"] == before["labels"]
    assert after["scale"] == before["scale"]
    assert_array_equal(after["dense"], before["dense"])


def test_too_many_classes_are_taken_for_a_numeric_target():
    summary = Moments(1)
    with pytest.raises(ValueError, match="more than 1000 classes"):
        summary.update(Batch(np.ones((1500, 1)), np.linspace(0, 1, 1500)))
    assert summary.classes == []


def test_widths_must_agree():
    summary = Moments(3)
    with pytest.raises(ValueError, match="2 features, not 3"):
        summary.update(Batch(np.ones((1, 2)), np.zeros(1)))
    with pytest.raises(ValueError, match="cannot be merged"):
        summary.merge(Moments(2))


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    batch = Batch(rng.standard_normal((3000, 120)).astype(np.float32), rng.integers(0, 3, 3000))
    states = []
    for n_jobs in (1, 2, 5):
        summary = Moments(120, n_jobs=n_jobs)
        summary.update(batch)
        states.append(np.array(summary.to_state()["dense"]))
    assert_array_equal(states[1], states[0])
    assert_array_equal(states[2], states[0])


def test_bytes_follow_the_documented_formula():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 7)), np.arange(50) % 3
    dense, csr = Moments(7), Moments(7)
    dense.update(Batch(X, y))
    csr.update(Batch(sparse.csr_array(X), y))
    assert dense.nbytes == 24 * 3 * 7
    assert csr.nbytes == 32 * 3 * 7 + 8 * 3
    csr.update(Batch(X, y))
    assert csr.nbytes == (24 + 32) * 3 * 7 + 8 * 3


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e-90, 1e-60, 1e60, 1e100])
def test_weights_may_be_very_large_or_small(size, form):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)) + 2, rng.integers(0, 3, 50)
    unit, scaled = Moments(3), Moments(3)
    unit.update(Batch(form(X), y))
    scaled.update(Batch(form(X), y, weight=np.full(50, size)))
    assert_allclose(fisher(scaled), fisher(unit), rtol=1e-9)
    assert_allclose(t(scaled), t(unit) * np.sqrt(size), rtol=1e-9)  # so many rows more


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rows", [340, 400, 600, 1000])
def test_a_class_that_has_faded_away_is_forgotten_however_rows_are_batched(rows, form):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((rows, 2)), np.minimum(np.arange(rows) // 6, 1)
    answers = []
    for size in (rows, 90, 1):
        faded = remember(Moments, 2, Fading(0.5))
        for i in range(0, rows, size):
            faded.update(Batch(form(X[i : i + size]), y[i : i + size]))
        answers.append(fisher(faded.summary))
    assert_allclose(answers[1:], answers[:1] * 2, rtol=1e-9)


def test_infinities_are_found_in_rows_without_weight():
    for X in (np.array([[np.inf], [1.0]]), sparse.csr_array([[np.inf], [1.0]])):
        with pytest.raises(ValueError, match="infinity"):
            Moments(1).update(Batch(X, np.array([0, 1]), weight=np.array([0.0, 1.0])))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rows", [1, 10, 40])
@pytest.mark.parametrize("missing", [False, True])
def test_a_far_value_that_all_but_weighs_nothing_leaves_no_trace(form, rows, missing):
    """Such as an outlier that has faded: neither its place nor its rounding errors may stay."""
    X = np.random.default_rng(5).standard_normal((40, 2)).round(2)
    X[0] = 1e15
    if missing:
        X[39, 0] = X[3, 1] = np.nan
    weight = np.r_[1e-60, np.geomspace(0.01, 1.0, 39)]
    summary = Moments(2)
    for i in range(0, 40, rows):
        part = slice(i, i + rows)
        summary.update(Batch(form(X[part]), np.zeros(len(X[part])), weight[part]))
    found = summary.by_class()
    for j in range(2):
        expected = np.array(naive.moments(X[:, j], weight), float)
        got = found.weight[0, j], found.mean[0, j], found.scatter[0, j]
        assert_allclose(got, expected, rtol=1e-12)
