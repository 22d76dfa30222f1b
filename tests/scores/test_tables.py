"""Scores of class tables against plain formulas, SciPy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics import mutual_info_score

from driftsieve import Batch, Fading, Screening, Window
from driftsieve.scores import tables as scores
from driftsieve.summaries.class_tables import ClassTables
from driftsieve.summaries.quantiles import Quantiles
from tests.naive import moments
from tests.naive import quantiles as naive

SCORES = {
    "mutual_information": (scores.mutual_information_of, naive.mutual_information),
    "chi2": (scores.chi2_of, naive.chi2),
    "gini impurity": (scores.gini_impurity_of, naive.gini_impurity),
    "gini": (scores.gini_decrease_of, naive.gini_decrease),
}


def tables_of(*counts):
    """Class tables of some features from their counts, whatever values stand behind them."""
    starts = np.cumsum([0, *map(len, counts)])
    edges = np.zeros(starts[-1])
    classes = list(range(counts[0].shape[1]))
    return ClassTables(starts, np.zeros(len(counts)), edges, np.concatenate(counts), classes)


cells = st.one_of(st.just(0.0), st.integers(1, 9).map(float), st.floats(1e-6, 1e6))
tables = st.integers(1, 5).flatmap(
    lambda n_classes: st.lists(
        st.integers(1, 6).flatmap(lambda b: arrays(float, (b, n_classes), elements=cells)),
        min_size=1,
        max_size=4,
    )
)


@given(tables, st.sampled_from(list(SCORES)))
def test_scores_equal_the_formulas(counts, name):
    fast, twin = SCORES[name]
    assert_allclose(
        fast(tables_of(*counts)), [twin(table) for table in counts], rtol=1e-7, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 3, 17])
def test_scores_are_those_of_scipy_and_scikit_learn(seed, n_classes):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 60, (5, n_classes)).astype(float)
    bins, classes = np.indices(counts.shape).reshape(2, -1).repeat(counts.ravel().astype(int), 1)
    table = tables_of(counts)
    assert_allclose(scores.mutual_information_of(table), mutual_info_score(bins, classes))
    expected = stats.chi2_contingency(counts, correction=False)
    assert_allclose(scores.chi2_of(table), expected.statistic)
    assert_allclose(scores.chi2_pvalue_of(table), expected.pvalue)


def test_bins_and_classes_that_do_not_occur_have_no_degree_of_freedom():
    counts = np.array([[3.0, 0, 9], [0, 0, 0], [8, 0, 2]])
    found = scores.chi2_pvalue_of(tables_of(counts))
    expected = stats.chi2_contingency(counts[[0, 2]][:, [0, 2]], correction=False)
    assert_allclose(found, expected.pvalue)


def test_scores_of_a_table_by_hand():
    counts = np.array([[4.0, 0], [0, 4]])
    table = tables_of(counts)
    assert_allclose(scores.mutual_information_of(table), np.log(2))
    assert_allclose(scores.chi2_of(table), 8)
    assert_allclose(scores.chi2_pvalue_of(table), stats.chi2.sf(8, 1))
    assert_array_equal(scores.gini_impurity_of(table), 0)
    assert_allclose(scores.gini_decrease_of(table), 0.5)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((5, 2)),
        np.array([[3.0, 2], [0, 0]]),
        np.array([[3.0, 0], [4, 0]]),
        np.zeros((3, 0)),
        np.ones((1, 4)),
    ],
    ids=["nothing", "one bin", "one class", "no classes", "one value"],
)
def test_undefined_is_nan(name, counts):
    assert np.isnan(SCORES[name][0](tables_of(counts))).all()
    assert np.isnan(scores.chi2_pvalue_of(tables_of(counts))).all()


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("size", [1e-250, 1e-90, 1e90, 1e250])
def test_weights_may_be_very_large_or_small(name, size):
    counts = np.array([[3.0, 5], [8, 1], [0, 4]])
    fast = SCORES[name][0]
    larger = size if name == "chi2" else 1
    assert_allclose(fast(tables_of(counts * size)), fast(tables_of(counts)) * larger, rtol=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_independence_scores_nothing(name):
    counts = np.outer([1.0, 2, 3], [4, 5, 6]) / 7
    whole = naive.impurity(counts.sum(axis=0))
    expected = whole if name == "gini impurity" else 0
    assert_allclose(SCORES[name][0](tables_of(counts)), expected, atol=1e-12)
    assert SCORES[name][0](tables_of(counts))[0] >= 0


# From rows to scores


def stream(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    X = np.column_stack(
        [
            rng.standard_normal(n) + y,
            rng.integers(0, 3, n) + (y == 2),
            np.where(rng.random(n) < 0.3, np.nan, rng.standard_normal(n) * (1 + y)),
            np.full(n, 7.0),
            rng.standard_cauchy(n),
        ]
    )
    return X, y


def expected(name, X, y, weight, bins):
    rows = naive.Rows(X.shape[1])
    rows.update(X, y, np.asarray(weight, dtype=float))
    return [SCORES[name][1](rows.table(j, 4, bins)[0]) for j in range(X.shape[1])]


@pytest.mark.parametrize("name", ["mutual_information", "chi2", "gini"])
@pytest.mark.parametrize("summary", ["quantiles", "levels"])
@pytest.mark.parametrize("bins", [2, 5, 10])
def test_screening_scores_equal_those_of_exact_bins(name, summary, bins):
    X, y = stream()
    sieve = Screening(name, k=2, bins=bins, summary=summary)
    for rows in np.array_split(np.arange(400), 9):
        sieve.partial_fit(X[rows], y[rows])
    assert_allclose(sieve.scores_, expected(name, X, y, np.ones(400), bins), rtol=1e-9)
    if name == "gini":
        raw = expected("gini impurity", X, y, np.ones(400), bins)
        assert_allclose(sieve.raw_scores_, raw, rtol=1e-9)
    else:
        assert_array_equal(sieve.raw_scores_, sieve.scores_)


@pytest.mark.parametrize("name", ["mutual_information", "chi2", "gini"])
@pytest.mark.parametrize(
    ("memory", "weights"),
    [
        (Fading(0.9), lambda n: moments.fading_weights(n, 0.9, 1)),
        (Fading(0.5, every=7), lambda n: moments.fading_weights(n, 0.5, 7)),
        (Window(50), lambda n: moments.window_weights(n, 50)),
    ],
    ids=["alpha", "every", "window"],
)
@pytest.mark.parametrize("size", [1, 30])
def test_remembered_scores_equal_naive_row_weights_at_every_prefix(name, memory, weights, size):
    X, y = stream(120)
    sieve = Screening(name, k=1, memory=memory)
    for n in range(size, 121, size):
        sieve.partial_fit(X[n - size : n], y[n - size : n])
        if n % 30 == 0:
            found = expected(name, X[:n], y[:n], weights(n), 5)
            assert_allclose(sieve.scores_, found, rtol=1e-9, atol=1e-12)


def test_chi2_pvalues_of_noise_are_uniform():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 300)), rng.integers(0, 2, 400)
    sieve = Screening("chi2", k=1).fit(X, y)
    assert stats.kstest(sieve.pvalues_, "uniform").pvalue > 1e-3


def test_only_chi2_has_pvalues():
    X, y = stream()
    for name in ("mutual_information", "gini", "t"):
        with pytest.raises(AttributeError, match="has no p-values"):
            _ = Screening(name, k=1).fit(X, y).pvalues_


def test_scores_do_not_depend_on_which_features_are_asked_together():
    """More features than there are to a shard."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 300)).round(1), rng.integers(0, 2, 60)
    summary = Quantiles(300)
    summary.update(Batch(X, y))
    found = scores.chi2(summary)
    for j in (0, 63, 64, 150, 299):
        alone = Quantiles(1)
        alone.update(Batch(X[:, [j]], y))
        assert_array_equal(scores.chi2(alone), found[[j]])
        assert_array_equal(summary.tables().table(j), alone.tables().table(0))
        assert_array_equal(summary.tables().edges(j), alone.tables().edges(0))
