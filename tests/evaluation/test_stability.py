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


# Within concepts

SELECTIONS = st.integers(1, 9).flatmap(
    lambda d: st.tuples(
        st.just(d),
        st.lists(
            st.tuples(st.sets(st.integers(0, d - 1)).map(list), st.sampled_from("abc")), max_size=9
        ),
    )
)


def within(labelled, d, confidence=0.95):
    selections = arrays(selection for selection, _ in labelled)
    return stability(selections, d, confidence, [concept for _, concept in labelled])


@given(SELECTIONS)
def test_within_concepts_equals_its_naive_twin_and_keeps_its_bounds(case):
    d, labelled = case
    result = within(labelled, d)
    selections, concepts = [one for one, _ in labelled], [concept for _, concept in labelled]
    expected = naive.stability_within(selections, concepts, d)
    np.testing.assert_allclose(values(result), expected, atol=1e-12)
    parts = {concept: [one for one, c in labelled if c == concept] for concept in concepts}
    parts = {concept: part for concept, part in parts.items() if len(part) > 1}
    assert np.isnan(result.value) == (not parts)
    if parts:
        # A mean of the stabilities of the concepts; maximal if and only if each is constant.
        found = [stability(arrays(part), d).value for part in parts.values()]
        assert min(found) - 1e-12 <= result.value <= max(found) + 1e-12
        alike = all(set(one) == set(part[0]) for part in parts.values() for one in part)
        assert (result.value == 1) == alike


@given(SELECTIONS)
def test_with_one_concept_it_is_the_stability(case):
    d, labelled = case
    selections = arrays(selection for selection, _ in labelled)
    np.testing.assert_array_equal(
        values(stability(selections, d, concepts=["same"] * len(selections))),
        values(stability(selections, d)),
    )


@given(SELECTIONS, st.randoms(use_true_random=False))
def test_what_was_selected_under_one_concept_has_no_influence_on_another(case, rng):
    d, labelled = case
    before = within(labelled, d)
    # Other features in the place of those of one concept: as different, or as alike, as one likes.
    places = rng.sample(range(d), d)
    moved = [
        ([places[f] for f in selection] if concept == "a" else selection, concept)
        for selection, concept in labelled
    ]
    np.testing.assert_allclose(values(within(moved, d)), values(before), atol=1e-12)
    # Neither does the order matter, nor a concept of which there is one selection.
    shuffled = rng.sample(moved, len(moved))
    np.testing.assert_allclose(values(within(shuffled, d)), values(before), atol=1e-12)
    alone = [([0], "alone"), *moved]
    np.testing.assert_allclose(values(within(alone, d)), values(before), atol=1e-12)


def test_a_selector_that_changes_exactly_at_the_drift_is_perfectly_stable():
    selections = arrays([[0, 1]] * 5 + [[2, 3]] * 5)
    assert stability(selections, 20).value < 0.6
    assert values(stability(selections, 20, concepts=[0] * 5 + [1] * 5)) == [1.0, 0.0, 1.0, 1.0]
    # One step late, and the new concept is to blame.
    late = stability(selections, 20, concepts=[0] * 4 + [1] * 6)
    assert stability(selections, 20).value < late.value < 1


def test_within_concepts_is_worked_out_by_hand():
    # a: p = 1, 1/2, 1/2, so V = 1/5 (1/2 + 1/2) and c = 2/5 · 3/5; b: V = 0, c = 1/5 · 4/5, twice.
    labelled = [([0, 1], "a"), ([3], "b"), ([0, 2], "a"), ([3], "b"), ([3], "b")]
    expected = 1 - (1 / 5) / (6 / 25 + 2 * 4 / 25)
    assert within(labelled, 5).value == pytest.approx(expected, abs=1e-14)


def test_selections_at_random_have_none_within_concepts_either():
    rng = np.random.default_rng(4)
    concepts = [0] * 3 + [1] * 7
    found = []
    for _ in range(300):
        selections = [rng.choice(50, 10 if c else 25, replace=False) for c in concepts]
        found.append(stability(selections, 50, concepts=concepts).value)
    assert abs(np.mean(found)) < 5 * np.std(found) / np.sqrt(300)


def test_the_interval_within_concepts_covers_as_often_as_it_says():
    rng = np.random.default_rng(5)
    p = rng.beta(0.6, 1.2, size=(2, 30))
    rows = np.array([25, 60])
    k = p.sum(axis=1) / 30
    true = 1 - np.sum((rows - 1) * np.mean(p * (1 - p), axis=1)) / np.sum((rows - 1) * k * (1 - k))
    concepts = np.repeat([0, 1], rows)
    trials, covered = 400, 0
    for _ in range(trials):
        drawn = rng.random((rows.sum(), 30)) < p[concepts]
        result = stability([np.flatnonzero(row) for row in drawn], 30, concepts=concepts.tolist())
        covered += result.low <= true <= result.high
    assert 0.93 - 5 * (0.95 * 0.05 / trials) ** 0.5 < covered / trials < 0.998


def test_as_many_concepts_as_selections_are_asked_for():
    with pytest.raises(ValueError, match="there are 1 concepts of 2 selections"):
        stability(arrays([[0], [1]]), 3, concepts=["a"])


def test_the_window_shifts_with_its_concepts():
    rng = np.random.default_rng(6)
    window, kept = StabilityWindow(5), []
    for step in range(14):
        kept.append((rng.choice(6, rng.integers(0, 7), replace=False), step // 4))
        result = window.update(kept[-1][0], 6, kept[-1][1])
        expected = naive.stability_within(*zip(*kept[-5:]), 6)
        np.testing.assert_allclose(values(result), expected, atol=1e-12)


# Over time


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
