"""K-means and NMI: the measure itself, over numbers of features, on a stream and over time."""

from math import log, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import GFW, Batch, Screening, Window
from driftsieve.evaluation.clustering import (
    Early,
    clustering_nmi,
    nmi_by_number,
    nmi_over_time,
    streaming_nmi,
)


def naive_nmi(a, b):
    """Strehl & Ghosh (2003), eq. 3, by loops over pairs of values."""
    n = len(a)

    def share(values):
        return [sum(v == w for v in values) / n for w in set(values)]

    mutual = 0.0
    for x in set(a):
        for y in set(b):
            both = sum(u == x and v == y for u, v in zip(a, b)) / n
            if both:
                mutual += both * log(both * n * n / (a.count(x) * b.count(y)))
    entropies = [-sum(p * log(p) for p in share(v)) for v in (a, b)]
    return mutual / sqrt(entropies[0] * entropies[1])


def clusters(n=120, far=10.0, seed=0):
    """Three classes: column 1 tells "a" from the others, column 3 "b"; the others tell nothing."""
    rng = np.random.default_rng(seed)
    y = rng.choice(np.array(["a", "b", "c"]), n)
    X = rng.standard_normal((n, 6))
    X[:, 1] += far * (y == "a")
    X[:, 3] += far * (y == "b")
    return X, y


def test_clusters_that_are_the_classes_have_one_and_scrambled_ones_little():
    X, y = clusters()
    assert_allclose(clustering_nmi(X[:, [1, 3]], y, repeats=3), 1.0)
    assert clustering_nmi(X[:, [0, 2]], y).max() < 0.2
    assert_allclose(clustering_nmi(sparse.csr_array(X[:, [1, 3]]), y), 1.0)


def test_the_measure_is_that_of_strehl_and_ghosh():
    """In one dimension with two clusters, K-means finds the halves, and the rest is counting."""
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3]])
    labels = ["u", "u", "v", "v", "v", "w", "v"]
    halves = ["low"] * 3 + ["high"] * 4
    expected = naive_nmi(labels, halves)
    assert 0.1 < expected < 0.9
    assert_allclose(clustering_nmi(X, labels, clusters=2, repeats=4), expected)


def test_where_there_is_one_class_or_one_cluster_it_is_undefined():
    X, y = clusters()
    assert np.isnan(clustering_nmi(X, np.zeros(120), clusters=3)).all()
    assert np.isnan(clustering_nmi(X, y, clusters=1)).all()
    assert np.isnan(clustering_nmi(np.ones((120, 2)), y)).all()
    assert np.isnan(streaming_nmi(X, np.zeros(120), clusters=2)).all()


def test_the_same_seed_gives_the_same_and_another_one_other_starts():
    X, y = clusters(far=2.0)
    first = clustering_nmi(X, y, repeats=6)
    assert_array_equal(clustering_nmi(X, y, repeats=6), first)
    assert_array_equal(clustering_nmi(X, y, repeats=3, random_state=3), first[3:])
    assert len(set(first)) > 1


def test_over_numbers_of_features_the_best_are_taken_first():
    X, y = clusters()
    scores = np.array([0.1, 5.0, np.nan, 4.0, 0.0, -1.0])
    table = nmi_by_number(X, y, scores, [1, 2, 100], repeats=2)
    assert table.columns == ["features", "repeat", "nmi"]
    assert table["features"].to_list() == [1, 1, 2, 2, 100, 100]
    found = table["nmi"].to_numpy().reshape(3, 2)
    assert_array_equal(found[0], clustering_nmi(X[:, [1]], y, repeats=2))
    assert_allclose(found[1], 1.0)
    assert_array_equal(found[2], clustering_nmi(X[:, [0, 1, 3, 4, 5]], y, repeats=2))
    nothing = nmi_by_number(X, y, np.full(6, np.nan), [2], repeats=2)
    assert nothing["nmi"].is_nan().all()


