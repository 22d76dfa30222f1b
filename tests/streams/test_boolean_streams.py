"""The streams whose classes depend on nominal features: ASSETS, BG to BG3 and LED."""

from itertools import product

import numpy as np
import pytest
from river.datasets import synth
from scipy import stats

from driftsieve.streams import assets
from driftsieve.streams.assets import CATEGORIES, Assets
from driftsieve.streams.binary import BinaryGenerator
from driftsieve.streams.led import LED, SEGMENTS
from driftsieve.streams.registry import generator
from tests.naive import generators as naive
from tests.streams.laws import all_rows
from tests.streams.test_agrawal import SURE, block_rng
from tests.streams.test_generators import key_of


def assert_equals_twin(stream, sample):
    X, y, concepts = naive.drifting_rows(
        stream, stream.n_rows, key_of(stream), block_rng(stream), sample
    )
    batch = all_rows(stream)
    np.testing.assert_allclose(batch.X, X, rtol=1e-12)
    np.testing.assert_array_equal(batch.y, y)
    for row, concept in enumerate(concepts):
        relevant = np.flatnonzero(batch.relevant[row])
        np.testing.assert_array_equal(relevant, stream.relevant_in(concept))


@pytest.mark.parametrize("function", [1, 2, 3])
def test_assets_are_interesting_by_the_three_functions_and_equally_likely(function):
    names = list(product(*CATEGORIES.values()))
    assert len(names) == 8 * 8 * 9 * 8 * 5
    interesting = np.array([naive.asset_is_interesting(function, *asset) for asset in names])
    stream = Assets(n_rows=60_000, functions=function, noise=0, seed=function)
    batch = all_rows(stream)
    np.testing.assert_array_equal(batch.y, np.arange(60_000) % 2)
    which = np.ravel_multi_index(batch.X.astype(int).T, assets.SIZES)
    np.testing.assert_array_equal(interesting[which], batch.y == 1)
    wanted = np.bincount(which[batch.y == 1], minlength=len(names))[interesting]
    assert stats.chisquare(wanted).pvalue > SURE
    others = which[batch.y == 0]
    for j, size in enumerate(assets.SIZES):  # each of the others is likely: by one column at a time
        column = np.array([CATEGORIES[name].index(asset[j]) for asset in names
                           for name in [list(CATEGORIES)[j]]])  # fmt: skip
        expected = np.bincount(column[~interesting], minlength=size) / np.sum(~interesting)
        seen = np.bincount(column[others], minlength=size)
        assert stats.chisquare(seen, expected * len(others)).pvalue > SURE


@pytest.mark.parametrize("function", [1, 2, 3])
def test_a_feature_of_an_asset_is_relevant_if_it_alone_can_change_the_interest(function):
    interesting = assets.FUNCTIONS[function - 1][0](
        dict(zip(CATEGORIES, np.indices(assets.SIZES), strict=True))
    )
    matters = [j for j in range(5) if (interesting != np.take(interesting, [0], axis=j)).any()]
    np.testing.assert_array_equal(Assets(functions=function).relevant_in(0), matters)


def test_the_labels_of_assets_are_wrong_as_often_as_said():
    noisy = all_rows(Assets(n_rows=50_000, functions=2, noise=0.05, seed=1))
    clean = all_rows(Assets(n_rows=50_000, functions=2, noise=0.0, seed=1))
    assert stats.binomtest(int((noisy.y != clean.y).sum()), 50_000, 0.05).pvalue > SURE


BINARY = {
    "bg": {"relevant": ((0, 1, 2), (4, 5, 6), (0, 1, 4)), "balanced": True},
    "bg2": {"n_features": 18, "rule": "majority"},
    "bg3": {"n_features": 18, "rule": "equal"},
    "bg3, balanced": {"n_features": 7, "rule": "equal", "balanced": True, "noise": 0.0},
    "even majority": {"n_features": 9, "relevant": 4, "rule": "majority", "balanced": True},
    "one": {"n_features": 1, "relevant": 1, "rule": "all"},
}


@pytest.mark.parametrize("options", BINARY.values(), ids=BINARY)
def test_binary_streams_equal_their_naive_twin(options):
    stream = BinaryGenerator(n_rows=1_500, drift_every=400, width=100, seed=2, **options)
    assert_equals_twin(stream, naive.binary_sample)


@pytest.mark.parametrize("options", BINARY.values(), ids=BINARY)
def test_values_are_those_of_the_class_and_as_likely_as_each_other(options):
    stream = BinaryGenerator(n_rows=30_000, seed=1, **{**options, "noise": 0.0})
    batch = all_rows(stream)
    relevant = stream.relevant_at(0)
    if stream.balanced:
        assert batch.y.mean() == 0.5
    codes = batch.X[:, relevant].astype(int) @ (1 << np.arange(len(relevant)))
    for label in (0, 1):
        seen = np.bincount(codes[batch.y == label])
        assert np.sum(seen > 0) == 1 or stats.chisquare(seen[seen > 0]).pvalue > SURE
        assert not set(np.flatnonzero(seen)) & set(codes[batch.y != label].tolist())
    others = np.setdiff1d(np.arange(stream.n_features), relevant)
    for j in others:
        counts = [np.bincount(batch.X[batch.y == label, j].astype(int)) for label in (0, 1)]
        assert stats.chi2_contingency(counts).pvalue > SURE


def test_of_equal_features_none_tells_anything_alone():
    batch = all_rows(generator("bg3", n_rows=60_000, noise=0.0))
    relevant = np.flatnonzero(batch.relevant[0])
    for j in relevant:
        counts = [np.bincount(batch.X[batch.y == label, j].astype(int)) for label in (0, 1)]
        assert stats.chi2_contingency(counts).pvalue > SURE
    equal = np.ptp(batch.X[:, relevant], axis=1) == 0
    np.testing.assert_array_equal(equal, batch.y == 1)


