"""FSDS beside the obvious way, beside its offline relative, and on streams that change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftsieve import FSDS, Fading, Fourier, Hysteresis, Window, load
from driftsieve.state import StateError, load_state, save_state
from driftsieve.summaries.sketch import STEP
from tests.naive import fsds as naive
from tests.naive.unsupervised import generalised_feature_weights, unit
from tests.selectors.test_sklearn import CLOCK_COUNTS_ROWS

CONFIGURATIONS = [
    FSDS(),
    FSDS(k=1, directions=2, sketch_size=5, alpha=1.0),
    FSDS(memory=Fading(0.9)),
    FSDS(memory=Window(60)),
    FSDS(missing="zero", k=Hysteresis(2, slack=1, every=20)),
    FSDS(kernel=Fourier(8)),
]


@parametrize_with_checks(
    CONFIGURATIONS,
    expected_failed_checks=lambda one: CLOCK_COUNTS_ROWS if isinstance(one.memory, Fading) else {},
)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


def clusters(rows=600, features=20, matter=(2, 7, 11), seed=0):
    """Points around centres that differ in the features that matter."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((len(matter), features))
    centres[np.arange(len(matter)), matter] = 4.0
    return centres[rng.integers(0, len(matter), rows)] + 0.7 * rng.standard_normal((rows, features))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_features_that_tell_clusters_apart_are_found(form):
    sieve = FSDS(k=3, directions=3).fit(form(clusters()))
    assert set(sieve.selection_.indices) == {2, 7, 11}
    assert sieve.transform(form(clusters())).shape == (600, 3)


@pytest.mark.parametrize("size", [3, 6, 12])
def test_it_is_algorithm_2_at_the_end_of_every_batch(size):
    X = clusters(rows=5 * STEP)
    batches = []
    sieve = FSDS(directions=3, sketch_size=size, alpha=2.0)
    for lo in range(0, len(X), STEP):
        sieve.partial_fit(X[lo : lo + STEP])
        batches.append(unit(X[lo : lo + STEP]).T)
        expected = naive.stream_feature_weights(batches, size + 1, 3, 2.0)
        assert_allclose(sieve.scores_, expected, rtol=1e-7)


SHAPES = st.tuples(st.integers(3, 60), st.integers(2, 12))


@settings(deadline=None)
@given(SHAPES, st.integers(1, 4), st.floats(0.01, 100) | st.just("auto"), st.integers(0, 99))
def test_with_as_many_directions_as_features_it_is_the_offline_way(shape, k, alpha, seed):
    X = np.random.default_rng(seed).standard_normal(shape) * 0.8 ** np.arange(shape[1])
    k = min(k, *shape)
    sieve = FSDS(directions=k, sketch_size=max(shape), alpha=alpha).fit(X)
    expected = generalised_feature_weights(X, k, None if alpha == "auto" else alpha)
    assert_allclose(sieve.scores_, expected, rtol=1e-6)


def test_the_error_falls_as_the_sketch_grows():
    """The direction of Theorem 3.1, until there is nothing left to lose."""
    X = np.random.default_rng(0).standard_normal((6000, 40)) * 0.9 ** np.arange(40)
    exact = generalised_feature_weights(X, 4)
    errors = []
    for size in (5, 8, 12, 20, 40):
        sieve = FSDS(directions=4, sketch_size=size).fit(X)
        errors.append(np.linalg.norm(sieve.scores_ - exact) / np.linalg.norm(exact))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9 < errors[0]


def test_new_clusters_come_into_view_when_the_past_is_forgotten():
    before, after = clusters(3000, matter=(2, 7, 11)), clusters(3000, matter=(4, 5, 16), seed=1)
    for memory in (Fading.half_life(300), Fading(0.5, every=500), Window(900)):
        sieve = FSDS(k=3, directions=3, memory=memory).partial_fit(before)
        assert set(sieve.selection_.indices) == {2, 7, 11}
        assert set(sieve.partial_fit(after).selection_.indices) == {4, 5, 16}
    assert len(set(FSDS(k=6, directions=6).fit(np.r_[before, after]).selection_.indices)) == 6


def test_a_column_that_never_varied_has_no_score():
    X = clusters()
    X[:, 3], X[:, 9] = 0.0, 50.0
    for form in (np.asarray, sparse.csr_array):
        scores = FSDS(directions=3).fit(form(X)).scores_
        assert_array_equal(np.flatnonzero(np.isnan(scores)), [3, 9])


def test_missing_values_are_refused_or_count_as_zeros():
    X = clusters()
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    sieve = FSDS().fit(X)
    scores = sieve.scores_
    for memory in (None, Window(50)):
        with pytest.raises(ValueError, match=r"is missing \(NaN\) in row 0"):
            FSDS(memory=memory).fit(holes)
    with pytest.raises(ValueError, match=r"is missing \(NaN\) in row 0"):
        sieve.partial_fit(holes)
    assert_array_equal(sieve.scores_, scores)
    filled = FSDS(missing="zero").fit(holes)
    assert_allclose(filled.scores_, FSDS().fit(np.nan_to_num(holes)).scores_)


