"""Information gain, symmetrical uncertainty and average distance, against the formulas, from every
summary that can feed them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from driftsieve import Fading, Keep, Screening, Window
from driftsieve.scores import tables as scores
from tests.naive import counts as naive
from tests.scores.test_tables import tables, tables_of


@given(tables)
def test_scores_of_tables_equal_the_formulas(counts):
    table = tables_of(*counts)
    table.upper[:] = np.arange(len(table.upper))
    gains, thresholds = scores.information_gain_of(table), scores.threshold_of(table)
    for j, one in enumerate(counts):
        best, at = naive.information_gain(one)
        assert_allclose(gains[j], best, rtol=1e-7, atol=1e-12)
        if np.isnan(best):
            assert np.isnan(thresholds[j])
        else:
            assert thresholds[j] - table.starts[j] in at
    found = scores.symmetrical_uncertainty_of(table)
    # Of next to no entropy, parts are rounded: compared is what they are parts of.
    of = [
        naive.entropy(one.sum(0)) + naive.entropy(one.sum(1)) if one.any() else 0 for one in counts
    ]
    uncertain = [naive.symmetrical_uncertainty(one) for one in counts]
    assert_allclose(found * of, np.multiply(uncertain, of), rtol=1e-7, atol=1e-12)
    assert not (found < 0).any() and not (found > 1).any()


@given(
    arrays(
        float, st.tuples(st.integers(1, 30), st.just(2)), elements=st.integers(-4, 4).map(float)
    ),
    st.integers(0, 2**32 - 1),
)
def test_all_cut_points_of_exact_summaries_are_looked_at(X, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, len(X))
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 3, len(X)).astype(float)
    if not weight.any():
        return
    for summary in ("exact", "quantiles", "levels", "equal_width"):
        sieve = Screening("information_gain", k=1, summary=summary)
        sieve.fit(X, y, sample_weight=weight)
        for j in range(2):
            values, counts = naive.values_by_class(X[:, j], y, weight, 3)
            best, at = naive.information_gain(counts) if values else (np.nan, [])
            assert_allclose(sieve.scores_[j], best, rtol=1e-7, atol=1e-12)
            if not np.isnan(best):
                assert sieve.thresholds_[j] in [values[i] for i in at]
            else:
                assert np.isnan(sieve.thresholds_[j])


def test_the_threshold_is_where_a_decision_tree_splits():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = (X[:, 1] + rng.standard_normal(400) / 3 > 0.4).astype(int)
    sieve = Screening("information_gain", k=1).fit(X, y)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(X, y).tree_
    assert sieve.ranking_.tolist().index(1) == tree.feature[0] == 1
    above = X[X[:, 1] > sieve.thresholds_[1], 1].min()
    assert sieve.thresholds_[1] < tree.threshold[0] < above
    left, right = tree.n_node_samples[1:]
    gain = tree.impurity[0] - (left * tree.impurity[1] + right * tree.impurity[2]) / 400
    assert_allclose(sieve.scores_[1], gain)


@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(150)])
def test_average_distance_equals_the_formula(memory):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((300, 4)) + 1e6, rng.integers(0, 4, 300)
    X[:, 2] += y
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 3] = 7
    age = np.arange(300)[::-1]
    weight = np.ones(300)
    if memory is not None:
        weight = 0.99**age if isinstance(memory, Fading) else (age < 150).astype(float)
    sieve = Screening("aed", k=1, memory=memory).fit(X, y)
    expected = [naive.average_euclidean_distance(X[:, j], y, weight) for j in range(4)]
    assert_allclose(sieve.scores_, expected, rtol=1e-6)
    assert sieve.selection_.indices.tolist() == [2]


def test_two_classes_one_unit_apart():
    X, y = np.array([[0.0], [2], [1], [3]]), np.array([0, 0, 1, 1])
    assert_allclose(Screening("aed").fit(X, y).scores_, 1 / np.sqrt(1.25))


@pytest.mark.parametrize("score", ["mutual_information", "chi2", "gini", "information_gain",
                                   "symmetrical_uncertainty"])  # fmt: skip
@pytest.mark.parametrize("summary", ["quantiles", "levels", "exact", "equal_width"])
def test_any_summary_feeds_any_score(score, summary):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((90, 3)), rng.integers(0, 2, 90)
    X[:, 0] += y
    sieve = Screening(score, k=1, summary=summary).fit(X, y)
    reference = Screening(score, k=1, summary="exact").fit(X, y)
    assert_allclose(sieve.scores_, reference.scores_)
    assert sieve.selection_.indices.tolist() == [0]


def test_missing_values_are_skipped_per_feature():
    """30 % missing: the scores are those of the rows that are left of each feature."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((500, 3)), rng.integers(0, 3, 500)
    X[rng.random(X.shape) < 0.3] = np.nan
    for name in ("information_gain", "symmetrical_uncertainty", "aed"):
        whole = Screening(name, k=1).fit(X, y).scores_
        for j in range(3):
            known = ~np.isnan(X[:, j])
            alone = Screening(name, k=1).fit(X[known, j : j + 1], y[known]).scores_
            assert_allclose(whole[j], alone[0])


def test_thresholds_are_those_of_information_gain_only():
    sieve = Screening("chi2", k=1).fit([[1.0], [2], [3]], [0, 1, 1])
    with pytest.raises(AttributeError, match="'chi2' has no thresholds"):
        sieve.thresholds_  # noqa: B018


def test_thresholds_are_a_copy():
    sieve = Screening("information_gain", k=1).fit([[1.0], [2], [3]], [0, 1, 1])
    sieve.thresholds_[:] = 9
    assert_array_equal(sieve.thresholds_, [1])


@pytest.mark.parametrize(
    ("score", "summary", "message"),
    [
        ("chi2", "moments", "'chi2' cannot be had from 'moments'"),
        ("t", "equal_width", "'t' cannot be had from 'equal_width'"),
        ("chi2", "median", "there is no summary 'median': the summaries are auto, moments"),
        ("chi2", 3, "there is no summary 3"),
        ("chi2", Keep("exact", bins=3), "'exact' has no option 'bins': it has none"),
        ("chi2", Keep("auto", bins=3), "'auto' has no option 'bins': it has epsilon"),
    ],
)
def test_bad_wishes(score, summary, message):
    with pytest.raises(ValueError, match=message):
        Screening(score, summary=summary).fit([[1.0], [2]], [0, 1])


def test_a_wish_is_a_value():
    assert Keep("equal_width", bins=9) == Keep("equal_width", bins=9) != Keep("equal_width")
    assert repr(Keep("equal_width", bins=9)) == "Keep('equal_width', bins=9)"


def test_a_wish_goes_through_clones_and_files(tmp_path):
    from sklearn.base import clone

    from driftsieve import load

    X, y = np.random.default_rng(0).random((200, 2)), np.arange(200) % 2
    sieve = clone(Screening("gini", k=1, summary=Keep("equal_width", bins=9))).fit(X, y)
    sieve.save(tmp_path / "a.sieve")
    loaded = load(tmp_path / "a.sieve")
    assert loaded.summary == Keep("equal_width", bins=9)
    assert_array_equal(loaded.partial_fit(X, y).scores_, sieve.partial_fit(X, y).scores_)


def test_categories_need_a_summary_that_keeps_values_apart():
    with pytest.raises(ValueError, match="EqualWidth has none for them: take a score that needs"):
        Screening("chi2", summary="equal_width", categorical=[0]).fit([[1.0], [2]], [0, 1])
