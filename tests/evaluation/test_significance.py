from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftsieve import Screening, prequential
from driftsieve.evaluation.run import STEPS
from driftsieve.evaluation.significance import Comparison, compared, critical_value
from driftsieve.streams.linear import DriftingLinear
from tests.naive import significance as naive

METHODS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
DEMSAR = {
    "adult": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    # Table 6 prints 0.975 twice, and ranks them 2 and 3: they differ behind the third digit.
    "voting": (0.972, 0.981, 0.9751, 0.9749),
    "wine": (0.957, 0.978, 0.946, 0.970),
}
"""The AUC of four ways to grow a tree: Demšar (2006), table 6."""


def demsar(alpha=0.05):
    return compared(list(DEMSAR.values()), METHODS, list(DEMSAR), alpha=alpha)


# What the paper publishes


def test_friedman_of_the_paper():
    found = demsar()
    assert np.round(found.mean_ranks, 3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert round(found.friedman.statistic, 2) == 9.28
    assert round(found.iman_davenport.statistic, 2) == 3.69
    # The critical value of F(3, 39) at 0.05 is 2.85: so there is a difference.
    assert round(stats.f.isf(0.05, 3, 39), 2) == 2.85
    assert found.iman_davenport.pvalue < 0.05 and found.friedman.pvalue < 0.05 and found.differ


def test_nemenyi_of_the_paper():
    assert round(demsar().critical_difference, 2) == 1.25
    # "the post-hoc test is not powerful enough to detect any significant differences"
    assert demsar().groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert round(demsar(0.1).critical_difference, 2) == 1.12
    # "We can identify two groups", and C4.5+cf belongs to either.
    assert demsar(0.1).groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_critical_values_of_the_paper():
    """Table 5a, whose third digits are not always rounded to the nearest."""
    published = {
        0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
        0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
    }
    for alpha, values in published.items():
        for k, value in enumerate(values, 2):
            assert critical_value(k, alpha) == pytest.approx(value, abs=0.00151)


def test_wilcoxon_of_the_paper():
    """Table 2: C4.5 against C4.5+m, with R+ = 93 and R- = 12 out of 14 data sets."""
    found = demsar().wilcoxon("C4.5", "C4.5+m")
    assert found.statistic == 12
    assert found.pvalue < 0.05
    two = compared([line[:2] for line in DEMSAR.values()], METHODS[:2], list(DEMSAR))
    assert two.differ and two.groups == ()
    z = (12 - 14 * 15 / 4) / np.sqrt(14 * 15 * 29 / 24)  # the paper's approximation
    assert found.pvalue == pytest.approx(2 * stats.norm.cdf(z), abs=0.002)


# Against the naive twin and scipy

tables = st.integers(2, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=2, max_size=9)
)


def named(table, **options):
    methods = [f"m{j}" for j in range(len(table[0]))]
    return compared(np.array(table) / 7, methods, [f"s{i}" for i in range(len(table))], **options)


@settings(deadline=None, max_examples=150)
@given(table=tables, smaller=st.booleans())
def test_equals_its_naive_twin(table, smaller):
    found = named(table, smaller_is_better=smaller)
    means, chi2, f = naive.friedman(table, smaller)
    np.testing.assert_allclose(found.mean_ranks, means)
    assert found.friedman.statistic == pytest.approx(chi2, abs=1e-9)
    assert found.iman_davenport.statistic == pytest.approx(f, abs=1e-6)
    for i, j in combinations(range(len(table[0])), 2):
        expected = naive.signed_ranks([line[i] for line in table], [line[j] for line in table])
        test = found.wilcoxon(f"m{i}", f"m{j}")
        assert test.statistic == pytest.approx(expected)
        assert 0 < test.pvalue <= 1
        assert 0 <= found.nemenyi(f"m{i}", f"m{j}").pvalue <= 1


@pytest.mark.parametrize("k", [3, 5])
def test_without_ties_friedman_is_scipys(k):
    values = np.random.default_rng(k).random((12, k))
    theirs = stats.friedmanchisquare(*values.T)
    ours = named(values).friedman
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.pvalue == pytest.approx(theirs.pvalue)


@settings(deadline=None, max_examples=100)
@given(table=tables, alpha=st.sampled_from([0.05, 0.2, 0.4]))
def test_groups_are_those_that_no_test_tells_apart(table, alpha):
    found = named(table, alpha=alpha)
    k = len(found.methods)
    ranks = dict(zip(found.methods, found.mean_ranks, strict=True))
    together = {frozenset(pair) for group in found.groups for pair in combinations(group, 2)}
    for pair in combinations(found.methods, 2):
        apart = abs(ranks[pair[0]] - ranks[pair[1]]) >= found.critical_difference
        expected = not found.differ or (k > 2 and not apart)
        assert (frozenset(pair) in together) == expected
    for group in found.groups:
        assert [ranks[name] for name in group] == sorted(ranks[name] for name in group)
        others = [set(other) for other in found.groups if other != group]
        assert not any(set(group) <= other for other in others)


def test_pvalues_agree_with_the_critical_difference():
    found = demsar(0.1)
    means = dict(zip(METHODS, found.mean_ranks, strict=True))
    for one, other in combinations(METHODS, 2):
        apart = abs(means[one] - means[other]) >= found.critical_difference
        assert (found.nemenyi(one, other).pvalue <= 0.1) == apart


@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_methods_that_are_alike_are_found_to_differ_as_seldom_as_said(alpha):
    rng = np.random.default_rng(0)
    found = [named(rng.random((20, 4)), alpha=alpha) for _ in range(1_500)]
    for verdicts in (
        [one.differ for one in found],
        [one.wilcoxon("m0", "m1").pvalue < alpha for one in found],
        [np.ptp(one.mean_ranks) >= one.critical_difference for one in found],
    ):
        share = np.mean(verdicts)
        assert alpha / 3 < share < alpha + 5 * np.sqrt(alpha * (1 - alpha) / len(found))