def test_words_may_come_and_go():
    rows = [{"to": 1, "be": 2}, {"or": 1}, {"not": 1, "to": 1}, {"be": 1, "or": 2}]
    sieve = FSDS(k=2, missing="zero", features="open")
    for row in rows:
        sieve.partial_fit([row])
    table = np.array([[1, 2, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 2, 0.0]])
    whole = FSDS(missing="zero", sketch_size=100).fit(np.where(table == 0, np.nan, table))
    together = FSDS(sketch_size=100).fit(table)
    order = [list(sieve.feature_names_in_).index(word) for word in ("to", "be", "or", "not")]
    assert_allclose(sieve.sketch_.directions()[1], together.sketch_.directions()[1], atol=1e-12)
    assert_allclose(sieve.scores_[order], whole.scores_)
    with pytest.raises(ValueError, match='FSDS\\(missing="zero"\\) counts what is missing as zero'):
        FSDS(features="open").partial_fit([{"to": 1.0}]).partial_fit([{"to": 1.0, "be": 2.0}])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"directions": 0}, "directions must be a whole number of at least 1"),
        ({"directions": 2.5}, "directions must be a whole number"),
        ({"sketch_size": 9}, "a sketch of 9 directions has not 10 of them"),
        ({"sketch_size": "large"}, "sketch_size must be a whole number"),
        ({"alpha": -1}, 'alpha must be "auto" or a number of at least 0, not -1'),
        ({"alpha": float("nan")}, 'alpha must be "auto"'),
        ({"alpha": "automatic"}, 'alpha must be "auto"'),
        ({"alpha": True}, 'alpha must be "auto"'),
        ({"missing": "ignore"}, 'missing must be "raise" or "zero"'),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"memory": 7}, "memory must be None, a Fading or a Window"),
        ({"features": "ajar"}, "features must be"),
        ({"k": 0}, "k must be a whole number"),
    ],
)
def test_bad_parameters_are_refused_when_learning_begins(parameters, words):
    sieve = FSDS(**parameters)
    with pytest.raises(ValueError, match=words):
        sieve.partial_fit(clusters())
    assert not sieve.__sklearn_is_fitted__()


def test_parameters_that_may_and_may_not_change():
    sieve = FSDS(k=3, directions=3).fit(clusters())
    first = sieve.scores_
    sieve.set_params(alpha=100.0, k=5)
    assert len(sieve.selection_) == 5
    assert (sieve.scores_ < first).all()
    with pytest.raises(ValueError, match="directions was 3 when learning began and is 4 now"):
        sieve.set_params(directions=4).partial_fit(clusters())


def test_a_state_file_goes_on(tmp_path):
    X = clusters(3 * STEP + 10)
    for form in (np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)):
        for memory in (None, Fading(0.999), Window(700)):
            sieve = FSDS(directions=3, sketch_size=5, memory=memory).partial_fit(form(X[:2500]))
            sieve.save(tmp_path / "a.sieve")
            again = load(tmp_path / "a.sieve").partial_fit(form(X[2500:]))
            assert_array_equal(again.scores_, sieve.partial_fit(form(X[2500:])).scores_)


def summary(state):
    return state["learnt"]["summary"]


FORGERIES = {
    "directions": lambda s: summary(s).update(known=summary(s)["known"][:, 1:]),
    "not finite": lambda s: summary(s)["known"].__setitem__(0, np.nan),
    "spare": lambda s: summary(s).update(spare=np.zeros((20, 99))),
    "size": lambda s: summary(s).update(size=10**9),
    "size that fits": lambda s: summary(s).update(size=4, known=np.zeros((20, 4)), spare=None),
    "features": lambda s: summary(s).update(n_features=10**9),
    "unit": lambda s: summary(s).update(unit=False),
    "seed": lambda s: summary(s).update(seed=-1),
    "scale": lambda s: summary(s)["numbers"].__setitem__(0, 0.0),
    "energy": lambda s: summary(s)["numbers"].__setitem__(1, float("nan")),
    "steps": lambda s: summary(s).update(steps=0.5),
    "rows": lambda s: summary(s)["rows"]["batches"][0].update(X=np.zeros((3, 19))),
    "factors": lambda s: summary(s)["rows"]["batches"][0].update(weight=-np.ones(10)),
    "too many rows": lambda s: summary(s)["rows"].update(
        batches=summary(s)["rows"]["batches"] * 101
    ),
    "varied": lambda s: summary(s)["varied"].update(least=np.zeros(3)),
    "more directions than the sketch has": lambda s: s["parameters"].update(directions=6),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_state_is_refused(forge, tmp_path):
    path = tmp_path / "a.sieve"
    FSDS(directions=3, sketch_size=5).fit(clusters(STEP + 10)).save(path)
    kind, state = load_state(path)
    save_state(path, kind, state)
    assert load(path).n_samples_seen_ == STEP + 10
    forge(state)
    save_state(path, kind, state)
    with pytest.raises(StateError, match=r"a\.sieve does not hold a valid FSDS: "):
        load(path)


def test_sketches_of_different_sizes_are_not_merged():
    with pytest.raises(ValueError, match="sketch_size differs: 12 here, None there"):
        FSDS(sketch_size=12).fit(clusters()).merge(FSDS().fit(clusters()))
