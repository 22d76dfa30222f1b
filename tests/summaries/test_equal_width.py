"""Equal-width bins against their naive twin, and where they are good and bad."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Batch, Keep, Screening
from driftsieve.summaries.equal_width import EqualWidth
from tests.naive import counts as naive

PROBES = np.linspace(-3, 3, 25)


def both(X, y, bins, first, cuts, weight=None):
    """The summary after some batches, and a twin for each feature."""
    weight = np.ones(len(y)) if weight is None else weight
    summary = EqualWidth(X.shape[1], bins=bins, first=first)
    summary.update(Batch(X[:0], np.arange(3)[:0]))
    twins = [naive.EqualWidth(3, bins, first) for _ in range(X.shape[1])]
    for rows in np.split(np.arange(len(X)), cuts):
        summary.update(Batch(X[rows], y[rows], weight[rows]))
        for j, twin in enumerate(twins):
            twin.update(X[rows, j], y[rows], weight[rows])
        yield summary, twins


def by_label(summary, j, values):
    found = np.zeros((len(values), 3))
    found[:, summary.classes] = summary.below(j, values)
    return found


cells = st.one_of(st.integers(-3, 3).map(lambda i: i / 2), st.floats(-3, 3), st.just(np.nan))


@given(
    arrays(float, st.tuples(st.integers(1, 40), st.just(2)), elements=cells),
    st.integers(2, 9),
    st.integers(1, 12),
    st.integers(0, 2**32 - 1),
)
def test_equals_the_twin_at_every_prefix(X, bins, first, seed):
    rng = np.random.default_rng(seed)
    y, weight = rng.integers(0, 3, len(X)), rng.integers(1, 4, len(X)) / 2
    probes = np.concatenate([PROBES, [X[~np.isnan(X)].max(initial=-4), 4.0]])
    for summary, twins in both(X, y, bins, first, range(1, len(X), 5), weight):
        for j, twin in enumerate(twins):
            # Beside the edges, where one rounding decides.
            edges = [twin.edge(b) for b in range(bins)] if twin.counts is not None else []
            clear = [v for v in probes if all(abs(v - e) > 1e-9 for e in edges)]
            if twin.counts is not None and any(
                0 < abs(x - e) < 1e-9 for x in X[:, j] for e in edges
            ):
                continue
            expected = np.array([twin.below(v) for v in clear]).reshape(-1, 3)
            assert_allclose(by_label(summary, j, clear), expected, atol=1e-9)


def test_the_first_values_settle_the_bounds_and_others_go_to_the_end_bins():
    X = np.array([0.0, 10, 5, -7, 30, np.nan, 9.9])[:, None]
    summary = EqualWidth(1, bins=5, first=3)
    summary.update(Batch(X, np.zeros(7, int)))
    table = summary.tables(None)
    assert table.edges(0).tolist()[:4] == [-7, 2, 6, 30]
    assert table.table(0).ravel().tolist()[:3] == [2, 1, 3]
    assert summary.below(0, [-8, 2, 7, 29, 30]).ravel().tolist() == [0, 2, 3, 3, 6]


def test_until_then_answers_are_exact():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((99, 3)), rng.integers(0, 2, 99)
    ours = Screening("information_gain", summary="equal_width").fit(X, y)
    exact = Screening("information_gain", summary="exact").fit(X, y)
    assert_array_equal(ours.scores_, exact.scores_)
    assert_array_equal(ours.thresholds_, exact.thresholds_)


def test_each_feature_takes_its_own_first_values():
    X = np.full((300, 2), np.nan)
    X[:, 0] = np.arange(300)
    X[200:, 1] = np.arange(100)
    summary = EqualWidth(2, bins=10, first=100)
    summary.update(Batch(X, np.zeros(300, int)))
    assert summary.below(1, [49.5, 99]).ravel().tolist() == [50, 100]
    assert summary.below(0, [98.9]).item() == 90  # the last bin has all above 89.1


def test_what_is_constant_at_first_keeps_what_is_above_apart():
    X = np.concatenate([np.zeros(100), [1, 2, 3]])[:, None]
    y = np.repeat([0, 1], [100, 3])
    sieve = Screening("information_gain", summary="equal_width").fit(X, y)
    exact = Screening("information_gain", summary="exact").fit(X, y)
    assert_allclose(sieve.scores_, exact.scores_)
    assert sieve.thresholds_ == [0]


def test_merging_equal_bounds_adds_counts():
    rng = np.random.default_rng(1)
    X, y = rng.random((400, 2)), rng.integers(0, 2, 400)
    X[[0, 200]], X[[1, 201]] = 0, 1
    parts = [EqualWidth(2), EqualWidth(2)]
    for part, rows in zip(parts, (slice(200), slice(200, 400))):
        part.update(Batch(X[rows], y[rows]))
    whole = EqualWidth(2)
    whole.update(Batch(X, y))
    parts[0].merge(parts[1])
    for j in (0, 1):
        assert_array_equal(parts[0].below(j, PROBES), whole.below(j, PROBES))


@pytest.mark.parametrize("shift", [0.3, 0.97, 5.0])
def test_merging_other_bounds_spreads_bins_and_loses_nobody(shift):
    rng = np.random.default_rng(2)
    one, other = EqualWidth(1, bins=40), EqualWidth(1, bins=40)
    X, Z = rng.random((2_000, 1)), rng.random((3_000, 1)) + shift
    one.update(Batch(X, rng.integers(0, 2, 2_000)))
    other.update(Batch(Z, rng.integers(0, 2, 3_000)))
    one.merge(other)
    both = np.concatenate([X, Z])
    assert_allclose(one.below(0, [both.max()]).sum(), 5_000)
    inside = np.linspace(0.1, 0.9, 9)
    exact = (both <= inside[:, None, None]).sum(axis=(1, 2))
    assert np.abs(one.below(0, inside).sum(axis=1) - exact).max() <= 5_000 * 1.5 / 40


def test_merging_bins_that_differ_is_refused():
    one, other = EqualWidth(1, bins=4), EqualWidth(1, bins=5)
    with pytest.raises(ValueError, match="5 bins from 100 first values cannot be merged into 4"):
        one.merge(other)


def test_on_a_sorted_stream_bins_are_of_no_use_and_quantiles_are():
    """The paper's finding, in small: the bounds come from the least values."""
    rng = np.random.default_rng(3)
    x = np.sort(rng.standard_normal(5_000))
    y = (x + rng.standard_normal(5_000) / 2 > 0).astype(int)
    gain = {
        name: Screening("information_gain", summary=name).fit(x[:, None], y).scores_[0]
        for name in ("exact", "equal_width", "quantiles")
    }
    assert gain["equal_width"] < 0.1 * gain["exact"]
    assert abs(gain["quantiles"] / gain["exact"] - 1) < 0.01
    order = rng.permutation(5_000)
    shuffled = Screening("information_gain", summary="equal_width").fit(x[order, None], y[order])
    assert abs(shuffled.scores_[0] / gain["exact"] - 1) < 0.05