def test_k_means_on_a_stream_sees_rows_once_and_finds_plain_clusters():
    X, y = clusters(n=400, far=30.0)
    assert streaming_nmi(X[:, [1, 3]], y, batch_size=50).max() > 0.95
    assert streaming_nmi(sparse.csr_array(X), y, batch_size=1, repeats=1).shape == (1,)
    assert streaming_nmi(X[:4], y[:4], clusters=4, batch_size=1000, repeats=1).shape == (1,)


def drifting(rows=600, batch=70):
    """A stream whose two classes are told apart by column 0 at first, then by column 1."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, rows)
    X = np.abs(rng.normal(0, 0.1, (rows, 4)))
    place = (np.arange(rows) >= 300).astype(int)
    X[np.arange(rows), place] += 3 * y
    return [Batch(X[i : i + batch], y[i : i + batch]) for i in range(0, rows, batch)]


def over_time(batches, **options):
    selectors = {
        "window": Screening("fisher", k=1, memory=Window(100)),
        "early": Early(Screening("fisher", k=1), 200),
        "all": None,
    }
    return nmi_over_time(batches, selectors, every=100, recent=100, **options)


def test_over_time_a_selection_that_follows_beats_an_early_one():
    table = over_time(drifting())
    assert table["rows"].unique().sort().to_list() == [100, 200, 300, 400, 500, 600]
    of = {name: t["nmi"].to_numpy() for (name,), t in table.group_by("selector")}
    assert_allclose(of["window"][:3], 1.0)
    assert_allclose(of["early"][:3], 1.0)
    assert of["window"][-1] == 1.0
    assert of["early"][-1] < 0.2
    assert table.filter(table["selector"] == "all")["features"].to_list() == [4] * 6


def test_over_time_batching_does_not_matter():
    whole = over_time(drifting(batch=600))
    assert whole.equals(over_time(drifting(batch=70)))
    assert whole.equals(over_time(drifting(batch=1)))
    assert not whole.equals(over_time(drifting(), random_state=9, unit=True))


def test_selectors_of_scikit_learn_and_empty_selections_take_part():
    class First:
        def partial_fit(self, X, y):
            return self

        def get_support(self):
            return np.array([True, False, False, False])

    nothing = GFW(k=3)
    batches = [Batch(np.ones((50, 4)), np.arange(50) % 2)]
    table = nmi_over_time(batches, {"first": First(), "gfw": nothing}, every=50)
    assert table["features"].to_list() == [1, 0]
    assert np.isnan(table["nmi"][1])


def test_an_early_selection_has_seen_exactly_the_first_rows():
    early = Early(Screening("t", k=1), 100)
    for batch in drifting():
        early.learn(batch)
    assert early.selector.n_samples_seen_ == 100
    assert early.selection_.step == 100


X, Y = clusters(20)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: clustering_nmi(X, None), "labels are needed"),
        (lambda: clustering_nmi(X, Y[:3]), "X has 20 rows but y has 3 labels"),
        (lambda: clustering_nmi(X, Y, clusters=0), "clusters must be a whole number"),
        (lambda: clustering_nmi(X, Y, clusters=21), "20 rows, too few for 21 clusters"),
        (lambda: clustering_nmi(X, Y, repeats=0), "repeats must be a whole number"),
        (lambda: clustering_nmi(np.full((2, 2), np.nan), [1, 2]), r"column 0 is missing \(NaN\)"),
        (lambda: clustering_nmi(np.full((2, 2), np.inf), [1, 2]), "column 0 holds an infinity"),
        (lambda: nmi_by_number(X, Y, np.ones(5), [1]), r"X has 6 features, but scores has \(5,\)"),
        (lambda: nmi_by_number(X, Y, np.ones(6), [0]), "a number of features must be"),
        (lambda: streaming_nmi(X, Y, batch_size=0), "batch_size must be a whole number"),
        (lambda: nmi_over_time([Batch(X)], {}), "the stream gives no labels"),
        (lambda: nmi_over_time([], {}, every=0), "every must be a whole number"),
        (lambda: Early(Screening(), 0), "rows must be a whole number"),
    ],
)
def test_bad_input_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
