from itertools import islice, pairwise

import numpy as np
import pytest

from driftsieve.contracts import Source
from driftsieve.streams import base, randomness
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.registry import generator, generator_names
from tests.naive import streams as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)

SHAPES = {
    "paper's step": {"n_features": 12, "k": 4, "shift_every": 100},
    "wholly new sets": {"n_features": 12, "k": 4, "shift_every": 250, "step": 4},
    "wraps around": {"n_features": 7, "k": 5, "shift_every": 30, "step": 3},
    "every row": {"n_features": 5, "k": 2, "shift_every": 1},
    "never": {"n_features": 5, "k": 2, "shift_every": None},
    "all relevant": {"n_features": 3, "k": 3, "shift_every": 10},
    "one feature": {"n_features": 1, "k": 1, "shift_every": 10},
    "whole turns": {"n_features": 6, "k": 2, "shift_every": 10, "step": 12},
    "uneven": {
        "n_features": 9,
        "k": 2,
        "shift_every": 70,
        "nu": 1.5,
        "intercept": 2.0,
        "noise": 0.1,
        "signal": -3,
    },
}


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def shape(request):
    return request.param


def test_is_a_source_of_known_length():
    stream = DriftingLinear(n_rows=2_500, batch=1_000, n_features=20, k=3)
    assert isinstance(stream, Source)
    batches = list(stream)
    assert [len(batch) for batch in batches] == [1_000, 1_000, 500]
    assert [batch.position for batch in batches] == [1_000, 2_000, 2_500]
    assert all(batch.relevant.shape == batch.X.shape for batch in batches)
    assert len(list(stream)) == 3  # iterating again begins again


def test_equals_the_equations_row_by_row(shape):
    stream = DriftingLinear(n_rows=2_300, seed=3, **shape)
    batch = all_rows(stream)
    X, y = naive.linear_rows(
        stream,
        stream.n_rows,
        base.BLOCK_ROWS,
        lambda block: randomness.generator(3, "DriftingLinear.rows", block),
    )
    np.testing.assert_allclose(batch.X, X, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(batch.y, y)


def test_relevant_features_follow_eq_22_at_each_row(shape):
    stream = DriftingLinear(n_rows=400, **shape)
    step = shape.get("step", 1)
    sets = []
    for i, row in enumerate(all_rows(stream).relevant):
        expected = naive.linear_relevant(
            i, shape["n_features"], shape["k"], shape["shift_every"], step
        )
        assert set(np.flatnonzero(row)) == expected == set(stream.relevant_at(i))
        sets.append(expected)
    changes = [i + 1 for i, (one, next_one) in enumerate(pairwise(sets)) if one != next_one]
    assert changes == list(stream.drift_points)


def test_two_features_correlate_as_eq_21_is_printed():
    rows = 40_000
    for nu in (0.5, 2.0):
        X, _ = all_rows(DriftingLinear(n_rows=rows, n_features=6, k=2, nu=nu, seed=11))
        rho = nu**2 / (1 + nu**2)
        seen = np.corrcoef(X.T)[np.triu_indices(6, 1)]
        # The standard error of a correlation of normal variates is (1 - ρ²)/√n.
        assert np.all(np.abs(seen - rho) < 5 * (1 - rho**2) / np.sqrt(rows))
        assert np.all(np.abs(seen - nu / (1 + nu)) > 0.05)
        np.testing.assert_allclose(X.var(axis=0), 1 + nu**2, rtol=5 * np.sqrt(2 / rows))
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=5 * np.sqrt((1 + nu**2) / rows))


def test_regression_finds_the_relevant_features_and_no_others():
    stream = DriftingLinear(n_rows=20_000, n_features=30, k=5, shift_every=10_000, step=5, seed=2)
    for start in (0, 10_000):
        batch = stream.rows(start, start + 10_000)
        slopes = np.linalg.lstsq(batch.X, batch.y - 0.5, rcond=None)[0]
        found = np.sort(np.argsort(-slopes)[:5])
        np.testing.assert_array_equal(found, stream.relevant_at(start))
        relevant = batch.relevant[0]
        # Equal coefficients: equal slopes; irrelevant ones differ from 0 by chance only.
        assert slopes[relevant].min() > 10 * np.abs(slopes[~relevant]).max()


def test_without_noise_the_label_is_the_sign():
    stream = DriftingLinear(n_rows=3_000, n_features=20, k=4, shift_every=500, noise=0, intercept=1)
    batch = all_rows(stream)
    signal = np.where(batch.relevant, batch.X, 0).sum(axis=1) + 1
    np.testing.assert_array_equal(batch.y, signal > 0)


def test_classes_are_balanced_without_intercept():
    y = all_rows(DriftingLinear(n_rows=40_000, n_features=4, k=2)).y
    assert set(np.unique(y)) == {0, 1}
    assert abs(y.mean() - 0.5) < 5 * 0.5 / 200
    assert all_rows(DriftingLinear(n_rows=2_000, n_features=4, k=2, intercept=2)).y.mean() > 0.7


def test_batching_does_not_matter(shape):
    assert_batching_does_not_matter(
        lambda batch: DriftingLinear(n_rows=2_100, batch=batch, seed=1, **shape)
    )


def test_seeking_is_exact(shape):
    assert_seek_is_exact(lambda: DriftingLinear(n_rows=2_100, batch=97, **shape))


def test_any_rows_at_once_equal_those_of_the_run(shape):
    stream = DriftingLinear(n_rows=3_000, **shape)
    run = all_rows(stream)
    for start, stop in ((0, 1), (1_023, 1_025), (1_024, 2_048), (5, 2_999), (2_999, 3_000)):
        assert_same_rows(stream.rows(start, stop), run.take(slice(start, stop)))


