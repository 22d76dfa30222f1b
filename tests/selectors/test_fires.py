"""FIRES with linear models beside its naive twin, the paper's properties, and odd input."""

import os

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import log_ndtr

from driftsieve import FIRES, Hysteresis, load
from driftsieve.batch import Batch
from driftsieve.selectors.fires import feature_weights
from driftsieve.selectors.models.glm import GaussianGLM, ProbitGLM
from tests.naive import fires as naive

P = 4


def rows(seed, n=45, classes=("no", "yes"), late=()):
    """Rows with missing cells and zeros; the `late` classes come in the last third only."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, P)).round(3) * [1, 3, 0.1, 1]
    X[rng.random(X.shape) < 0.2] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 2.0
    y = np.empty(n, dtype=object)
    y[:] = [classes[int(i)] for i in rng.integers(0, len(classes), n)]
    for i in range(2 * n // 3, n):
        if late and rng.random() < 0.5:
            y[i] = late[int(rng.integers(len(late)))]
    return X, y, rng.integers(0, 4, n) / 2.0


STREAMS = {
    "two classes": {"classes": ("no", "yes")},
    "booleans": {"classes": (False, True)},
    "signs": {"classes": (1, -1)},
    "three classes": {"classes": ("a", 2, (3, "c"))},
    "a class that comes later": {"classes": ("a", "b"), "late": ("c", "d")},
    "one class for long": {"classes": ("a",), "late": ("b",)},
}


@pytest.mark.parametrize("step", [1, 4, 10, 100])
@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("name", STREAMS)
def test_the_probit_model_equals_its_naive_twin_at_every_prefix(name, form, step):
    X, y, weight = rows(len(name), **STREAMS[name])
    X = X.astype(np.float32) if form == "float32" else X
    twin = naive.Linear(P, step, rate=0.2, penalty=0.3)
    sieve = FIRES(k=2, step=step, learning_rate=0.2, penalty=0.3)
    make = sparse.csr_array if form == "sparse" else np.asarray
    for lo, hi in ((0, 1), (1, 2), (2, 9), (9, 20), (20, 33), (33, 34), (34, 45)):
        sieve.partial_fit(make(X[lo:hi]), y[lo:hi], weight[lo:hi])
        for row in range(lo, hi):
            twin.learn(X[row].tolist(), y[row], weight[row])
        importance, uncertainty, weights = twin.answers()
        assert_allclose(sieve.importance_, importance, rtol=1e-9)
        assert_allclose(sieve.uncertainty_, uncertainty, rtol=1e-9)
        assert_allclose(sieve.scores_, weights, rtol=1e-9)
        assert sieve.classes_ == twin.labels
    assert np.isnan(sieve.scores_[3])
    assert not np.isnan(sieve.scores_[:3]).any()


@pytest.mark.parametrize("step", [1, 7, 100])
def test_the_gaussian_model_equals_its_naive_twin_at_every_prefix(step):
    X, _, weight = rows(3)
    y = np.nan_to_num(X) @ [1, -0.5, 0, 0] + 0.3
    twin = naive.Linear(P, step, rate=0.1, penalty=0.01, numbers=True)
    sieve = FIRES("gaussian", k=2, step=step, learning_rate=0.1)
    for lo, hi in ((0, 3), (3, 20), (20, 45)):
        sieve.partial_fit(X[lo:hi], y[lo:hi], weight[lo:hi])
        for row in range(lo, hi):
            twin.learn(X[row].tolist(), y[row], weight[row])
        importance, uncertainty, weights = twin.answers()
        assert_allclose(sieve.importance_, importance, rtol=1e-9)
        assert_allclose(sieve.uncertainty_, uncertainty, rtol=1e-9)
        assert_allclose(sieve.scores_, weights, rtol=1e-9)
    with pytest.raises(AttributeError, match="no classes"):
        sieve.classes_  # noqa: B018


# The gradients are those of the marginal likelihood (eq. 2, 3).

NUMBER = st.floats(-3, 3).map(lambda x: round(x, 3))
DEVIATION = st.floats(0.05, 2.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(NUMBER, NUMBER, DEVIATION), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from(["probit", "gaussian"]),
)
def test_gradients_are_those_of_the_integral(cells, positive, kind):
    x, mu, sigma = (np.array(values) for values in zip(*cells))
    model = ProbitGLM() if kind == "probit" else GaussianGLM()
    target = (0 if positive else 1) if kind == "probit" else (1.3 if positive else -0.4)
    y = np.array([target])
    g, h = model.gradient([mu[None]], [sigma[None]], Batch(x[None], y), None)
    likelihood = naive.probit_likelihood if kind == "probit" else naive.gaussian_likelihood
    told = (1 if positive else -1) if kind == "probit" else target

    def log_likelihood(mu, sigma):
        return np.log(likelihood(x, told, mu, sigma))

    for j in range(len(x)):
        by = np.zeros(len(x))
        by[j] = 1e-5
        up = (log_likelihood(mu + by, sigma) - log_likelihood(mu - by, sigma)) / 2e-5
        out = (log_likelihood(mu, sigma + by) - log_likelihood(mu, sigma - by)) / 2e-5
        assert_allclose([g[0][0, j], h[0][0, j]], [up, out], rtol=1e-4, atol=1e-5)


# Properties 1 to 3 of the paper.

WEIGHED = st.tuples(st.floats(0, 100), st.floats(1e-10, 100))


@given(st.floats(1e-10, 1e3), st.floats(0, 1e3))
def test_weights_are_attentive(sigma, penalty):
    """Property 1: what has no importance has no weight above zero."""
    assert feature_weights(np.zeros(1), np.array([sigma]), penalty)[0] <= 0


@given(WEIGHED, WEIGHED, st.sampled_from([0.01, 0.5, 3.0]))
def test_weights_are_monotonic(one, other, penalty):
    """Property 2: they grow with importance, and fall with uncertainty."""
    (m, s), (n, t) = one, other
    if abs(s - t) > 1e-6 * max(s, t):  # apart by more than rounding beside μ² hides
        low, high = feature_weights(np.array([m, m]), np.array([max(s, t), min(s, t)]), penalty)
        assert low < high or (low == high and penalty * abs(s**2 - t**2) < 1e-15 * m**2)
    if abs(m - n) > 1e-6 * max(m, n):
        low, high = feature_weights(np.array([min(m, n), max(m, n)]), np.array([s, s]), penalty)
        assert low < high or (low == high and abs(m**2 - n**2) < 1e-15 * penalty * s**2)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["glm", "gaussian"]))
def test_weights_are_consistent(seed, model):
    """Property 3: where the target's distribution stays, the ranking comes to stay."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 5))
    worth = rng.permutation([0.0, 0.7, 1.4, 2.1, 2.8])
    y = X @ worth + rng.standard_normal(60)
    sieve = FIRES(model, k=2, step=60, learning_rate=1.0)
    rankings = []
    for turn in range(2000):
        sieve.partial_fit(X, y > 0 if model == "glm" else y)
        if turn >= 1500:
            rankings.append(tuple(sieve.ranking_))
    assert len(set(rankings)) == 1


