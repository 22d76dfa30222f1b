import random

import numpy as np
import pytest
from river.datasets import synth
from scipy import stats

from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.rbf import RandomRBF
from driftsieve.streams.registry import generator
from tests.naive import streams as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)

SHAPES = {
    "defaults": {},
    "four classes": {"n_classes": 4, "n_features": 4, "n_centroids": 20},
    "one feature": {"n_features": 1, "n_centroids": 3},
    "one centroid": {"n_centroids": 1, "n_features": 3},
    "more classes than centroids": {"n_classes": 9, "n_centroids": 2, "n_features": 5},
    "several blocks": {"n_features": 700, "n_centroids": 5},
}
SURE = 1e-6
"""How unlikely a difference must be by chance."""


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def shape(request):
    return request.param


def test_is_a_source_of_known_length():
    stream = generator("rbf", n_rows=250, batch=100, n_features=6)
    assert isinstance(stream, RandomRBF) and isinstance(stream, Source)
    batches = list(stream)
    assert [batch.position for batch in batches] == [100, 200, 250]
    assert all(batch.relevant.shape == batch.X.shape for batch in batches)


def test_equals_its_naive_twin(shape):
    stream = RandomRBF(n_rows=900, seed=3, **shape)
    batch = all_rows(stream)
    X, y, _, classes = naive.rbf_rows(
        stream,
        stream.n_rows,
        stream.block_rows,
        randomness.generator(3, "RandomRBF.centroids"),
        lambda block: randomness.generator(3, "RandomRBF.rows", block),
    )
    np.testing.assert_allclose(batch.X, X, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(batch.y, y)
    assert batch.relevant.all() == batch.relevant.any() == (len(set(classes)) > 1)


def test_rows_are_distributed_as_those_of_river_around_the_same_centroids():
    ours = RandomRBF(n_rows=4_000, n_features=3, n_classes=3, n_centroids=4, seed=5)
    centroids = randomness.generator(5, "RandomRBF.centroids")
    _, _, centres, classes = naive.rbf_rows(ours, 0, 1, centroids, None)
    theirs = synth.RandomRBF(0, 0, ours.n_classes, ours.n_features, ours.n_centroids)
    theirs._generate_centroids()
    for i, centroid in enumerate(theirs.centroids):
        centroid.centre, centroid.class_label = centres[i], classes[i]
        centroid.std_dev = ours._deviations[i]
    theirs.centroid_weights = ours._weights.tolist()
    rng = random.Random(1)
    drawn = [theirs._generate_sample(rng) for _ in range(ours.n_rows)]
    X, y = np.array([list(x.values()) for x, _ in drawn]), np.array([label for _, label in drawn])
    batch = all_rows(ours)
    for label in set(classes):
        mine, other = batch.X[batch.y == label], X[y == label]
        counts = [[len(mine), ours.n_rows - len(mine)], [len(other), ours.n_rows - len(other)]]
        assert stats.chi2_contingency(counts).pvalue > SURE
        for j in range(ours.n_features):
            assert stats.ks_2samp(mine[:, j], other[:, j]).pvalue > SURE
        # Together: how far rows are from the nearest centre.
        nearest = [
            np.linalg.norm(rows[:, None] - np.array(centres), axis=2).min(axis=1)
            for rows in (mine, other)
        ]
        assert stats.ks_2samp(*nearest).pvalue > SURE


def test_centroids_are_distributed_as_those_of_river():
    mine, other = [], []
    for seed in range(300):
        ours = RandomRBF(n_features=2, n_classes=3, n_centroids=5, seed=seed)
        mine += list(zip(ours._centres[:, 1], ours._deviations, ours._weights, ours._classes))
        theirs = synth.RandomRBF(seed, 0, 3, 2, 5)
        theirs._generate_centroids()
        other += [
            (centroid.centre[1], centroid.std_dev, weight, centroid.class_label)
            for centroid, weight in zip(theirs.centroids, theirs.centroid_weights)
        ]
    for one, two in zip(np.array(mine).T[:3], np.array(other).T[:3]):
        assert stats.ks_2samp(one, two).pvalue > SURE
    counts = [np.bincount(np.array(part).T[3].astype(int), minlength=3) for part in (mine, other)]
    assert stats.chi2_contingency(counts).pvalue > SURE


def test_the_distance_is_normal_whatever_the_number_of_features():
    for n_features in (1, 2, 50, 3_000):
        stream = RandomRBF(n_rows=2_000, n_features=n_features, n_centroids=1, seed=2)
        distance = np.linalg.norm(all_rows(stream).X - stream._centres, axis=1)
        scaled = distance / stream._deviations
        assert stats.kstest(scaled, stats.halfnorm.cdf).pvalue > SURE


def test_of_one_class_nothing_is_relevant():
    for options in ({"n_classes": 1}, {"n_centroids": 1}):
        stream = RandomRBF(n_rows=20, **options)
        assert not all_rows(stream).relevant.any()
        assert len(stream.relevant_at(0)) == 0
    assert all_rows(RandomRBF(n_rows=20)).relevant.all()
    assert RandomRBF().drift_points == ()


def test_batching_does_not_matter(shape):
    assert_batching_does_not_matter(lambda batch: RandomRBF(n_rows=500, batch=batch, **shape))


def test_seeking_is_exact(shape):
    assert_seek_is_exact(lambda: RandomRBF(n_rows=900, batch=97, **shape))


def test_wide_streams_come_in_smaller_blocks():
    stream = RandomRBF(n_rows=60, n_features=10_000, dtype="float32", n_centroids=5)
    assert stream.block_rows == 26
    run = all_rows(stream)
    assert run.X.dtype == np.float32
    assert_same_rows(stream.rows(20, 57), run.take(slice(20, 57)))
    # In so many features rows hardly leave their centres: the nearest one tells the class.
    nearest = np.linalg.norm(run.X[:, None] - stream._centres, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(run.y, stream._classes[nearest])


def test_seeds_repeat_and_differ_and_the_global_one_is_untouched():
    first, again, other = (all_rows(RandomRBF(n_rows=300, seed=seed)) for seed in (4, 4, 5))
    assert_same_rows(first, again)
    assert not np.any(first.X == other.X)
    assert_global_seed_untouched(lambda: all_rows(RandomRBF(n_rows=100)))


def test_a_longer_stream_begins_with_the_shorter():
    short, long = (RandomRBF(n_rows=n) for n in (1_100, 2_500))
    assert_same_rows(all_rows(short), all_rows(long).take(slice(0, 1_100)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rows": -1}, "n_rows must be a whole number of at least 0, not -1"),
        ({"n_features": 0}, "n_features must be a whole number of at least 1, not 0"),
        ({"n_classes": 0}, "n_classes must be a whole number of at least 1, not 0"),
        ({"n_classes": 2.0}, "n_classes must be a whole number of at least 1, not 2.0"),
        ({"n_centroids": 0}, "n_centroids must be a whole number of at least 1, not 0"),
        ({"dtype": "int8"}, "dtype must be 'float32' or 'float64', not 'int8'"),
        ({"dtype": ["float32"]}, "dtype must be 'float32' or 'float64'"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RandomRBF(**options)