def test_shares_of_a_difference_do_not_depend_on_rounding():
    one = [0.768, 0.591, 0.971, 0.583]
    other = [0.763, 0.586, 0.966, 0.578]  # by 0.005 each, in decimals
    found = compared(np.transpose([one, other]), "ab", "wxyz")
    assert found.wilcoxon("a", "b").statistic == 0
    shifted = compared(np.transpose([one, np.add(other, 1e-15)]), "ab", "wxyz")
    assert shifted.wilcoxon("a", "b") == found.wilcoxon("a", "b")
    tied = compared([[0.1 + 0.2, 0.3, 0.1]] * 3, "abc", "xyz")
    assert tied.mean_ranks.tolist() == [1.5, 1.5, 3.0]


def test_order_and_scale_of_the_values_decide_nothing():
    values = np.random.default_rng(3).random((9, 4))
    found = named(values)
    for other in (
        named(values[::-1]),
        named(1000 * values),
        named(-values, smaller_is_better=True),
    ):
        np.testing.assert_allclose(other.mean_ranks, found.mean_ranks)
        assert other.friedman == found.friedman
        assert other.wilcoxon("m0", "m3").pvalue == pytest.approx(found.wilcoxon("m3", "m0").pvalue)


def test_where_all_are_equal_nothing_differs():
    found = compared(np.ones((5, 3)), "abc", "vwxyz")
    assert found.friedman == found.iman_davenport.__class__(0.0, 1.0)
    assert found.wilcoxon("a", "b").pvalue == 1
    assert not found.differ and found.groups == (("a", "b", "c"),)
    assert compared(np.zeros((5, 2)), "ab", "vwxyz").groups == (("a", "b"),)


def test_where_one_always_wins_f_is_infinite():
    found = compared([[3, 2, 1]] * 4, "abc", "wxyz")
    assert found.iman_davenport.statistic == np.inf and found.iman_davenport.pvalue == 0
    assert found.friedman.statistic == pytest.approx(8)


# Runs


@pytest.fixture(scope="module")
def runs():
    def run(seed, k):
        stream = DriftingLinear(
            n_rows=600, n_features=8, k=2, shift_every=None, batch=100, seed=seed
        )
        return prequential(stream, Screening("t", k=k))

    return {f"s{seed}": {"two": run(seed, 2), "one": run(seed, 1)} for seed in range(3)}


def test_runs_are_compared_by_any_figure(runs):
    found = Comparison.of_runs(runs, "mean_recall")
    assert found.methods == ("two", "one") and found.streams == ("s0", "s1", "s2")
    assert found.mean_ranks.tolist() == [1, 2]
    assert not Comparison.of_runs(runs, "mean_recall").smaller_is_better
    assert Comparison.of_runs(runs, "selector_seconds").smaller_is_better
    turned = Comparison.of_runs(runs, "mean_recall", smaller_is_better=True)
    assert turned.mean_ranks.tolist() == [2, 1]
    with pytest.raises(ValueError, match=r"the accuracy of 'two' on 's0' is not known"):
        Comparison.of_runs(runs)
    with pytest.raises(ValueError, match=r"'two' has no figure 'acuracy': it has step, rows"):
        Comparison.of_runs(runs, "acuracy")
    with pytest.raises(ValueError, match=r"not all streams have the same methods: see 'one'"):
        Comparison.of_runs({**runs, "s3": {"two": runs["s0"]["two"]}}, "mean_recall")


def test_every_figure_that_small_values_are_good_for_is_one(runs):
    from driftsieve.evaluation.run import SMALLER_IS_BETTER

    assert set(SMALLER_IS_BETTER) <= {*STEPS, *runs["s0"]["two"].summary()}


def test_values_are_kept_apart_from_those_given():
    table = np.array([[1.0, 2.0], [2.0, 1.0]])
    found = compared(table, "ab", "xy")
    table[:] = 0
    assert found.values.tolist() == [[1, 2], [2, 1]]
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 5


@pytest.mark.parametrize(
    ("values", "methods", "streams", "options", "message"),
    [
        ([[1, 2]], "ab", "x", {}, "needs two streams or more, and 1 is here"),
        ([[1], [2]], "a", "xy", {}, "needs two methods or more, and 1 is here"),
        (np.empty((0, 2)), "ab", "", {}, "needs two streams or more, and 0 is here"),
        ([[1, 2], [1, 2]], "aa", "xy", {}, "two of the methods have the same name: a, a"),
        ([[1, 2], [1, 2]], "ab", "xx", {}, "two of the streams have the same name: x, x"),
        ([[1, 2], [1, 2]], "abc", "xy", {}, r"there is a table of shape \(2, 2\)"),
        ([[1, 2], [np.nan, 2]], "ab", "xy", {}, "the accuracy of 'a' on 'y' is not known"),
        ([[1, np.inf], [1, 2]], "ab", "xy", {}, "the accuracy of 'b' on 'x' is not known"),
        ([[1, 2], [1, 2]], "ab", "xy", {"alpha": 0}, "alpha must be a finite number from 0.0001"),
        ([[1, 2], [1, 2]], "ab", "xy", {"alpha": 0.6}, "alpha must be a finite number from 0.0001"),
    ],
)
def test_bad_tables_are_refused(values, methods, streams, options, message):
    with pytest.raises(ValueError, match=message):
        compared(values, methods, streams, **options)


def test_unknown_methods_are_refused():
    with pytest.raises(ValueError, match=r"there is no method 'C5': there are C4\.5, C4\.5"):
        demsar().wilcoxon("C4.5", "C5")
