"""Memories: the clock, merging, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from driftsieve import Batch, Fading, Screening, Window, load
from driftsieve.remembered import remember
from driftsieve.summaries.moments import Moments
from tests.naive import moments as naive


class Weights:
    """A summary that remembers the weight of each row; a row is known by its value."""

    def __init__(self, n_features=1):
        self.held = {}

    def update(self, batch, fade=1.0):
        self.fade(fade)
        weight = np.ones(batch.n_rows) if batch.weight is None else batch.weight
        self.held |= {int(x): w for x, w in zip(batch.X[:, 0], weight)}

    def fade(self, factor):
        self.held = {x: w * factor for x, w in self.held.items()}

    def merge(self, other):
        self.held |= other.held

    nbytes = 0


def rows(start, stop):
    return Batch(np.arange(start, stop, dtype=float)[:, None])


@pytest.mark.parametrize("size", [1, 3, 10, 25, 100])
@pytest.mark.parametrize("every", [1, 4, 10, 1000])
def test_fading_weighs_rows_by_the_ticks_since(size, every):
    remembered = remember(Weights, 1, Fading(0.7, every=every))
    for start in range(0, 100, size):
        remembered.update(rows(start, start + size))
        n = start + size
        expected = naive.fading_weights(n, 0.7, every)
        found = [remembered.summary.held[i] for i in range(n)]
        assert_allclose(found, expected, rtol=1e-12)
        assert found[-1] == 1.0, "the newest row always weighs 1"


@pytest.mark.parametrize("size", [1, 3, 10, 25, 100])
@pytest.mark.parametrize("window", [1, 2, 16, 17, 33, 90, 100, 200])
def test_a_window_holds_exactly_the_last_rows(size, window):
    remembered = remember(Weights, 1, Window(window))
    for start in range(0, 100, size):
        remembered.update(rows(start, start + size))
        n = start + size
        held = sorted(remembered.summary.held)
        assert held == list(range(max(0, n - window), n))


@pytest.mark.parametrize("window", [5, 40, 1000])
@pytest.mark.parametrize(("a", "b"), [(0, 30), (30, 0), (7, 30), (64, 3), (30, 90)])
def test_merged_windows_are_the_window_of_the_whole(window, a, b):
    first, second = remember(Weights, 1, Window(window)), remember(Weights, 1, Window(window))
    first.update(rows(0, a))
    for start in range(a, a + b, 4):
        second.update(rows(start, min(start + 4, a + b)))
    first.merge(second)
    assert sorted(first.summary.held) == list(range(max(0, a + b - window), a + b))
    first.update(rows(a + b, a + b + 3))
    assert sorted(first.summary.held) == list(range(max(0, a + b + 3 - window), a + b + 3))


def test_numbers_of_numpy_will_do():
    assert Fading(np.float64(0.5)) == Fading(0.5) == Fading(np.float32(0.5), every=np.int64(1))
    assert Fading.half_life(np.int64(1)) == Fading(0.5)


def test_half_life():
    weights = naive.fading_weights(101, Fading.half_life(100).alpha, 1)
    assert_allclose(weights[0], 0.5)


def test_alpha_one_takes_the_unfaded_path():
    assert type(remember(Weights, 1, Fading(1.0))) is type(remember(Weights, 1, None))


def test_merging_within_a_tick_is_refused():
    a, b = (remember(Moments, 2, Fading(0.5, every=10)) for _ in range(2))
    batch = Batch(np.ones((7, 2)), np.zeros(7))
    a.update(batch)
    b.update(batch)
    with pytest.raises(ValueError, match=r"rows seen \(7\) end within a tick of 10 rows"):
        a.merge(b)
    assert a.rows == 7


@pytest.mark.parametrize("alpha", [0, -1, 1.1, float("nan"), "0.9", None])
def test_bad_fading_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must lie above 0"):
        Fading(alpha)


@pytest.mark.parametrize("count", [0, -1, 2.5, True, "10", None])
def test_bad_row_counts_are_refused(count):
    with pytest.raises(ValueError, match="whole number of rows"):
        Window(count)
    with pytest.raises(ValueError, match="whole number of rows"):
        Fading(0.5, every=count)
    if not isinstance(count, float) and count is not True:
        with pytest.raises(ValueError, match="half-life is a positive number"):
            Fading.half_life(count)


def test_anything_else_is_no_memory():
    with pytest.raises(ValueError, match="None, a Fading or a Window"):
        Screening(memory=0.9).fit(np.eye(2), [0, 1])


def test_a_window_keeps_no_reference_and_refuses_whole_batches():
    sieve = Screening(memory=Window(10))
    X, y = np.random.default_rng(0).standard_normal((8, 2)), np.array([0, 1] * 4)
    sieve.partial_fit(X, y)
    before = sieve.scores_
    bad = X.copy()
    bad[5, 1] = np.inf
    with pytest.raises(ValueError, match="column 1 holds an infinity in row 5"):
        sieve.partial_fit(bad, y)
    X[:] = 0
    assert_array_equal(sieve.scores_, before)
    assert sieve.n_samples_seen_ == 8


def test_bytes_of_a_window_are_bounded_by_its_rows():
    sieve = Screening(memory=Window(100))
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        sieve.partial_fit(rng.standard_normal((50, 20)), rng.integers(0, 2, 50))
        sieve.scores_  # noqa: B018  (asking makes the summaries of the pieces)
        sizes.append(sieve.nbytes)
    pieces, per_row = 18, 20 * 8 + 8
    assert max(sizes) <= (100 + 7) * per_row + pieces * 24 * 2 * 20
    assert max(sizes[10:]) == max(sizes[30:])


def test_a_window_counts_the_classes_in_it():
    sieve = Screening(memory=Window(1500))
    for start in range(0, 3000, 100):  # never more than 1,000 in the window, but 1,200 in all
        y = start // 2 % 1200 + np.arange(100) // 4
        sieve.partial_fit(np.arange(200.0).reshape(100, 2), y)
    before, bytes_before = sieve.scores_, sieve.nbytes
    with pytest.raises(ValueError, match="more than 1000 classes"):
        sieve.partial_fit(np.zeros((1100, 2)), np.arange(5000, 6100))
    assert_array_equal(sieve.scores_, before)
    assert sieve.nbytes == bytes_before
    numeric = Screening(memory=Window(5000)).partial_fit(np.zeros((900, 2)), np.arange(900) / 7)
    with pytest.raises(ValueError, match="more than 1000 classes"):
        numeric.partial_fit(np.zeros((900, 2)), np.arange(900) / 11)
    assert numeric.n_samples_seen_ == 900
    assert len(numeric.classes_) == 900


def test_a_window_counts_its_classes_after_a_state_file_too(tmp_path):
    X = np.arange(1800.0).reshape(900, 2)
    Screening(memory=Window(5000)).partial_fit(X, np.arange(900)).save(tmp_path / "s")
    sieve = load(tmp_path / "s")
    with pytest.raises(ValueError, match="more than 1000 classes"):
        sieve.partial_fit(X, np.arange(900) + 1000)
    assert len(sieve.partial_fit(X, np.arange(900) + 50).classes_) == 950


def test_mixed_labels_survive_a_window(tmp_path):
    sieve = Screening(k=1, memory=Window(50))
    rng = np.random.default_rng(0)
    for labels in (["1", 1, (1, 2)], [True, b"1", "1"]):
        y = [labels[i] for i in rng.integers(0, 3, 20)]
        sieve.partial_fit(rng.standard_normal((20, 3)), y)
    sieve.save(tmp_path / "s")
    assert set(map(repr, load(tmp_path / "s").classes_)) == set(map(repr, sieve.classes_))
    assert_array_equal(load(tmp_path / "s").scores_, sieve.scores_)


def test_fading_for_an_expected_drift():
    """A tenth of the way on, a row counts half; at the end, a thousandth."""
    fading = Fading.for_drift(5_000)
    assert_allclose(fading.decay(np.array([0, 500, 5_000])), [1, 1 / 2, 1 / 1024])
    for rows in (0, -1, np.inf, np.nan, "x", None):
        with pytest.raises(ValueError, match="positive number of rows"):
            Fading.for_drift(rows)