def test_wide_streams_come_in_smaller_blocks():
    wide = {"n_features": 30_000, "k": 2, "dtype": "float32"}
    stream = DriftingLinear(n_rows=30, **wide)
    assert stream.block_rows == 8
    run = all_rows(stream)
    assert_same_rows(stream.rows(7, 17), run.take(slice(7, 17)))
    assert DriftingLinear(n_features=10**6).block_rows == 1


def test_a_longer_stream_begins_with_the_shorter():
    short, long = (DriftingLinear(n_rows=n, n_features=5, k=2) for n in (1_100, 2_500))
    assert_same_rows(all_rows(short), all_rows(long).take(slice(0, 1_100)))


def test_an_endless_stream_does_not_end():
    stream = DriftingLinear(n_rows=None, n_features=3, k=1, shift_every=700)
    assert sum(len(batch) for batch in islice(stream, 12)) == 12_000
    assert list(stream.drift_points[:3]) == [700, 1_400, 2_100]
    stream.seek(10**12)
    batch = next(iter(stream))
    assert batch.position == 10**12 + 1_000
    assert set(np.flatnonzero(batch.relevant[0])) == {10**12 // 700 % 3}


def test_an_empty_stream_has_no_batches():
    assert list(DriftingLinear(n_rows=0)) == []


def test_seeds_repeat_and_differ():
    first, again, other = (
        all_rows(DriftingLinear(n_rows=500, n_features=5, k=2, seed=seed)) for seed in (4, 4, 5)
    )
    assert_same_rows(first, again)
    assert not np.any(first.X == other.X)


def test_float32_is_a_stream_of_its_own_with_the_same_law():
    stream = DriftingLinear(n_rows=5_000, n_features=20, k=4, dtype="float32", noise=0)
    batch = all_rows(stream)
    assert batch.X.dtype == np.float32
    signal = np.where(batch.relevant, batch.X, 0).sum(axis=1, dtype=np.float64)
    np.testing.assert_array_equal(batch.y, signal > 0)


def test_writing_into_a_batch_changes_no_later_one():
    stream = DriftingLinear(n_rows=300, n_features=4, k=2, batch=50)
    untouched = all_rows(stream)
    for i, batch in enumerate(stream):
        np.testing.assert_array_equal(batch.X, untouched.X[i * 50 : (i + 1) * 50])
        batch.X[:] = -1
        batch.y[:] = -1


def test_global_seed_is_untouched():
    assert_global_seed_untouched(lambda: all_rows(DriftingLinear(n_rows=100)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rows": -1}, "n_rows must be a whole number of at least 0, not -1"),
        ({"n_rows": 1e5}, "n_rows must be a whole number"),
        ({"batch": 0}, "batch must be a whole number of at least 1, not 0"),
        ({"batch": True}, "batch must be a whole number"),
        ({"seed": -3}, "seed must be a whole number of at least 0"),
        ({"seed": None}, "seed must be a whole number"),
        ({"n_features": 0}, "n_features must be a whole number of at least 1"),
        ({"n_features": 10, "k": 11}, "k must be a whole number from 1 to 10, not 11"),
        ({"k": "many"}, "k must be a whole number from 1 to 1000, not 'many'"),
        ({"shift_every": 0}, "shift_every must be a whole number of at least 1"),
        ({"step": -1}, "step must be a whole number of at least 0"),
        ({"nu": float("nan")}, "nu must be a finite number, not nan"),
        ({"signal": "1"}, "signal must be a finite number"),
        ({"noise": -1}, "noise must be a finite number of at least 0, not -1"),
        ({"intercept": float("inf")}, "intercept must be a finite number"),
        ({"dtype": "int8"}, "dtype must be 'float32' or 'float64', not 'int8'"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DriftingLinear(**options)


@pytest.mark.parametrize("position", [-1, 101, 1.5, "5", True])
def test_bad_positions_are_refused(position):
    with pytest.raises(ValueError, match="a position in this stream must be a whole number from 0"):
        DriftingLinear(n_rows=100).seek(position)


def test_generators_by_name():
    assert "linear" in generator_names()
    stream = generator("linear", n_rows=10, k=3)
    assert isinstance(stream, DriftingLinear)
    assert stream.k == 3
    with pytest.raises(ValueError, match=r"there is no generator 'liner': choose one of .*linear"):
        generator("liner")
    with pytest.raises(ValueError, match="'linear' has no option 'rows': it has n_rows, batch"):
        generator("linear", rows=5)


def test_uniforms_are_those_of_splitmix():
    places = np.array([0, 1, 2, 12_345, 2**63, 2**64 - 1], dtype=np.uint64)
    key = int(randomness._sequence(9, "test").generate_state(1, np.uint64)[0])
    expected = [(naive.splitmix(key, int(place)) >> 11) / 2**53 for place in places]
    np.testing.assert_array_equal(randomness.uniforms(9, "test", places), expected)
    # Published outputs of SplitMix64 seeded by 1234567.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [naive.splitmix(1_234_567, n) for n in (1, 2, 3)] == published


def test_uniforms_are_uniform_and_apart_by_purpose():
    places = np.arange(100_000, dtype=np.uint64)
    one, other = (randomness.uniforms(0, purpose, places) for purpose in ("one", "other"))
    assert one.min() >= 0 and one.max() < 1
    counts = np.histogram(one, bins=50, range=(0, 1))[0]
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 49 + 5 * np.sqrt(2 * 49)  # chi-squared
    for a, b in ((one[1:], one[:-1]), (one, other), (one[1_000:], one[:-1_000])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(len(a))