def test_new_relevant_columns_are_none_of_the_last_ones_where_there_are_enough():
    for n_features, k in ((18, 3), (10, 3), (6, 3), (7, 2)):
        stream = BinaryGenerator(n_features=n_features, relevant=k, drift_every=100, seed=4)
        for concept in range(2 * stream.n_concepts):
            before = set(stream.relevant_at(100 * concept).tolist())
            after = set(stream.relevant_at(100 * concept + 100).tolist())
            assert len(after) == k and not before & after
        seen = {j for c in range(stream.n_concepts) for j in stream.relevant_in(c)}
        assert seen == set(range(n_features))
    assert BinaryGenerator(n_features=3, relevant=3, drift_every=10).drift_points == ()


def test_segments_are_those_of_river_and_of_the_display():
    np.testing.assert_array_equal(SEGMENTS, synth.LED._ORIGINAL_INSTANCES)
    shown = [["abcdefg"[j] for j in np.flatnonzero(line)] for line in SEGMENTS]
    assert ["".join(segments) for segments in shown] == naive.LIT


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drift_every": 300, "width": 120},
        {"drift_every": 200, "swapped": 7, "n_features": 14, "noise": 0.0},
        {"n_features": 7, "noise": 0.5},
    ],
)
def test_led_equals_its_naive_twin(options):
    assert_equals_twin(LED(n_rows=1_100, seed=5, **options), naive.led_sample)


def test_digits_are_distributed_as_those_of_river():
    ours = all_rows(LED(n_rows=20_000, noise=0.2, seed=1))
    # River adds 0.01 to its random numbers, and so makes less noise than it says.
    drawn = synth.LED(seed=2, noise_percentage=0.21, irrelevant_features=True).take(20_000)
    rows = [(list(x.values()), y) for x, y in drawn]
    X, y = np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    assert stats.chi2_contingency([np.bincount(ours.y), np.bincount(y)]).pvalue > SURE
    for digit in range(10):
        mine, other = ours.X[ours.y == digit], X[y == digit]
        for j in range(24):
            counts = [[rows[:, j].sum(), len(rows) - rows[:, j].sum()] for rows in (mine, other)]
            assert stats.chi2_contingency(counts).pvalue > SURE / 10
    pairs = [np.corrcoef(rows.T)[np.triu_indices(24, 1)] for rows in (ours.X, X)]
    assert np.abs(pairs[0] - pairs[1]).max() < 5 * np.sqrt(2 / 20_000)


def test_with_a_tenth_of_noise_nobody_reads_more_than_74_percent_of_the_digits():
    """The Bayes rate that Breiman et al. (1984) give: 0.26 of the digits are read wrongly."""
    batch = all_rows(LED(n_rows=100_000, noise=0.1, seed=3))
    wrong = (batch.X[:, None, :7] != SEGMENTS).sum(axis=2)
    read = wrong.argmin(axis=1)  # the likeliest digit is one with the fewest wrong segments
    assert np.mean(read == batch.y) == pytest.approx(0.74, abs=0.006)


def test_a_drift_of_leds_swaps_as_many_as_said():
    for swapped in range(1, 8):
        stream = LED(drift_every=10, swapped=swapped, seed=swapped)
        for concept in range(30):
            before, after = (set(stream.relevant_in(c).tolist()) for c in (concept, concept + 1))
            assert len(after) == 7 and len(after - before) == swapped


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (Assets, {"functions": 4}, "each of functions must be a whole number from 1 to 3, not 4"),
        (Assets, {"noise": -0.1}, "noise must be a finite number from 0 to 1, not -0.1"),
        (BinaryGenerator, {"n_features": 0}, "n_features must be a whole number of at least 1"),
        (BinaryGenerator, {"relevant": 11}, "relevant must be a whole number from 1 to 10, not 11"),
        (BinaryGenerator, {"relevant": 17, "n_features": 40}, "relevant must be a whole number fr"),
        (BinaryGenerator, {"relevant": ((0, 1), (2,))}, "relevant must name equally many columns"),
        (BinaryGenerator, {"relevant": ((0, 10),)}, "must be a whole number from 0 to 9, not 10"),
        (BinaryGenerator, {"relevant": ((1, 1),)}, "each of relevant names a column twice"),
        (BinaryGenerator, {"relevant": ()}, "relevant must name at least one"),
        (BinaryGenerator, {"relevant": (0, 1)}, "each of relevant must name columns, as in"),
        (BinaryGenerator, {"relevant": "0,1"}, "relevant must be a whole number from 1 to 10"),
        (BinaryGenerator, {"rule": "any"}, "rule must be one of all, majority, equal, not 'any'"),
        (BinaryGenerator, {"rule": ["all"]}, "rule must be one of all, majority, equal, not"),
        (BinaryGenerator, {"rule": "equal", "relevant": 1}, "rule='equal' needs two relevant feat"),
        (BinaryGenerator, {"balanced": "yes"}, "balanced must be True or False, not 'yes'"),
        (LED, {"n_features": 6}, "n_features must be a whole number of at least 7, not 6"),
        (LED, {"noise": 2}, "noise must be a finite number from 0 to 1, not 2"),
        (LED, {"swapped": 8}, "swapped must be a whole number from 0 to 7, not 8"),
        (LED, {"n_features": 8, "drift_every": 9}, "swapped must be at most 1, the number of col"),
    ],
)
def test_bad_parameters_are_refused(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
