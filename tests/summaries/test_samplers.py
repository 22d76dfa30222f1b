"""Nested samplers against one list per level, and against what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Batch, Fading, Keep, Screening, Window
from driftsieve.kernels.samplers import NONE
from driftsieve.summaries.samplers import EqualFrequency, ExponentialFrequency
from driftsieve.summaries.waiting import WaitingRows
from tests.naive import samplers as naive


def small(kind=ExponentialFrequency, n_features=1, size=6, block=8, **options):
    """Samplers of a few values, so that rows are dropped soon."""
    summary = kind(n_features, epsilon=1.0, horizon=2, **options)
    assert summary.size == size
    summary._waiting = WaitingRows(block)
    return summary


def held(summary, feature=0, code=0):
    lists = summary._settled()._lists
    at = feature * len(summary.classes) + code
    of = slice(lists.offsets[at], lists.offsets[at + 1])
    return lists.values[of], lists.levels[of], lists.weights[of]


few = st.integers(-5, 5).map(float)
cells = st.one_of(few, st.floats(-9, 9), st.just(np.nan))


@given(arrays(float, st.tuples(st.integers(1, 120), st.just(2)), elements=cells), st.data())
def test_holds_what_one_list_per_level_holds_at_every_prefix(X, data):
    seed = data.draw(st.integers(0, 9))
    weighted = data.draw(st.booleans())
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, len(X))
    y[0] = 0
    weight = rng.integers(1, 5, len(X)) / 4.0 if weighted else np.ones(len(X))
    levels = naive.levels_of(weight, seed)
    summary = small(n_features=2, seed=seed)
    for stop in range(0, len(X) + 1, 20):
        rows = slice(stop, stop + 20)
        summary.update(Batch(X[rows], y[rows], weight[rows]))
        for j in range(2):
            for c in set(y[: stop + 20].tolist()):
                known = ~np.isnan(X[: stop + 20, j]) & (y[: stop + 20] == c)
                of = np.flatnonzero(known)
                expected = of[naive.kept(X[of, j], levels[of], summary.size)]
                values, drawn, weights = held(summary, j, summary.classes.index(c))
                assert_array_equal(values, X[expected, j])
                assert_array_equal(drawn, levels[expected])
                if len(weights):
                    assert_array_equal(weights, weight[expected])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_ranks_are_estimated_as_by_the_twin(seed, weighted):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(300).round(1)
    weight = rng.integers(1, 9, 300) / 2.0 if weighted else np.ones(300)
    summary = small(seed=seed)
    summary.update(Batch(x[:, None], np.zeros(300, int), weight))
    levels = naive.levels_of(weight, seed)
    values, left = naive.ranks(x, levels, weight, 6)
    mirrored, right = naive.ranks(-x[::-1], levels[::-1], weight[::-1], 6)
    total, probes = weight.sum(), np.array(sorted(set(x.tolist())))
    expected = []
    for v in probes:
        up, down = left[values <= v][-1], max(right[mirrored < -v], default=0.0)
        nearer_left = up <= down
        expected.append(min(up, total / 2) if nearer_left else max(total - down, total / 2))
    expected[-1] = total
    assert_allclose(summary.below(0, probes)[:, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_estimates_are_unbiased(weighted):
    """Away from the middle, where it is clear from which side they are."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(400)
    weight = rng.exponential(size=400) if weighted else np.ones(400)
    probes = np.quantile(x, [0.05, 0.1, 0.2, 0.8, 0.9, 0.95])
    found = []
    for seed in range(300):
        summary = small(block=400, seed=seed)
        summary.update(Batch(x[:, None], np.zeros(400, int), weight))
        found.append(summary.below(0, probes)[:, 0])
    truth = np.array([weight[x <= v].sum() for v in probes])
    error = np.std(found, axis=0) / np.sqrt(300)
    assert (np.abs(np.mean(found, axis=0) - truth) < 4 * error).all()


def test_few_rows_are_exact():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((500, 3)), rng.integers(0, 2, 500)
    exact = Screening("information_gain", summary="exact").fit(X, y)
    for name in ("exponential", "equal_frequency"):
        sieve = Screening("information_gain", summary=name).fit(X, y)
        assert_allclose(sieve.scores_, exact.scores_)
        assert_array_equal(sieve.thresholds_, exact.thresholds_)