def test_what_matters_is_found():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 30))
    y = X[:, 3] - X[:, 17] + 0.5 * rng.standard_normal(3000)
    for scaling in (None, "minmax", "standard"):
        sieve = FIRES(k=2, scaling=scaling).fit(X, np.where(y > 0, "up", "down"))
        assert sorted(sieve.selection_.names) == ["x17", "x3"]
        sieve = FIRES("gaussian", k=2, scaling=scaling).fit(X, y)
        assert sorted(sieve.selection_.names) == ["x17", "x3"]


def test_a_step_of_the_paper_is_a_batch():
    """Algorithm 1: a step moves by the mean gradient of a batch."""
    rng = np.random.default_rng(1)
    X, y = rng.random((25, 6)), rng.integers(0, 2, 25)
    sieve = FIRES(step=25, learning_rate=0.01).fit(X, y)
    # At μ = 0 every φ/Φ is √(2/π), and σ does not move.
    rho = np.sqrt(1 + (X**2).sum(axis=1))
    sign = np.where(y == y[0], 1, -1)
    expected = 0.01 * np.sqrt(2 / np.pi) * np.mean((sign / rho)[:, None] * X, axis=0)
    assert_allclose(sieve.importance_, np.abs(expected), rtol=1e-12)
    assert_array_equal(sieve.uncertainty_, np.ones(6))
    assert_allclose(sieve.scores_, (expected**2 - 0.01) / 0.02, rtol=1e-12)