def test_sparse_rows_are_counted_like_dense_ones():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((500, 7)) * (rng.random((500, 7)) < 0.3)
    y = rng.integers(0, 3, 500)
    dense, csr = EqualWidth(7), EqualWidth(7)
    dense.update(Batch(X, y))
    csr.update(Batch(sparse.csr_array(X), y))
    for j in range(7):
        assert_array_equal(dense.below(j, PROBES), csr.below(j, PROBES))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, "bins must be a whole number of at least 2, not 1"),
        ({"first": 0}, "first must be a whole number of at least 1, not 0"),
        ({"bins": "many"}, "bins must be a whole number"),
        ({"width": 3}, "'equal_width' has no option 'width': it has bins, first"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        Screening("chi2", summary=Keep("equal_width", **options)).fit([[1.0], [2]], [0, 1])


FORGERIES = {
    "a bin less": lambda s: s.update(counts=s["counts"][:, 1:].copy()),
    "a class less": lambda s: s.update(counts=s["counts"][:, :, 1:].copy()),
    "counts below zero": lambda s: s.update(counts=s["counts"] - 2),
    "counts that are none": lambda s: s.update(counts=s["counts"] * np.nan),
    "more first values than there are": lambda s: s.update(known=s["known"] + 9),
    "fewer than none": lambda s: s.update(known=s["known"] - 9),
    "classes": lambda s: s.update(first_codes=s["first_codes"] + 5),
    "bounds": lambda s: s.update(low=s["high"], high=s["low"]),
    "no bounds": lambda s: s.update(most=s["most"] * np.inf),
    "a type": lambda s: s.update(low=s["low"].astype(np.float32)),
    "features": lambda s: s.update(n_features=3),
    "a scale": lambda s: s.update(scale=2.0),
    "bins by name": lambda s: s.update(bins="five"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_forged_states_are_refused(forge):
    summary = EqualWidth(2, bins=5, first=4)
    X = np.array([[1.0, 0], [2, np.nan], [3, np.nan], [4, 0], [9, 1]])
    summary.update(Batch(X, np.array([0, 1, 0, 1, 1])))
    state = summary.to_state()
    EqualWidth.from_state(dict(state))
    forge(state)
    with pytest.raises((ValueError, TypeError)):
        EqualWidth.from_state(state)