def test_merging_is_having_sampled_all():
    """What is held after merging is what one list per level would hold of all rows."""
    rng = np.random.default_rng(2)
    x, levels, parts = [], [], []
    for seed in range(3):
        some = rng.standard_normal(100)
        part = small(seed=seed, block=10)
        part.update(Batch(some[:, None], np.zeros(100, int)))
        parts.append(part)
        x, levels = [*x, *some], [*levels, *naive.levels_of(np.ones(100), seed)]
    parts[0].merge(parts[1])
    parts[0].merge(parts[2])
    kept = naive.kept(np.array(x), np.array(levels), 6)
    values, drawn, _ = held(parts[0])
    assert_array_equal(values, np.array(x)[kept])
    assert_array_equal(drawn, np.array(levels)[kept])


def test_fading_multiplies_weights_and_draws_alike():
    """Long past the end of a float's range; halves are exact, so nothing is rounded."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((600, 1))
    faded, weighted = small(), small()
    for i in range(0, 600, 2):
        faded.update(Batch(X[i : i + 2], np.zeros(2, int)), 0.5)
    recent = slice(600 - 80, 600)
    weight = np.repeat(2.0 ** -np.arange(39.0, -1, -1), 2)
    weighted.begin_at(600 - 80)
    weighted.update(Batch(X[recent], np.zeros(80, int), weight))
    values, _, weights = held(weighted)
    assert set(held(faded)[0].tolist()) >= set(values[weights > 2.0**-39].tolist())
    assert faded._scale >= 2.0**-101
    probes = np.linspace(-1, 1, 5)
    assert_allclose(faded.below(0, probes), weighted.below(0, probes), rtol=0.2)


def test_a_window_draws_for_each_of_its_parts():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((3_000, 1)), np.zeros(3_000, int)
    y[::2] = 1
    wish = Keep("exponential", epsilon=1.0, horizon=2)
    sieve = Screening("information_gain", k=1, summary=wish, memory=Window(1_600)).fit(X, y)
    pieces = [piece.summary for piece in sieve._remembered._pieces._pieces]
    sieve.scores_  # noqa: B018
    drawn = [piece.summary._drawn for piece in sieve._remembered._pieces._pieces if piece.summary]
    assert len(set(drawn)) == len(drawn) > 10 and pieces is not None
    below = sieve._remembered.summary.below(0, [0.0]).sum()
    exact = (X[-1_600:] <= 0).sum()
    assert abs(below / exact - 1) < 0.5  # six values a sampler: a deviation is 0.3 (1 - 1/2)


def test_equal_frequency_gives_up_levels_that_tell_of_lower_ranks():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(4_000)
    equal, exponential = small(EqualFrequency, bins=4, block=100), small(block=100)
    for summary in (equal, exponential):
        for i in range(0, 4_000, 100):
            summary.update(Batch(x[i : i + 100, None], np.zeros(100, int)))
    floor = equal._lists.floors[0, 0]
    assert exponential._lists.floors[0, 0] == NONE
    assert 2.0 ** (floor / 32) <= 4_000 / (4 * 6) <= 2.0 ** ((floor + 1) / 32) * 1.1
    levels = naive.levels_of(np.ones(4_000))
    expected = naive.kept(x, levels, 6, floor)
    rows, _ = expected, None
    assert_array_equal(held(equal)[0], x[rows])
    assert equal._lists.n_entries < exponential._lists.n_entries


def test_values_of_levels_are_bounded_and_few():
    """At most T (1 + ln(n / T)) a side, instead of T for each sampler."""
    n = 60_000
    x = np.random.default_rng(6).standard_normal((n, 1))
    summary = ExponentialFrequency(1)
    summary.update(Batch(x, np.zeros(n, int)))
    T, beta = summary.size, 1 + summary.epsilon / 10
    held_now = summary._settled()._lists.n_entries
    assert 0.8 < held_now / (2 * T * (1 + np.log(n / T))) < 1  # some values are held for both sides
    samplers = 2 * np.log(n / 2 / T) / np.log(beta)
    assert held_now < samplers * T / 10


def test_sparse_rows_are_sampled_like_dense_ones():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((300, 4)) * (rng.random((300, 4)) < 0.3)
    y = rng.integers(0, 2, 300)
    dense, csr = small(n_features=4), small(n_features=4)
    dense.update(Batch(X, y))
    csr.update(Batch(sparse.csr_array(X), y))
    for j in range(4):
        assert_array_equal(dense.below(j, [-1, 0, 1]), csr.below(j, [-1, 0, 1]))


@pytest.mark.parametrize("unit", [1e-80, 1e-40, 1e60, 1e90])
def test_the_unit_of_weights_does_not_matter(unit):
    """Levels reach as far as floating-point numbers do."""
    rng = np.random.default_rng(9)
    x, y = rng.standard_normal((1_500, 1)), np.zeros(1_500, int)
    weight = rng.exponential(size=1_500) * unit
    summary = ExponentialFrequency(1, horizon=100)
    summary.update(Batch(x, y, weight))
    assert summary._settled()._lists.n_entries < 1_500
    probes = np.linspace(-2, 2, 9)
    exact = [weight[x[:, 0] <= v].sum() for v in probes]
    assert_allclose(summary.below(0, probes)[:, 0], exact, rtol=0.2)


@pytest.mark.parametrize("memory", [None, Fading(0.999)])
def test_screening_finds_what_matters(memory):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((12_000, 5))
    y = np.where(np.abs(X[:, 3]) > 1, "far", "near")
    for name in ("exponential", "equal_frequency"):
        sieve = Screening("information_gain", k=1, summary=name, memory=memory)
        exact = Screening("information_gain", k=1, summary="exact", memory=memory).fit(X, y)
        sieve.fit(X, y)
        assert sieve.selection_.indices.tolist() == [3]
        assert_allclose(sieve.scores_[3], exact.scores_[3], rtol=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0}, "epsilon must lie between 0 and 1, not 0"),
        ({"epsilon": "a"}, "epsilon must be a number between 0 and 1, not 'a'"),
        ({"horizon": 1}, "horizon must be a whole number of at least 2"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"bins": 1}, "bins must be a whole number of at least 2"),
        ({"beta": 2}, "has no option 'beta': it has epsilon, horizon, seed, bins"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        Screening("chi2", summary=Keep("equal_frequency", **options)).fit([[1.0], [2]], [0, 1])


def test_merging_other_parameters_is_refused():
    one, other = ExponentialFrequency(1), ExponentialFrequency(1, epsilon=0.25)
    with pytest.raises(ValueError, match=r"epsilon differs: 0.5 here, 0.25 there"):
        one.merge(other)


def lists(change):
    return lambda state: change(state["lists"])


FORGERIES = {
    "offsets": lists(lambda s: s.update(offsets=s["offsets"][::-1].copy())),
    "more lists": lists(lambda s: s.update(offsets=np.append(s["offsets"], 9))),
    "values": lists(lambda s: s.update(values=s["values"][::-1].copy())),
    "missing values": lists(lambda s: s.update(values=s["values"] * np.nan)),
    "levels": lists(lambda s: s.update(levels=s["levels"].astype(np.int64))),
    "weights": lists(lambda s: s.update(weights=s["weights"][1:].copy())),
    "weights below zero": lists(lambda s: s.update(weights=-s["weights"])),
    "totals": lists(lambda s: s.update(totals=s["totals"] * np.nan)),
    "floors": lists(lambda s: s.update(floors=s["floors"] + 99_999)),
    "rows that wait": lambda s: s["waiting"]["rows"].update(codes=np.full(4, 7, np.int32)),
    "the number of draws": lambda s: s.update(drawn=-3),
    "too many draws": lambda s: s.update(drawn=10**30),
    "parameters": lambda s: s["parameters"].update(epsilon=7),
    "features": lambda s: s.update(n_features=10**6),
    "a scale": lambda s: s.update(scale=0.0),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_forged_states_are_refused(forge):
    summary = small(n_features=2)
    X = np.random.default_rng(0).random((20, 2))
    summary.update(Batch(X, np.arange(20) % 2, np.full(20, 0.5)))
    state = summary.to_state()
    ExponentialFrequency.from_state(summary.to_state())
    assert len(state["lists"]["weights"]) and len(state["waiting"]["rows"]["codes"]) == 4
    forge(state)
    with pytest.raises((ValueError, TypeError)):
        ExponentialFrequency.from_state(state)
