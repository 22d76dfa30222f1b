"""GFW, MCFS and LaplacianScore: known answers, naive twins at every prefix, bad input, limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftsieve import GFW, MCFS, Fading, LaplacianScore, Threshold, Window, load
from driftsieve.state import StateError, load_state, save_state
from tests.naive import unsupervised as naive

# The windows are longer than the rows of the checks, which compare weights with repeated rows.
CONFIGURATIONS = [
    GFW(directions=2),
    GFW(k=2, directions=2, p=1, memory=Window(200)),
    LaplacianScore(),
    LaplacianScore(affinity="cosine", memory=Window(200)),
    MCFS(k=2, directions=2),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


def rows(seed=0, n=60, features=7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, features)) + 1
    X[rng.random(X.shape) < 0.3] = 0
    return X


TWINS = {
    "gfw": (GFW(directions=3), lambda X: naive.generalised_feature_weights(X, 3)),
    "gfw, alpha": (
        GFW(directions=2, alpha=0.7),
        lambda X: naive.generalised_feature_weights(X, 2, 0.7),
    ),
    "gfw, lasso": (
        GFW(k=4, directions=2, p=1),
        lambda X: naive.lasso_feature_weights(
            naive.unit(X), np.linalg.svd(naive.unit(X), full_matrices=False)[0][:, :2], 4
        ),
    ),
    "laplacian": (
        LaplacianScore(),
        lambda X: -naive.laplacian_score(X, naive.similarities(X, 5, "heat")),
    ),
    "laplacian, cosine": (
        LaplacianScore(neighbors=3, affinity="cosine"),
        lambda X: -naive.laplacian_score(X, naive.similarities(X, 3, "cosine")),
    ),
    "mcfs": (
        MCFS(directions=3, nonzero=4),
        lambda X: naive.multi_cluster_scores(X, 3, 4, naive.similarities(X, 5, "heat")),
    ),
    "mcfs, binary": (
        MCFS(k=2, directions=2, affinity="binary"),
        lambda X: naive.multi_cluster_scores(X, 2, 2, naive.similarities(X, 5, "binary")),
    ),
}


@pytest.mark.parametrize(("selector", "twin"), TWINS.values(), ids=TWINS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("window", [None, 30])
def test_at_every_prefix_it_is_its_naive_twin(selector, twin, form, window, clone_of):
    X = rows()
    sieve = clone_of(selector, memory=None if window is None else Window(window))
    for end in range(15, 61, 15):
        sieve.partial_fit(form(X[end - 15 : end]))
        seen = X[:end] if window is None else X[max(0, end - window) : end]
        assert_allclose(sieve.scores_, twin(seen), rtol=1e-6, atol=1e-12)


@pytest.fixture
def clone_of():
    return lambda selector, **changes: clone(selector).set_params(**changes)


def clusters(n=300):
    """Three clusters, each marked by a feature of its own, and four features that say nothing."""
    rng = np.random.default_rng(1)
    X = np.abs(rng.normal(0, 0.1, (n, 7)))
    X[np.arange(n), 2 + np.arange(n) % 3] += 1
    return X


@pytest.mark.parametrize(
    "selector",
    [
        GFW(k=3, directions=3),
        GFW(k=3, directions=3, p=1),
        LaplacianScore(k=3),
        MCFS(k=3, directions=2),
        MCFS(k=3, directions=2, affinity="cosine"),
    ],
    ids=repr,
)
def test_features_that_mark_clusters_are_found(selector):
    assert sorted(selector.fit(clusters()).selection_.names) == ["x2", "x3", "x4"]
    assert sorted(selector.fit(sparse.csr_array(clusters())).get_support(indices=True)) == [2, 3, 4]


def test_the_published_laplacian_score_is_smaller_for_better_features():
    sieve = LaplacianScore(k=3).fit(clusters())
    assert_array_equal(sieve.raw_scores_, -sieve.scores_)
    assert np.nanmax(sieve.raw_scores_[2:5]) < np.nanmin(sieve.raw_scores_[[0, 1, 5, 6]])


def test_parameters_but_the_memory_may_change_since_all_rows_are_there():
    X = rows()
    sieve = MCFS(k=2, directions=2).partial_fit(X[:40])
    sieve.set_params(directions=3, neighbors=4, affinity="binary").partial_fit(X[40:])
    fresh = MCFS(k=2, directions=3, neighbors=4, affinity="binary").fit(X)
    assert_array_equal(sieve.scores_, fresh.scores_)
    with pytest.raises(ValueError, match="memory was None when learning began"):
        sieve.set_params(memory=Window(5)).partial_fit(X)


def test_with_other_rules_a_path_lets_all_features_in():
    X = rows()
    whole = MCFS(k=Threshold(0.0), directions=2).fit(X).scores_
    assert_array_equal(whole, MCFS(k=7, directions=2).fit(X).scores_)
    assert np.sum(MCFS(k=1, directions=2).fit(X).scores_ > 0) <= 2


@pytest.mark.parametrize("kind", [GFW, MCFS, LaplacianScore])
def test_rows_cannot_fade(kind):
    with pytest.raises(ValueError, match=rf"{kind.__name__} keeps whole rows, which cannot fade"):
        kind(memory=Fading(0.9)).fit(rows())
    kind(memory=Fading(1.0)).fit(rows())  # forgets nothing


@pytest.mark.parametrize("kind", [GFW, MCFS, LaplacianScore])
@pytest.mark.parametrize("memory", [None, Window(50)])
def test_missing_cells_and_parts_of_rows_are_refused(kind, memory):
    X = rows()
    sieve = kind(memory=memory).fit(X)
    before = sieve.scores_
    bad = X.copy()
    bad[7, 3] = np.nan
    for form in (np.asarray, sparse.csr_array):
        said = rf"column 3 is missing \(NaN\) in row 7 of the batch, and {kind.__name__}"
        with pytest.raises(ValueError, match=said):
            sieve.partial_fit(form(bad))
    with pytest.raises(ValueError, match=r"sample weight of row 0 is 1\.5"):
        sieve.partial_fit(X, sample_weight=np.full(60, 1.5))
    assert_array_equal(sieve.scores_, before)
    assert sieve.n_samples_seen_ == 60


@pytest.mark.parametrize("kind", [GFW, MCFS, LaplacianScore])
def test_more_rows_than_memory_allows_are_refused_before_it_is_taken(kind):
    sieve = kind(max_bytes=100_000)
    X = np.random.default_rng(0).standard_normal((100, 100))
    sieve.partial_fit(X)
    with pytest.raises(ValueError, match=r"keeping its rows would take about 0.00016 GB where"):
        sieve.partial_fit(X)
    assert sieve.n_samples_seen_ == 100
    with pytest.raises(ValueError, match=r"scores of 100 rows would take about .* max_bytes"):
        sieve.scores_  # noqa: B018
    assert not np.isnan(sieve.set_params(max_bytes=10**8).scores_).any()
    windowed = kind(max_bytes=10**6, memory=Window(20))
    for _ in range(20):
        windowed.partial_fit(X)
    assert windowed.nbytes < 10**6


def test_a_weight_that_would_fill_the_memory_is_refused():
    with pytest.raises(ValueError, match="keeping its rows would take about"):
        GFW().fit(np.ones((1, 5)), sample_weight=[1e15])


@pytest.mark.parametrize("kind", [GFW, MCFS, LaplacianScore])
def test_what_is_estimated_is_not_less_than_what_is_taken(kind):
    """By the count of Python, which NumPy reports its arrays to; to within small objects."""
    import tracemalloc

    X = np.random.default_rng(0).standard_normal((600, 200))
    sieve = kind(directions=3).fit(X) if kind is not LaplacianScore else kind().fit(X)
    assert len(clone(sieve).fit(X).scores_) == 200  # imports
    tracemalloc.start()
    try:
        sieve.scores_  # noqa: B018
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < sieve._working_bytes(X) + 1e6


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        (GFW(directions=0), "directions must be a whole number of at least 1"),
        (GFW(p=3), r"p must be 1 \(lasso\) or 2 \(ridge\), not 3"),
        (GFW(p=True), "p must be 1"),
        (GFW(alpha=-1), r'alpha must be a positive number \(or "auto"\), not -1'),
        (GFW(alpha="none"), "alpha must be a positive number"),
        (GFW(nonzero=0), "nonzero must be a whole number"),
        (GFW(max_bytes="4GB"), "max_bytes must be a whole number"),
        (GFW(memory=5), "memory must be None"),
        (MCFS(directions=1.5), "directions must be a whole number"),
        (MCFS(nonzero=-2), "nonzero must be a whole number"),
        (MCFS(neighbors=0), "neighbors must be a whole number"),
        (LaplacianScore(affinity="hot"), "affinity must be one of heat, binary, cosine"),
        (LaplacianScore(bandwidth=0), r"bandwidth must be a positive number \(or None\), not 0"),
        (LaplacianScore(bandwidth=np.inf), "bandwidth must be a positive number"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(selector, said):
    with pytest.raises(ValueError, match=said):
        selector.fit(rows())
    assert not selector.__sklearn_is_fitted__()


def test_too_few_rows_say_nothing_and_do_no_harm():
    for kind in (GFW, MCFS, LaplacianScore):
        assert np.isnan(kind().fit(rows(n=1)).scores_).all()
        assert kind().fit(rows(n=2)).scores_.shape == (7,)
        assert np.isnan(kind().fit(np.ones((9, 3))).scores_).all()


X = rows(n=30, features=4)

FORGERIES = {
    "missing cells": (np.asarray, lambda rows: rows["X"].__setitem__((2, 1), np.nan)),
    "infinities": (np.asarray, lambda rows: rows["X"].__setitem__((2, 1), np.inf)),
    "columns": (np.asarray, lambda rows: rows.update(X=rows["X"][:, :3].copy())),
    "type": (np.asarray, lambda rows: rows.update(X=rows["X"].astype(int))),
    "places": (sparse.csr_array, lambda rows: rows.update(indices=rows["indices"] + 2)),
    "ends": (sparse.csr_array, lambda rows: rows.update(indptr=rows["indptr"][::-1].copy())),
    "weights": (np.asarray, lambda rows: rows.update(weight=np.full(30, 0.5))),
}


@pytest.mark.parametrize(("form", "forge"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_state_is_refused(form, forge, tmp_path):
    path = tmp_path / "a.sieve"
    MCFS(k=2, directions=2).fit(form(X)).save(path)
    kind, state = load_state(path)
    save_state(path, kind, state)
    assert load(path).n_samples_seen_ == 30
    forge(state["learnt"]["summary"]["rows"])
    save_state(path, kind, state)
    with pytest.raises(StateError, match=r"a\.sieve does not hold a valid MCFS: "):
        load(path)


def test_a_lasso_with_a_penalty_on_wide_rows_looks_at_few_of_them():
    """The Gram matrix of all 3,000 features would take 72 MB, and a path through all 360."""
    X = np.abs(np.random.default_rng(2).standard_normal((40, 3000)))
    sieve = GFW(directions=2, p=1, alpha=0.05, max_bytes=40 * 10**6).fit(X)
    assert 0 < np.sum(sieve.scores_ > 0) < 80
