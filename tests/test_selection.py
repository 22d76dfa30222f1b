"""Rules that choose features, and the reviews of the one that remembers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftsieve import Hysteresis, Screening, Threshold, TopK
from driftsieve.selection import as_rule, ranks, rule_from_state, rule_to_state

nan, inf = np.nan, np.inf
scores = st.lists(st.one_of(st.just(nan), st.sampled_from([0.0, 1.0, inf]), st.floats(-9, 9)))


@given(scores, st.integers(1, 12))
def test_top_k_chooses_the_best_that_are_defined(values, k):
    chosen = TopK(k).choose(np.array(values))
    expected = sorted((j for j, v in enumerate(values) if v == v), key=lambda j: (-values[j], j))
    assert chosen.tolist() == expected[:k]


@given(scores, st.floats(-5, 5))
def test_threshold_chooses_all_that_reach_it(values, least):
    chosen = Threshold(least).choose(np.array(values))
    expected = sorted(
        (j for j, v in enumerate(values) if v >= least), key=lambda j: (-values[j], j)
    )
    assert chosen.tolist() == expected


@given(scores, st.integers(1, 6), st.integers(0, 4), st.sets(st.integers(0, 9), max_size=6))
def test_hysteresis_lets_a_feature_go_only_below_rank_k_plus_slack(values, k, slack, held):
    chosen = Hysteresis(k, slack).choose(np.array(values), held).tolist()
    order = TopK(max(1, len(values))).choose(np.array(values)).tolist()
    assert len(chosen) == min(k, len(order))
    assert chosen == [j for j in order if j in chosen], "best first"
    safe = [j for j in order[: k + slack] if j in held]
    assert set(safe[:k]) <= set(chosen), "held features above rank k + slack stay"
    assert not set(chosen) & (held - set(order[: k + slack])) - set(order[:k])
    newcomers = [j for j in chosen if j not in held]
    passed = [j for j in order if j not in chosen and j not in held]
    assert all(order.index(new) < order.index(out) for new in newcomers for out in passed)


def test_ranks():
    assert ranks(np.array([1.0, nan, 5.0, 1.0, nan, inf])).tolist() == [3, 5, 2, 4, 6, 1]


def flickering(n, seed=0):
    """Features 0..3 are equally good, and noise alone tells which looks best."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, 8))
    X[:, :4] += 0.7 * y[:, None]
    return X, y


def changes(selections):
    return sum(set(a) != set(b) for a, b in pairwise(selections))


def test_hysteresis_stops_the_flicker():
    from driftsieve import Fading

    X, y = flickering(4000)
    counts = {}
    for rule in (TopK(2), Hysteresis(2, slack=2, every=50)):
        sieve, seen = Screening("t", k=rule, memory=Fading.half_life(200)), []
        for i in range(0, 4000, 50):
            sieve.partial_fit(X[i : i + 50], y[i : i + 50])
            seen.append(sieve.selection_.names)
        counts[type(rule)] = changes(seen[5:])
    assert counts[TopK] > 10
    assert counts[Hysteresis] * 4 < counts[TopK]


@pytest.mark.parametrize("size", [1, 33, 100, 250, 1000])
def test_hysteresis_depends_on_the_stream_alone(size):
    """Not on the batches, and not on who looks when."""
    X, y = flickering(1000, seed=3)
    rule = Hysteresis(2, slack=1, every=70)
    reference = Screening("t", k=rule).partial_fit(X, y)
    sieve = Screening("t", k=rule)
    for i in range(0, 1000, size):
        sieve.partial_fit(X[i : i + size], y[i : i + size])
        sieve.selection_  # noqa: B018
    assert sieve.selection_.indices.tolist() == reference.selection_.indices.tolist()
    assert sieve._held.tolist() == reference._held.tolist()


def test_hysteresis_survives_a_state_file(tmp_path):
    from driftsieve import load

    X, y = flickering(1000, seed=5)
    half = Screening("t", k=Hysteresis(2, slack=2, every=50)).partial_fit(X[:533], y[:533])
    half.save(tmp_path / "half.sieve")
    never = half.partial_fit(X[533:], y[533:])
    assert (
        load(tmp_path / "half.sieve").partial_fit(X[533:], y[533:]).selection_ == never.selection_
    )


def test_merging_takes_over_the_later_choice():
    rule = Hysteresis(1, slack=3, every=10)
    y = np.arange(40) % 2
    noise = np.random.default_rng(0).standard_normal((40, 4))
    first = noise + 9 * y[:, None] * [1, 0, 0, 0]
    then = noise + 9 * y[:, None] * [0, 1, 0, 0]
    earlier, later = (Screening("t", k=rule).partial_fit(X, y) for X in (first, then))
    assert earlier.merge(later).selection_.names == ("x1",)


def test_a_batch_that_fails_after_a_review_leaves_everything_as_it_was():
    X, y = flickering(100)
    sieve = Screening("t", k=Hysteresis(2, slack=1, every=10)).partial_fit(X, y)
    before, held = sieve.scores_, sieve._held
    bad = X.copy()
    bad[95, 0] = inf
    with pytest.raises(ValueError, match="infinity"):
        sieve.partial_fit(bad, y)
    assert np.array_equal(sieve.scores_, before)
    assert np.array_equal(sieve._held, held)
    assert sieve.n_samples_seen_ == 100


@pytest.mark.parametrize("rule", [7, TopK(3), Threshold(inf), Threshold(-1.5), Hysteresis(4, 2, 9)])
def test_rules_survive_their_state(rule):
    assert rule_from_state(rule_to_state(rule)) == rule


def test_a_rule_of_ones_own_works_but_cannot_be_stored(tmp_path):
    class Everything:
        every = None

        def choose(self, scores, held=()):
            return np.arange(len(scores))

    sieve = Screening(k=Everything()).fit(np.eye(3), [0, 1, 0])
    assert len(sieve.selection_) == 3
    with pytest.raises(ValueError, match="Everything cannot be stored"):
        sieve.save(tmp_path / "s")


@pytest.mark.parametrize("k", [np.int64(2), np.uint8(2)])
def test_whole_numbers_of_numpy_will_do(k, tmp_path):
    from driftsieve import load

    assert as_rule(k) == TopK(2)
    sieve = Screening("t", k=k).fit(*flickering(50))
    assert len(sieve.selection_) == 2
    sieve.save(tmp_path / "s")
    assert load(tmp_path / "s").selection_ == sieve.selection_


def test_a_selection_is_frozen_and_so_are_its_arrays():
    sieve = Screening("t", k=2).fit(*flickering(50))
    for array in (sieve.selection_.indices, sieve.selection_.scores):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        sieve.selection_.step = 3


@pytest.mark.parametrize(
    "k", [0, -1, 2.5, True, "3", None, nan, np.int64(0), np.float64(2), np.array([2])]
)
def test_bad_k_is_refused(k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        as_rule(k)
    with pytest.raises(ValueError, match="k must be a whole number"):
        Screening(k=k).fit(np.eye(2), [0, 1])


def test_bad_rules_are_refused():
    with pytest.raises(ValueError, match="slack"):
        Hysteresis(3, slack=-1)
    with pytest.raises(ValueError, match="every"):
        Hysteresis(3, slack=1, every=0)
    for score in (nan, "5", None, True, [1.0]):
        with pytest.raises(ValueError, match="threshold must be a number"):
            Threshold(score)