# What was learnt, whatever the form of the rows and the time of the question.


def test_asking_decides_nothing():
    X, y, weight = rows(5)
    asked, silent = FIRES(k=2, step=20), FIRES(k=2, step=20)
    for row in range(len(X)):
        asked.partial_fit(X[row : row + 1], y[row : row + 1], weight[row : row + 1])
        assert asked.scores_.shape == (P,)
        assert asked.nbytes <= asked.most_bytes
    silent.partial_fit(X, y, weight)
    assert_array_equal(asked.scores_, silent.scores_)
    assert_array_equal(asked.uncertainty_, silent.uncertainty_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_state_holds_the_rows_that_wait(form, tmp_path):
    X, y, _ = rows(6, n=45, **STREAMS["a class that comes later"])
    for stop in (3, 20, 33, 40):
        sieve = FIRES(k=2, step=20, scaling="minmax").partial_fit(form(X[:stop]), y[:stop])
        sieve.save(tmp_path / "a.sieve")
        again = load(tmp_path / "a.sieve")
        assert again.get_params() == sieve.get_params()
        for one in (sieve, again):
            one.partial_fit(form(X[stop:]), y[stop:])
        assert_array_equal(again.scores_, sieve.scores_)
        assert again.classes_ == sieve.classes_


def test_models_travel_in_state_files(tmp_path):
    X, _, _ = rows(6)
    for model in ("glm", ProbitGLM(), GaussianGLM()):
        sieve = FIRES(model, random_state=None).fit(X, np.arange(45) % 2)
        sieve.save(tmp_path / "a.sieve")
        assert load(tmp_path / "a.sieve").model == model


def test_new_features_start_from_the_prior():
    X, y, _ = rows(7)
    table = pl.DataFrame(np.nan_to_num(X), schema=list("abcd"))
    sieve = FIRES(k=2, step=5, features="open", learning_rate=0.5)
    sieve.partial_fit(table[:22, ["a", "b"]], y[:22])
    before = sieve.uncertainty_
    sieve.partial_fit(table[22:23, ["c", "a"]].head(0), y[:0])
    assert_array_equal(sieve.uncertainty_, [*before, 1.0])
    assert sieve.importance_[2] == 0
    assert np.isnan(sieve.scores_[2])
    sieve.partial_fit(table[22:], y[22:])
    assert sieve.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert sieve.importance_[2] > 0


# Bad and odd input.

X, Y, _ = rows(8)


def test_one_class_so_far_has_no_scores():
    sieve = FIRES(k=2, step=10).partial_fit(X, ["only"] * 45)
    assert np.isnan(sieve.scores_).all()
    assert len(sieve.selection_) == 0
    sieve.partial_fit(X[:1], ["other"])
    assert not np.isnan(sieve.scores_[:3]).any()
    assert np.isnan(FIRES("gaussian").fit(X, np.ones(45)).scores_).all()


LABELS = {
    "strings": np.array(["b", "a"]),
    "booleans": np.array([True, False]),
    "signs": np.array([1, -1]),
    "zero and one": np.array([0, 1]),
    "floats": np.array([1.5, -0.5]),
    "objects": np.array([("x", 1), None], dtype=object),
}
LABELS["objects"][1] = "y"


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_any_type_give_the_same(labels):
    codes = np.random.default_rng(0).integers(0, 2, 45)
    expected = FIRES(k=2, step=9).fit(X, codes).scores_
    assert_array_equal(FIRES(k=2, step=9).fit(X, labels[codes]).scores_, expected)
    assert len({*expected[:3]}) == 3


def test_batches_of_one_row_and_of_more_than_there_are():
    single = FIRES(k=2, step=1000)
    for row in range(45):
        single.partial_fit(X[row : row + 1], Y[row : row + 1])
    whole = FIRES(k=2, step=1000).partial_fit(X, Y)
    assert_array_equal(single.scores_, whole.scores_)
    assert not np.isnan(whole.scores_[:3]).any()


def test_more_features_than_there_are_can_be_asked_for():
    sieve = FIRES(k=99).fit(X, Y)
    assert len(sieve.selection_) == 3
    assert sieve.transform(X).shape == (45, 3)


BAD_PARAMETERS = [
    *(({"learning_rate": r}, "learning_rate must be above 0") for r in (0, -0.1)),
    *(({"learning_rate": r}, "learning_rate must be a finite") for r in (np.nan, np.inf, "1")),
    *(({"penalty": p}, "penalty must be a finite number of at least 0") for p in (-1, np.nan, "a")),
    *(({"step": s}, "step must be a whole number of at least 1") for s in (0, -5, 2.5, None, True)),
    *(({"model": m}, "there is no model") for m in ("svm", None, 3, ProbitGLM)),
    *(({"scaling": s}, "scaling must be None, .minmax. or") for s in ("max", True, 0, [])),
    *(({"random_state": r}, "random_state must be a whole") for r in (-1, 0.5, "a")),
    *(({"k": k}, "k must be a whole number") for k in (0, None)),
    *(({"features": f}, 'features must be "closed" or "open"') for f in ("ajar", None)),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_are_refused_when_learning_begins(parameters, message):
    sieve = FIRES(**parameters)
    for learn in (sieve.fit, sieve.partial_fit):
        with pytest.raises(ValueError, match=message):
            learn(X, Y)
    assert not sieve.__sklearn_is_fitted__()


def with_cell(value, row=7, column=2):
    changed = X.copy()
    changed[row, column] = value
    return changed


BAD_BATCHES = {
    "infinity": ("glm", with_cell(np.inf), Y, None, "column 2 holds an infinity in row 7"),
    "too large": ("glm", with_cell(1e200), Y, None, r"column 2 holds 1e\+200.* in row 7"),
    "sparse infinity": ("glm", sparse.csr_array(with_cell(np.inf)), Y, None, "in row 7"),
    "no labels": ("glm", X, None, None, "FIRES requires y to be passed, but the target y is None"),
    "a missing label": ("glm", X, [None, *Y[1:]], None, "label of row 0 is missing"),
    "too few columns": ("glm", X[:, :3], Y, None, "X has 3 features, but FIRES is expecting 4"),
    "numbers for labels": ("glm", np.ones((2000, 4)), np.arange(2000), None, "numeric target"),
    "labels for numbers": ("gaussian", X, Y, None, "target of row 0 is '.*': a regression learns"),
    "figures as text": ("gaussian", X, ["1.5"] * 45, None, "target of row 0 is '1.5'"),
    "text among numbers": ("gaussian", X, [1.5] * 44 + ["2"], None, "target of row 44 is '2'"),
    "a huge number": ("gaussian", X, [1.5] * 44 + [1e150], None, r"row 44 is 1e\+150"),
    "negative weight": ("glm", X, Y, np.r_[np.ones(44), -1], "weight of row 44 is -1"),
}


@pytest.mark.parametrize(
    ("model", "bad", "y", "weight", "message"), BAD_BATCHES.values(), ids=BAD_BATCHES
)
def test_a_bad_batch_is_refused_and_leaves_the_state_as_it_was(
    model, bad, y, weight, message, tmp_path
):
    sieve = FIRES(model, k=Hysteresis(2, slack=1, every=10), step=20, scaling="standard")
    sieve.partial_fit(X, np.arange(45) % 2)
    sieve.save(tmp_path / "before.sieve")
    with pytest.raises(ValueError, match=message):
        sieve.partial_fit(bad, y, weight)
    sieve.save(tmp_path / "after.sieve")
    assert (tmp_path / "after.sieve").read_bytes() == (tmp_path / "before.sieve").read_bytes()


def test_two_that_learnt_cannot_be_merged():
    one, other = (FIRES(k=2).partial_fit(X, Y) for _ in range(2))
    with pytest.raises(ValueError, match="two FIRES that have both learnt cannot be merged: each"):
        one.merge(other)


def test_only_what_changes_no_learning_may_change_amid_a_stream():
    sieve = FIRES(k=2).partial_fit(X, Y)
    before = sieve.scores_
    sieve.set_params(penalty=1.0, k=3)
    assert_allclose(sieve.scores_, before - 0.99 * sieve.uncertainty_**2 / 0.02)
    for change in (
        {"step": 7},
        {"learning_rate": 1.0},
        {"model": ProbitGLM()},
        {"scaling": "minmax"},
    ):
        (name,) = change
        was = sieve.get_params()[name]
        with pytest.raises(ValueError, match=f"{name} was .* when learning began"):
            sieve.set_params(**change).partial_fit(X, Y)
        sieve.set_params(**{name: was})


# Numbers stay finite.


def assert_sound(sieve):
    assert np.isfinite(sieve.importance_).all()
    assert (sieve.uncertainty_ > 0).all() and np.isfinite(sieve.uncertainty_).all()
    assert np.isfinite(sieve.scores_[sieve._varied.mask]).all()


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([1.0, 1e2, 1e4, 1e6, 1e100]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.sampled_from([1, 3]),
    st.sampled_from(["glm", "gaussian"]),
)
def test_there_is_no_nan_from_finite_input(seed, size, rate, step, model):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-size, size, (300, 3)) * rng.choice([1e-9, 1e-3, 1.0], (300, 3))
    y = rng.integers(0, 3, 300) * (1 if model == "glm" else size / 2)
    sieve = FIRES(model, k=2, step=step, learning_rate=rate)
    for part in np.split(np.arange(300), 6):
        sieve.partial_fit(X[part], y[part], rng.choice([1e-9, 1.0, 1e100], 50))
        assert_sound(sieve)


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_a_hundred_thousand_steps_of_raw_data(size):
    """Rows whose classes are told apart, and then are not: margins far from zero on both sides."""
    rng = np.random.default_rng(0)
    n = 1_000 if "NUMBA_DISABLE_JIT" in os.environ else 100_000
    X = rng.uniform(-size, size, (n, 3))
    y = np.where(np.arange(n) < n // 2, X[:, 0] > 0, X[:, 0] < 0)
    sieve = FIRES(k=1, step=1, learning_rate=1.0)
    for part in np.split(np.arange(n), 10):
        sieve.partial_fit(X[part], y[part])
        assert_sound(sieve)
        assert size > 1 or sieve.selection_.names == ("x0",)


def test_margins_of_a_million_are_pulled_back():
    """φ/Φ where both are zero in floats: at z = -10⁶ it is 10⁶, at 10⁶ it is 0."""
    z = np.array([-1e6, -1e3, -30.0, 0.0, 5.0, 30.0, 1e6])
    a, b = ProbitGLM().pulls(np.zeros(7), 0, 1, z, np.ones(7))
    expected = np.exp(-(z**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(z))
    assert_allclose(a[1:], expected[1:], rtol=1e-9)
    assert_allclose(a[0], 1e6, rtol=1e-9)  # the difference of logarithms has lost its digits there
    assert_allclose(b, -z * a)
