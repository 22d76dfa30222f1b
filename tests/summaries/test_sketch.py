"""Frequent directions: the theorem as assertions, beside obvious ways, and bad input."""

import tracemalloc
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.memory import Fading
from driftsieve.remembered import remember
from driftsieve.summaries.sketch import FrequentDirections, default_size
from tests.naive import fsds as naive
from tests.naive.unsupervised import unit as unit_rows

FEATURES, ROWS, SIZE = 24, 400, 6


class Short(FrequentDirections):
    """Takes a step every few rows, so that few rows are many steps."""

    step = 16


class Shorter(FrequentDirections):
    step = 7


def decaying(rng):
    return rng.standard_normal((ROWS, FEATURES)) * 0.7 ** np.arange(FEATURES)


def flat(rng):
    return rng.standard_normal((ROWS, FEATURES))


def low_rank(rng):
    return rng.standard_normal((ROWS, SIZE - 1)) @ rng.standard_normal((SIZE - 1, FEATURES))


def one_direction_each(rng):
    """Orthogonal rows of equal length, again and again: whatever is kept, as much gets lost."""
    return np.eye(FEATURES)[np.arange(ROWS) % FEATURES]


def directions_in_turn(rng):
    """All rows of one direction, then all of the next: what is new is orthogonal to what is
    known."""
    return np.eye(FEATURES)[np.arange(ROWS) * FEATURES // ROWS]


def growing(rng):
    """The directions that matter come last, each when the sketch is full of lesser ones."""
    return directions_in_turn(rng) * np.linspace(0.1, 10, ROWS)[:, None]


def clusters(rng):
    centres = rng.standard_normal((4, FEATURES)) * 3
    return centres[rng.integers(0, 4, ROWS)] + rng.standard_normal((ROWS, FEATURES))


def nearly_parallel(rng):
    return np.ones(FEATURES) + 1e-6 * rng.standard_normal((ROWS, FEATURES))


def with_zeros(rng):
    X = decaying(rng)
    X[rng.random(X.shape) < 0.8] = 0.0
    X[::5] = 0.0
    return X


STREAMS = {
    make.__name__: make
    for make in (
        decaying, flat, low_rank, one_direction_each, directions_in_turn, growing, clusters,
        nearly_parallel, with_zeros,
    )
}  # fmt: skip
ORDERS = {
    "as it comes": lambda X: X,
    "backwards": lambda X: X[::-1],
    "longest last": lambda X: X[np.argsort(np.linalg.norm(X, axis=1), kind="stable")],
    "sorted": lambda X: X[np.argsort(X[:, 0], kind="stable")],
    "by main direction": lambda X: X[np.argsort(X @ np.linalg.svd(X)[2][0], kind="stable")],
}


def learnt(X, size=SIZE, kind=Short, batch=50, **options):
    summary = kind(X.shape[1], size=size, **options)
    for lo in range(0, X.shape[0], batch):
        summary.update(Batch(X[lo : lo + batch]))
    return summary


def covariance(summary):
    directions, lengths = summary.directions()
    assert_allclose(np.linalg.norm(directions, axis=0), lengths, atol=1e-7 * lengths.max(initial=0))
    return directions @ directions.T


def assert_theorem_holds(summary, Y):
    """The three sentences of `driftsieve.summaries.sketch`, for rows Y as they now weigh."""
    true, size = Y.T @ Y, summary.size
    energy = np.trace(true)
    rounding = 1e-12 * energy + 1e-300
    lost = np.linalg.eigvalsh(true - covariance(summary))
    assert lost[0] >= -rounding
    assert lost[-1] <= summary.covariance_error() + rounding
    assert_allclose(summary.energy, energy, rtol=1e-9)
    assert size * summary.covariance_error() <= lost.sum() + size * rounding
    squares = np.sort(np.linalg.eigvalsh(true))[::-1]
    for k in range(size):
        assert lost[-1] <= squares[k:].sum() / (size - k) + rounding
    assert lost[-1] <= 2 * energy / size + rounding


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("stream", STREAMS)
def test_the_theorem_holds_whatever_comes_in_whatever_order(stream, order, form):
    X = ORDERS[order](STREAMS[stream](np.random.default_rng(0)))
    for rows in (0, 1, 15, 16, 17, 100, ROWS):
        assert_theorem_holds(learnt(form(X[:rows])), X[:rows])


@pytest.mark.parametrize("stream", STREAMS)
def test_it_holds_of_rows_of_unit_length(stream):
    X = STREAMS[stream](np.random.default_rng(1))
    assert_theorem_holds(learnt(X, unit=True), unit_rows(X))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("parts", [2, 5, 8])
def test_it_holds_after_merging_in_a_row_and_in_a_tree(stream, parts):
    X = STREAMS[stream](np.random.default_rng(2))

    def pieces():
        return [learnt(part) for part in np.array_split(X, parts)]

    def merged(one, other):
        one.merge(other)
        return one

    assert_theorem_holds(reduce(merged, pieces()), X)
    level = pieces()
    while len(level) > 1:
        odd = [level[-1]] if len(level) % 2 else []
        level = [merged(*pair) for pair in zip(level[::2], level[1::2])] + odd
    assert_theorem_holds(level[0], X)
    level[0].update(Batch(X))
    assert_theorem_holds(level[0], np.concatenate([X, X]))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("fading", [Fading(0.99), Fading(0.5), Fading(0.5, every=30)], ids=repr)
def test_it_holds_under_fading(stream, fading):
    X = STREAMS[stream](np.random.default_rng(3))
    remembered = remember(lambda n: Short(n, size=SIZE), FEATURES, fading)
    for lo in range(0, ROWS, 9):
        remembered.update(Batch(X[lo : lo + 9]))
    ticks = (ROWS - 1) // fading.every - np.arange(ROWS) // fading.every
    assert_theorem_holds(remembered.summary, X * np.sqrt(fading.decay(ticks))[:, None])


def test_fading_for_ever_goes_on():
    X = flat(np.random.default_rng(0))
    summary = Short(FEATURES, size=SIZE)
    for _ in range(30):
        summary.update(Batch(X), fade=2.0**-40)
    weights = np.repeat(2.0 ** (-40.0 * np.arange(30)[::-1]), ROWS)
    assert_theorem_holds(summary, np.tile(X, (30, 1)) * np.sqrt(weights)[:, None])


SHAPES = st.tuples(st.integers(1, 60), st.integers(1, 12), st.integers(1, 14))


@settings(deadline=None)
@given(SHAPES, st.integers(0, 10), st.integers(1, 20), st.booleans(), st.booleans())
def test_it_holds_of_any_shape(shape, rank, batch, as_sparse, unit):
    rows, features, size = shape
    rng = np.random.default_rng(rows * features + rank)
    X = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, features))
    X[rng.random(X.shape) < 0.3] = 0
    summary = learnt(sparse.csr_array(X) if as_sparse else X, size, Shorter, batch, unit=unit)
    assert_theorem_holds(summary, unit_rows(X) if unit else X)
    if np.linalg.matrix_rank(X) <= size:  # there is nothing to be lost
        Y = unit_rows(X) if unit else X
        if np.linalg.matrix_rank(Y) <= size:
            assert_allclose(covariance(summary), Y.T @ Y, atol=1e-9 * np.sum(Y**2))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("size", [1, SIZE, FEATURES, 40])
