"""T and Fisher scores against exact arithmetic, SciPy and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.feature_selection import f_classif

from driftsieve import Batch, Fading, Screening, Window
from driftsieve.scores.moments import fisher, t
from driftsieve.summaries.moments import Moments
from tests.naive import moments as naive


def summarised(X, y, weight=None):
    summary = Moments(X.shape[1])
    summary.update(Batch(X, y, weight))
    return summary


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_their_naive_twins(classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, 60)
    X = rng.standard_normal((60, 4)) + y[:, None] * [0, 0.5, 1, 100]
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.random(60)
    summary = summarised(X, y, weight)
    for score, twin in ((t, naive.t), (fisher, naive.fisher)):
        expected = [twin(X[:, j], y.tolist(), weight) for j in range(4)]
        assert_allclose(score(summary), expected, rtol=1e-10)


def test_t_is_welchs_up_to_the_denominator_of_the_variance():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((40, 3)), rng.standard_normal((25, 3)) * 2 + 1
    found = t(summarised(np.vstack([a, b]), np.r_[np.zeros(40), np.ones(25)]))
    # SciPy divides by n - 1; tell it the variances and sizes that give the same quotient.
    expected = stats.ttest_ind_from_stats(
        a.mean(0), np.sqrt(a.var(0)), 40, b.mean(0), np.sqrt(b.var(0)), 25, equal_var=False
    )
    assert_allclose(found, np.abs(expected.statistic))


def test_fisher_is_the_f_statistic_over_its_degrees_of_freedom():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 200)
    X = rng.standard_normal((200, 5)) + y[:, None] * np.arange(5)
    assert_allclose(fisher(summarised(X, y)) * (200 - 4) / (4 - 1), f_classif(X, y)[0])


@pytest.mark.parametrize("score", [t, fisher])
def test_undefined_and_infinite(score):
    y = np.array([0, 0, 1, 1])
    X = np.array([[0.1, 1.0, 5.0], [0.1, 1.0, np.nan], [0.1, 2.0, np.nan], [0.1, 2.0, np.nan]])
    constant, separator, one_sided = score(summarised(X, y))
    assert np.isnan(constant), "no variance and no difference"
    assert separator == np.inf, "no variance and a difference"
    assert np.isnan(one_sided), "one class has no value"
    assert np.isnan(score(Moments(2))).all(), "nothing seen"


@pytest.mark.parametrize("score", [t, fisher])
def test_values_too_small_to_square_are_undefined(score):
    X = np.array([[1e-300], [2e-300], [5e-300]])
    assert np.isnan(score(summarised(X, np.array([0, 1, 1])))).all()


@pytest.mark.parametrize(
    ("memory", "weights"),
    [
        (Fading(0.9), lambda n: naive.fading_weights(n, 0.9, 1)),
        (Fading(0.5, every=7), lambda n: naive.fading_weights(n, 0.5, 7)),
        (Fading.half_life(10), lambda n: naive.fading_weights(n, 0.5**0.1, 1)),
        (Window(12), lambda n: naive.window_weights(n, 12)),
        (Window(1), lambda n: naive.window_weights(n, 1)),
        (Window(40), lambda n: naive.window_weights(n, 40)),
    ],
    ids=["alpha 0.9", "every 7", "half-life 10", "window 12", "window 1", "window 40"],
)
@pytest.mark.parametrize("size", [1, 5])
def test_remembered_scores_equal_naive_row_weights_at_every_prefix(memory, weights, size):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 60)
    X = rng.standard_normal((60, 2)) + y[:, None]
    X[rng.random(X.shape) < 0.1] = np.nan
    sieve = Screening("fisher", k=1, memory=memory)
    for n in range(size, 61, size):
        sieve.partial_fit(X[n - size : n], y[n - size : n])
        expected = [naive.fisher(X[:n, j], y[:n].tolist(), weights(n)) for j in range(2)]
        assert_allclose(sieve.scores_, expected, rtol=1e-9)
