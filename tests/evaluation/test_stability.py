import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftsieve.evaluation.stability import StabilityWindow, stability
from tests.naive import evaluation as naive


def arrays(selections):
    return [np.array(selection, dtype=np.intp) for selection in selections]


def values(result):
    return [result.value, result.variance, result.low, result.high]


@pytest.mark.parametrize(
    ("selections", "d", "value"),
    [
        ([[0, 1], [0, 2]], 4, 0.0),  # they share one of two, which is what chance gives
        ([[0, 1], [0, 1], [0, 2]], 5, 4 / 9),
        ([[0], [1]], 2, -1.0),
        ([[0, 1], [2, 3]], 4, -1.0),
        ([[2, 0], [0, 2], [0, 2]], 3, 1.0),
        ([[0], [0, 1]], 4, 0.466666666666667),  # p = 1, 1/2, 0, 0; k = 3/2: 1 - (1/8)/(15/64)
    ],
)
def test_values_worked_out_by_hand(selections, d, value):
    assert stability(arrays(selections), d).value == pytest.approx(value, abs=1e-14)


def test_the_variance_worked_out_by_hand():
    # The φ of the first two selections exceed that of the third by δ = (1/15)/0.24 = 5/18, so the
    # variance is 4/9 · 2/3 · δ² = 200/8748.
    result = stability(arrays([[0, 1], [0, 1], [0, 2]]), 5)
    assert result.variance == pytest.approx(200 / 8748, rel=1e-12)
    assert result.high - result.value == pytest.approx(1.959963984540054 * (200 / 8748) ** 0.5)
    assert result.value - result.low == pytest.approx(result.high - result.value)


@given(
    st.integers(1, 9).flatmap(
        lambda d: st.tuples(
            st.just(d), st.lists(st.sets(st.integers(0, d - 1)).map(list), min_size=0, max_size=7)
        )
    )
)
def test_equals_its_naive_twin_and_keeps_its_bounds(case):
    d, selections = case
    result = stability(arrays(selections), d)
    np.testing.assert_allclose(values(result), naive.stability(selections, d), atol=1e-12)
    if len(selections) > 1:
        assert -1 / (len(selections) - 1) - 1e-12 <= result.value <= 1 + 1e-12
        # Maximal if and only if all selections are equal.
        alike = all(set(one) == set(selections[0]) for one in selections)
        assert (result.value == 1) == alike


def test_is_the_mean_overlap_of_pairs_beyond_chance():
    rng = np.random.default_rng(0)
    for d, k, r in ((10, 3, 5), (40, 20, 9), (7, 1, 2)):
        selections = [rng.choice(d, k, replace=False) for _ in range(r)]
        expected = naive.stability_by_pairs(selections, d)
        assert stability(selections, d).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("selection", [[], [0, 1, 2, 3]], ids=["none", "all"])
def test_none_and_all_selected_every_time_are_as_stable_as_can_be(selection):
    assert values(stability(arrays([selection] * 3), 4)) == [1.0, 0.0, 1.0, 1.0]


def test_one_selection_says_nothing():
    assert np.isnan(values(stability(arrays([[0]]), 3))).all()
    assert np.isnan(values(stability([], 3))).all()


def test_selections_at_random_have_none():
    rng = np.random.default_rng(1)
    found = [
        stability([rng.choice(50, 10, replace=False) for _ in range(10)], 50).value
        for _ in range(200)
    ]
    assert abs(np.mean(found)) < 5 * np.std(found) / np.sqrt(200)


def test_the_interval_covers_the_true_stability_as_often_as_it_says():
    # Selections whose features are drawn independently: their stability is known.
    rng = np.random.default_rng(2)
    p = rng.beta(0.6, 1.2, size=30)
    k = p.sum()
    true = 1 - np.mean(p * (1 - p)) / (k / 30 * (1 - k / 30))
    trials = 400
    covered = 0
    for _ in range(trials):
        drawn = rng.random((60, 30)) < p
        result = stability([np.flatnonzero(row) for row in drawn], 30)
        covered += result.low <= true <= result.high
    # Asymptotic, so a little less than 95% is allowed beside five standard errors.
    assert 0.93 - 5 * (0.95 * 0.05 / trials) ** 0.5 < covered / trials < 0.998


def test_a_higher_confidence_widens_the_interval():
    selections = arrays([[0, 1], [0, 1], [0, 2]])
    wide, narrow = stability(selections, 5, 0.99), stability(selections, 5, 0.5)
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_the_window_shifts_and_features_may_be_added():
    rng = np.random.default_rng(3)
    window = StabilityWindow(4)
    kept = []
    for step in range(12):
        d = 5 + step
        kept.append(rng.choice(d, rng.integers(0, d + 1), replace=False))
        result = window.update(kept[-1], d)
        np.testing.assert_allclose(values(result), naive.stability(kept[-4:], d), atol=1e-12)


def test_the_window_keeps_no_reference():
    window, selection = StabilityWindow(2), np.array([0, 1])
    window.update(selection, 4)
    selection[:] = 3
    assert window.update(np.array([0, 1]), 4).value == 1


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 2])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        stability(arrays([[0], [1]]), 3, confidence)


@pytest.mark.parametrize("column", [3, -1])
def test_a_column_that_does_not_exist_is_refused(column):
    with pytest.raises(ValueError, match="of 3 features"):
        stability(arrays([[0], [column]]), 3)