def test_it_is_algorithm_2_with_a_column_more(stream, size):
    X = STREAMS[stream](np.random.default_rng(4))
    summary = Short(FEATURES, size=size)
    for end in range(16, ROWS, 16):
        summary.update(Batch(X[end - 16 : end]))
        B = naive.sketch([X[lo : lo + 16].T for lo in range(0, end, 16)], size + 1)
        assert_allclose(covariance(summary), B @ B.T, atol=1e-8 * np.sum(X[:end] ** 2))


@pytest.mark.parametrize("shape", [(500, 30), (90, 3000), (300, 700), (3, 5000), (2000, 70)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_exact_way_finds_the_same(shape, form, monkeypatch):
    monkeypatch.setattr("driftsieve.summaries.sketch.is_worth_it", lambda *_: False)
    rng = np.random.default_rng(5)
    X = rng.standard_normal(shape) * 0.9 ** np.arange(shape[1])
    X[rng.random(shape) < 0.5] = 0.0
    whole, size = form(X), 8
    summary = FrequentDirections(shape[1], size=size)
    summary.update(Batch(whole))
    B = naive.sketch([X[lo : lo + 1000].T for lo in range(0, shape[0], 1000)], size + 1)
    directions, _ = summary.directions()
    assert_allclose(directions @ (directions.T @ X.T), B @ (B.T @ X.T), atol=1e-8 * np.sum(X**2))


def test_squares_lose_half_the_digits_and_not_more():
    """What Gram matrices lose: a direction of 1e-5 is known to some digits, one of 1e-10 is not.
    Singular values keep both."""
    rng = np.random.default_rng(6)
    lengths = np.array([1.0, 1e-5, 1e-10])
    left, right = (np.linalg.qr(rng.standard_normal((n, 3)))[0] for n in (600, 300))
    X = (left * lengths) @ right.T
    gram = FrequentDirections(300, size=3)
    gram.update(Batch(X))
    found = gram.directions()[1]
    assert_allclose(found[:2], lengths[:2], rtol=1e-5)
    assert found[2] < 1e-7
    small = FrequentDirections(30, size=3)
    small.update(Batch((left * lengths) @ right[:30].T))
    assert_allclose(
        small.directions()[1],
        np.linalg.svd(right[:30] * lengths, compute_uv=False),
        rtol=1e-4,
    )


def test_rows_of_float32_are_as_good_as_they_are():
    X = clusters(np.random.default_rng(7)).astype(np.float32)
    single, double = learnt(X), learnt(X.astype(float))
    assert_allclose(covariance(single), covariance(double), rtol=1e-9, atol=1e-9)


def test_weights_are_repetitions_and_zeros_are_absent():
    X = clusters(np.random.default_rng(8))
    weight = np.arange(ROWS) % 3.0
    summary = Short(FEATURES, size=FEATURES)
    summary.update(Batch(X, weight=weight))
    repeated = np.repeat(X, weight.astype(int), axis=0)
    assert_allclose(covariance(summary), repeated.T @ repeated, rtol=1e-9)


def test_rows_of_zeros_and_of_tiny_and_large_numbers():
    X = np.array([[0.0, 0.0], [3e-200, 4e-200], [3e99, 4e99], [0.0, -1e-310]])
    summary = FrequentDirections(2, size=2, unit=True)
    summary.update(Batch(X))
    unit = np.array([[0.6, 0.8], [0.6, 0.8]])
    assert_allclose(covariance(summary), unit.T @ unit, rtol=1e-12)
    assert summary.energy == pytest.approx(2)


def test_missing_values_are_refused_or_zeros():
    X = clusters(np.random.default_rng(9))
    holes = X.copy()
    holes[7, 3] = holes[200, 20] = np.nan
    summary = learnt(X)
    before = covariance(summary)
    with pytest.raises(ValueError, match=r"column 3 is missing \(NaN\) in row 7"):
        summary.update(Batch(holes))
    with pytest.raises(ValueError, match="column 'd' is missing"):
        summary.update(Batch(holes, names=tuple("abcdefghijklmnopqrstuvwx")))
    assert_allclose(covariance(summary), before, rtol=0)
    for form in (np.asarray, sparse.csr_array):
        filled = learnt(form(holes), fill=True)
        assert_allclose(covariance(filled), covariance(learnt(np.nan_to_num(holes))), rtol=1e-9)
    assert np.isnan(holes).sum() == 2


def test_bad_input_is_refused_and_changes_nothing():
    X = clusters(np.random.default_rng(10))
    summary = learnt(X)
    before, state = covariance(summary), repr(summary.to_state())
    infinite, large = X.copy(), X.copy()
    infinite[3, 5] = -np.inf
    large[3, 5] = 2e100
    for bad, words in (
        (infinite, "column 5 holds an infinity in row 3"),
        (large, "too large to work with"),
        (X[:, 1:], "23 features, not 24"),
    ):
        for form in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match=words):
                summary.update(Batch(form(bad)))
    with pytest.raises(ValueError, match="between 0 and 1"):
        summary.fade(1.1)
    for other in (Short(FEATURES, size=SIZE + 1), Short(3, size=SIZE), Short(FEATURES, unit=True)):
        with pytest.raises(ValueError, match="cannot be merged"):
            summary.merge(other)
    assert repr(summary.to_state()) == state
    assert_allclose(covariance(summary), before, rtol=0)


def test_memory_is_what_it_says():
    summary = learnt(flat(np.random.default_rng(0)), kind=FrequentDirections)
    assert summary.nbytes <= summary.most_bytes(ROWS)
    long = FrequentDirections(FEATURES, size=SIZE)
    for seed in range(8):
        long.update(Batch(flat(np.random.default_rng(seed))))
        assert long.nbytes <= long.most_bytes(ROWS)


def test_the_usual_size_is_the_root_of_the_number_of_features():
    assert [default_size(n) for n in (1, 2, 784, 785)] == [1, 2, 28, 29]


def test_sparse_rows_take_hardly_more_than_the_sketch():
    """No dense rows, and no second sketch beside the first."""
    features = 10_000
    X = sparse.random_array((900, features), density=0.002, format="csr", rng=0)
    warm = FrequentDirections(features)
    warm.update(Batch(X))
    warm.directions(5)
    tracemalloc.start()
    summary = FrequentDirections(features)
    for lo in range(0, 900, 100):
        summary.update(Batch(X[lo : lo + 100]))
    directions, _ = summary.directions(5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert summary._steps == 1 and directions.shape == (features, 5)
    assert peak < 1.5 * 8 * features * summary.size + 16 * (summary.step + summary.size) ** 2
