"""Which bins the values of a feature go to, once they were joined."""

import numpy as np
import pytest

from driftsieve import Batch
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles


@pytest.mark.parametrize("kind", [Quantiles, LevelQuantiles])
@pytest.mark.parametrize("epsilon", [0.2, 0.02])
def test_few_entries_of_many_values_are_binned_by_rank(kind, epsilon):
    """Nine in ten rows are zero, so that the others share the last bin, however few entries
    stand for them."""
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 1)) + 1
    X[rng.permutation(20_000)[:18_000]] = 0
    y = rng.integers(0, 2, 20_000)
    summary = kind(1, epsilon=epsilon)
    for i in range(0, 20_000, 1_000):
        summary.update(Batch(X[i : i + 1_000], y[i : i + 1_000]))
    tables = summary.tables(5)
    classes = [list(tables.classes).index(label) for label in (0, 1)]
    zero = X[:, 0] == 0
    expected = np.zeros((5, 2))
    expected[0] = np.bincount(y[zero])
    expected[4] = np.bincount(y[~zero])
    assert tables.table(0)[:, classes].tolist() == expected.tolist()
    assert tables.edges(0).tolist() == [0, 0, 0, 0, 0, X.max()]


@pytest.mark.parametrize("kind", [Quantiles, LevelQuantiles])
def test_a_value_of_nearly_all_rows_has_a_bin_to_itself(kind):
    """The bins between are empty and repeat the edge before them."""
    X = np.ones((1_000, 1))
    X[:100, 0] = np.arange(100) / 100
    y = np.arange(1_000) % 2
    summary = kind(1)
    summary.update(Batch(X, y))
    tables = summary.tables(5)
    assert tables.table(0).tolist() == [[50, 50], [0, 0], [0, 0], [0, 0], [450, 450]]
    assert tables.edges(0).tolist() == [0, 0.99, 0.99, 0.99, 0.99, 1]


@pytest.mark.parametrize("below", [0.17, 0.225, 0.235])
@pytest.mark.parametrize("seed", range(3))
def test_whether_a_value_is_alone_is_a_matter_of_ranks_within_epsilon(below, seed):
    """Most rows have the largest value; just how many, the summary knows within 2 epsilon."""
    epsilon, rows = 0.02, 20_000
    rng = np.random.default_rng(seed)
    X = np.where(np.arange(rows)[:, None] < below * rows, rng.random((rows, 1)), 1)
    rng.shuffle(X)
    summary = Quantiles(1, epsilon=epsilon)
    for i in range(0, rows, 1_000):
        summary.update(Batch(X[i : i + 1_000], np.arange(i, i + 1_000) % 2))
    tables = summary.tables(5)
    first, *between, last = tables.counts.sum(axis=1)
    if below < 0.2 - epsilon:  # no value but the largest can be said to reach a fifth
        assert first < 0.2 * rows
        assert sum(between) == 0
        assert last > 0.8 * rows
    else:  # some other value ends the first bin, at a fifth within epsilon
        edge = tables.edges(0)[1]
        assert abs((X[:, 0] <= edge).mean() - 0.2) <= epsilon
        assert last == 0
