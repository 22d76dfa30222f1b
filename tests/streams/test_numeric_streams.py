"""The streams whose classes depend on sums of numeric features: SEA and the hyperplane."""

import numpy as np
import pytest
from river.datasets import synth
from scipy import stats

from driftsieve.streams import randomness
from driftsieve.streams.hyperplane import Hyperplane
from driftsieve.streams.sea import SEA
from tests.naive import generators as naive
from tests.streams.laws import all_rows
from tests.streams.test_agrawal import SURE, block_rng
from tests.streams.test_boolean_streams import assert_equals_twin


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_features": 12, "thresholds": (5, 9, 7, 9.5), "drift_every": 300, "width": 200},
        {"n_features": 5, "thresholds": 3, "irrelevant_scale": 7.0, "drift_every": 100},
        {"n_features": 2, "noise": 0.0, "drift_every": 500},
    ],
)
def test_sea_equals_its_naive_twin(options):
    assert_equals_twin(SEA(n_rows=1_500, seed=6, **options), naive.sea_sample)


@pytest.mark.parametrize("variant", [0, 1, 2, 3])
def test_sea_is_distributed_as_rivers(variant):
    threshold = (8, 9, 7, 9.5)[variant]
    ours = all_rows(SEA(n_rows=8_000, thresholds=threshold, noise=0.1, seed=variant))
    drawn = list(synth.SEA(variant, noise=0.1, seed=9).take(8_000))
    X = np.array([list(x.values()) for x, _ in drawn])
    y = np.array([int(label) for _, label in drawn])
    assert stats.chi2_contingency([np.bincount(ours.y), np.bincount(y)]).pvalue > SURE
    for label in (0, 1):
        for j in range(3):
            mine, other = ours.X[ours.y == label, j], X[y == label, j]
            assert stats.ks_2samp(mine, other).pvalue > SURE
        sums = [rows[:, :2].sum(axis=1) for rows in (ours.X[ours.y == label], X[y == label])]
        assert stats.ks_2samp(*sums).pvalue > SURE


def test_the_relevant_pair_moves_on_and_comes_round():
    stream = SEA(n_features=5, drift_every=10)
    pairs = [stream.relevant_at(10 * concept).tolist() for concept in range(6)]
    assert pairs == [[0, 1], [2, 3], [0, 4], [1, 2], [3, 4], [0, 1]]


MOVING = {
    "still": {},
    "moving": {"step": 0.01},
    "turning": {"step": 0.1, "turn": 0.5, "n_moving": 7, "n_irrelevant": 3},
    "none moves": {"step": 0.1, "n_moving": 0},
    "one": {"n_features": 1, "n_moving": 1, "step": 0.001, "noise": 0.0},
}


@pytest.mark.parametrize("options", MOVING.values(), ids=MOVING)
def test_hyperplane_equals_its_naive_twin(options):
    stream = Hyperplane(n_rows=3_000, seed=3, **options)

    def rng(purpose):
        return lambda *place: randomness.generator(3, f"Hyperplane.{purpose}", *place)

    X, y, ways = naive.hyperplane_rows(
        stream, 3_000, rng("weights")(), rng("turns"), block_rng(stream)
    )
    batch = all_rows(stream)
    np.testing.assert_array_equal(batch.X, X)
    np.testing.assert_array_equal(batch.y, y)
    for row in (0, 1, 1_023, 1_024, 2_999, 5):
        np.testing.assert_allclose(stream.weights_at(row), ways[row], rtol=1e-9)


def test_entering_late_and_going_back_walks_the_same_way():
    stream = Hyperplane(n_rows=None, step=0.02, n_moving=5)
    late = Hyperplane(n_rows=None, step=0.02, n_moving=5)
    ways = [stream.weights_at(row) for row in (0, 4_000, 9_000)]
    for row, expected in zip((9_000, 4_000, 0), ways[::-1]):
        np.testing.assert_allclose(late.weights_at(row), expected, rtol=1e-12)
    assert np.abs(ways[0] - ways[2])[:5].min() > 0
    np.testing.assert_array_equal(ways[0][5:], ways[2][5:])


def test_planes_move_as_rivers_do():
    """How far weights get, and how often they turn. River turns less often by 0.01."""
    mine, other = [], []
    for seed in range(150):
        ours = Hyperplane(n_rows=None, step=0.01, turn=0.1, n_moving=2, seed=seed)
        mine.append(ours.weights_at(300)[:2] - ours.weights_at(0)[:2])
        theirs = synth.Hyperplane(seed, mag_change=0.01, sigma=0.11)
        rows = iter(theirs)
        next(rows)
        first = np.array(theirs._weights[:2]) - 0.01
        for _ in range(299):
            next(rows)
        other.append(np.array(theirs._weights[:2]) - first)
    mine, other = np.round(np.ravel(mine), 6), np.round(np.ravel(other), 6)
    assert stats.ks_2samp(mine, other).pvalue > SURE
    assert abs(mine.std() / other.std() - 1) < 0.25


def test_rows_of_rivers_plane_have_the_labels_of_ours():
    theirs = synth.Hyperplane(4, n_features=6, noise_percentage=0.0)
    rows = [(list(x.values()), y) for x, y in theirs.take(4_000)]
    X, y = np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    ours = Hyperplane(n_features=6)
    ours._stretch = ours._stretch._replace(weights=np.array(theirs._weights))
    weights = ours.weights_at(0)
    np.testing.assert_array_equal((X - 0.5) @ weights >= 0, y == 1)


def test_features_without_a_weight_are_not_relevant():
    stream = Hyperplane(n_rows=20_000, n_features=8, n_irrelevant=3, noise=0.0)
    batch = all_rows(stream)
    np.testing.assert_array_equal(stream.relevant_at(0), np.arange(5))
    for j in range(5, 8):
        values = [batch.X[batch.y == label, j] for label in (0, 1)]
        assert stats.ks_2samp(*values).pvalue > SURE
    assert not stream.drift_points


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (SEA, {"n_features": 1}, "n_features must be a whole number of at least 2, not 1"),
        (SEA, {"thresholds": 21}, "each of thresholds must be a finite number from 0 to 20, not"),
        (SEA, {"thresholds": ()}, "thresholds must name at least one"),
        (SEA, {"noise": "0.1"}, "noise must be a finite number from 0 to 1, not '0.1'"),
        (SEA, {"irrelevant_scale": -1}, "irrelevant_scale must be a finite number of at least 0"),
        (Hyperplane, {"n_features": 0}, "n_features must be a whole number of at least 1, not 0"),
        (Hyperplane, {"n_moving": 11}, "n_moving must be a whole number from 0 to 10, not 11"),
        (Hyperplane, {"n_irrelevant": 10}, "n_irrelevant must be a whole number from 0 to 9"),
        (Hyperplane, {"n_irrelevant": 9}, "n_moving must be a whole number from 0 to 1, not 2"),
        (Hyperplane, {"step": -0.1}, "step must be a finite number of at least 0, not -0.1"),
        (Hyperplane, {"turn": 1.1}, "turn must be a finite number from 0 to 1, not 1.1"),
        (Hyperplane, {"noise": None}, "noise must be a finite number from 0 to 1, not None"),
    ],
)
def test_bad_parameters_are_refused(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
