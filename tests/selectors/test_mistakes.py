"""OFS and EFS beside their naive twins, and odd input."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import EFS, OFS, Hysteresis, Threshold, load
from driftsieve.batch import Batch
from driftsieve.state import StateError, load_state, save_state
from tests.naive import mistakes as naive

P = 5


def rows(seed, n=60, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[:classes] = np.arange(classes)
    X = (rng.standard_normal((n, P)) + 0.5 * y[:, None] * [0, 1, -1, 0, 2]).round(3)
    X[rng.random(X.shape) < 0.2] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, rng.integers(0, 3, n)


def after(twin, X, signs, weights, step):
    """Steps of the rows that weigh anything, the last of them shorter."""
    kept = [row for row in zip(X.tolist(), signs, weights) if row[2]]
    for i in range(0, len(kept), step):
        twin.learn(kept[i : i + step])
    return twin


SPLITS = ((0, 1), (1, 7), (7, 30), (30, 60))


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_ofs_equals_its_naive_twin_at_every_prefix(seed, form, step):
    X, y, weight = rows(seed)
    sieve = OFS(k=2, step=step, learning_rate=0.5, regularization=0.5)
    for lo, hi in SPLITS:
        sieve.partial_fit(form(X[lo:hi]), y[lo:hi], weight[lo:hi])
        twin = naive.OFS(P, 2, 0.5 / step, 0.5)
        signs = np.where(y[:hi] == sieve.classes_[0], 1, -1) if sieve.classes_ else np.ones(hi)
        after(twin, X[:hi], signs, weight[:hi], step)
        if len(sieve.classes_) > 1:
            assert_allclose(sieve.scores_, np.abs(twin.w), rtol=1e-9)
    assert 0 < np.count_nonzero(sieve.scores_) <= 2  # truncated
    assert np.linalg.norm(sieve.scores_) <= 1 / np.sqrt(0.5) + 1e-12  # projected


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_efs_equals_its_naive_twin_at_every_prefix(seed, form, step):
    X, y, weight = rows(seed)
    sieve = EFS(k=2, step=step)
    for lo, hi in SPLITS:
        sieve.partial_fit(form(X[lo:hi]), y[lo:hi], weight[lo:hi])
        signs = np.where(y[:hi] == sieve.classes_[0], 1, -1) if sieve.classes_ else np.ones(hi)
        twin = after(naive.EFS(P), X[:hi], signs, weight[:hi], step)
        if len(sieve.classes_) > 1:
            assert_allclose(sieve.scores_, twin.importance(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ["OFS", "EFS"])
def test_more_classes_are_told_one_from_all_others(kind):
    """Each class has a twin of its own, from the step on in which the third class appears."""
    X, y, _ = rows(4, classes=3)
    make = {"OFS": lambda: naive.OFS(P, 2, 0.2, 0.01), "EFS": lambda: naive.EFS(P)}[kind]
    sieve = {"OFS": OFS, "EFS": EFS}[kind](k=2).fit(X, y)
    first = after(make(), X, np.where(y == 0, 1, -1), np.ones(60), 1)
    third = after(make(), X[2:], np.where(y[2:] == 2, 1, -1), np.ones(58), 1)
    second = make()
    if kind == "OFS":  # the mirror image of the first, two rows after the beginning
        second.w = [-w for w in after(make(), X[:2], [1, -1], np.ones(2), 1).w]
    after(second, X[2:], np.where(y[2:] == 1, 1, -1), np.ones(58), 1)
    twins = (first, second, third)
    if kind == "OFS":
        expected = np.sqrt(np.mean([np.square(twin.w) for twin in twins], axis=0))
    else:
        expected = np.max([twin.importance() for twin in twins], axis=0)
    assert_allclose(sieve.scores_, expected, rtol=1e-8, atol=1e-8)


def test_plain_products_would_be_zero_after_ten_thousand_rows():
    rng = np.random.default_rng(0)
    X, y = rng.random((10_000, 3)), rng.integers(0, 2, 10_000)
    sieve = EFS(k=2, step=20).fit(X, y)
    assert np.isfinite(sieve.scores_).all()
    assert sieve.scores_.max() < -745.2  # the logarithm of the least float
    assert len(set(sieve.scores_)) == 3


@pytest.mark.parametrize("information", ["full", "partial"])
def test_ofs_finds_what_matters(information):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 20))
    y = np.where(X[:, 3] - X[:, 11] > 0, "up", "down")
    sieve = OFS(k=4, information=information, learning_rate=0.02).fit(X, y)
    assert {"x3", "x11"} <= set(sieve.selection_.names)


def test_efs_finds_what_matters():
    rng = np.random.default_rng(1)
    X = (rng.random((3000, 20)) < 0.2).astype(float)
    y = np.where(X[:, 3] + X[:, 11] > 0, "some", "none")
    assert {"x3", "x11"} <= set(EFS(k=3).fit(X, y).selection_.names)


def test_partial_information_looks_at_no_more_than_k_cells_of_a_row():
    X, y, _ = rows(5)
    sieve = OFS(k=2, information="partial", exploration=0.5).partial_fit(X[:1], y[:1])
    pupil = sieve._course.pupil
    looked = []
    original = pupil.seen
    pupil.seen = lambda rows: looked.append(original(rows)) or looked[-1]
    sieve.partial_fit(X[1:], y[1:])
    counts = [len(cells.column) for cells in looked]
    assert len(counts) == 59
    assert max(counts) == 2
    assert min(counts) < 2  # zeros, missing cells, and what holds no weight
    assert len(set(np.concatenate([cells.column for cells in looked]))) == P


def test_what_is_not_looked_at_changes_nothing():
    """Cells that are not chosen may hold anything."""
    X, y, _ = rows(6)
    sieve = OFS(k=2, information="partial")
    other = OFS(k=2, information="partial")
    for row in range(60):
        sieve.partial_fit(X[row : row + 1], y[row : row + 1])
        pupil = other._course.pupil if row else OFS(k=2, information="partial")._pupil(P)
        mark = np.where(np.isnan(X[row]), np.nan, 7.0)[None]
        seen = pupil.copy().seen(Batch(mark, y[row : row + 1])).column
        free = ~np.isin(np.arange(P), seen) & ~np.isnan(X[row])
        changed = np.where(free, 99.0, X[row])
        other.partial_fit(changed[None], y[row : row + 1])
    assert_array_equal(other.scores_, sieve.scores_)


@pytest.mark.parametrize("kind", [OFS, EFS])
@pytest.mark.parametrize("size", [1e4, 1e100])
def test_there_is_no_nan_from_finite_input(kind, size):
    rng = np.random.default_rng(2)
    for seed in range(5):
        X = rng.uniform(-size, size, (200, 3)) * rng.choice([1e-200, 1e-9, 1.0], (200, 3))
        y = rng.integers(0, 3, 200)
        sieve = kind(k=2, step=1 + seed)
        for part in np.split(np.arange(200), 4):
            sieve.partial_fit(X[part], y[part], rng.choice([1e-9, 1.0, 1e100], 50))
            scores = sieve.scores_
            assert np.isfinite(scores[~np.isneginf(scores)]).all()
            assert not np.isnan(scores).any()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 9), st.sampled_from([OFS, EFS]))
def test_states_go_on(seed, k, step, kind):
    X, y, weight = rows(seed)
    sieve = kind(k=k, step=step).partial_fit(X[:31], y[:31], weight[:31])
    with tempfile.TemporaryDirectory() as folder:
        sieve.save(Path(folder) / "s")
        again = load(Path(folder) / "s")
    for one in (sieve, again):
        one.partial_fit(X[31:], y[31:], weight[31:])
    assert_array_equal(again.scores_, sieve.scores_)


X, Y, _ = rows(8)

BAD_PARAMETERS = [
    *((OFS, {"learning_rate": r}, "learning_rate must be above 0") for r in (0, -1)),
    *((OFS, {"regularization": r}, "regularization must be above 0") for r in (0, -1)),
    *((OFS, {"regularization": r}, "regularization must be a finite") for r in (None, np.inf)),
    *((OFS, {"information": i}, 'information must be "full" or "part') for i in ("half", None)),
    *((OFS, {"exploration": e}, "exploration must be a finite number from 0") for e in (-0.1, 2)),
    *((OFS, {"random_state": r}, "random_state must be a whole") for r in (-1, None)),
    (OFS, {"k": Threshold(0.5)}, "OFS keeps a number of weights"),
    *((EFS, {"promotion": p}, "promotion must be above 1") for p in (1.0, -2)),
    *((EFS, {"demotion": d}, "demotion must lie between 0 and 1") for d in (0, 1, 1.5)),
    *((EFS, {"margin": m}, "margin must be a finite number of at least 0") for m in (-1, "a")),
    (EFS, {"threshold": np.nan}, "threshold must be a finite number"),
    *((kind, {"step": 0}, "step must be a whole number") for kind in (OFS, EFS)),
    *((kind, {"scaling": "max"}, "scaling must be None") for kind in (OFS, EFS)),
    *((kind, {"k": 0}, "k must be a whole number") for kind in (OFS, EFS)),
]


@pytest.mark.parametrize(("kind", "parameters", "message"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_are_refused_when_learning_begins(kind, parameters, message):
    sieve = kind(**parameters)
    for learn in (sieve.fit, sieve.partial_fit):
        with pytest.raises(ValueError, match=message):
            learn(X, Y)
    assert not sieve.__sklearn_is_fitted__()


@pytest.mark.parametrize("kind", [OFS, EFS])
def test_odd_input(kind):
    one = kind(k=2).fit(X, ["only"] * 60)
    assert np.isnan(one.scores_).all() and len(one.selection_) == 0
    assert len(kind(k=99).fit(X, Y).selection_) == P
    expected = kind(k=2).fit(X, Y).scores_
    for labels in (["b", "a"], [True, False], [1, -1], [(1, 2), "x"]):
        named = np.empty(2, dtype=object)
        named[:] = labels
        assert_array_equal(kind(k=2).fit(X, named[Y]).scores_, expected)
    sieve = kind(k=Hysteresis(2, 1, every=7), step=3).partial_fit(X, Y)
    before = sieve.scores_
    bad = X.copy()
    bad[50, 1] = np.inf
    with pytest.raises(ValueError, match="column 1 holds an infinity in row 50"):
        sieve.partial_fit(bad, Y)
    with pytest.raises(ValueError, match=f"{kind.__name__} requires y to be passed"):
        sieve.partial_fit(X)
    assert_array_equal(sieve.scores_, before)
    with pytest.raises(ValueError, match="that have both learnt cannot be merged"):
        sieve.merge(kind(k=Hysteresis(2, 1, every=7), step=3).partial_fit(X, Y))


def test_k_of_ofs_may_not_change_amid_a_stream():
    sieve = OFS(k=2).fit(X, Y).set_params(k=3)
    with pytest.raises(ValueError, match="k was 2 when learning began"):
        sieve.partial_fit(X, Y)


@pytest.mark.parametrize("kind", [OFS, EFS])
@pytest.mark.parametrize(
    "forge",
    [
        lambda pupil, name: pupil.update({name: pupil[name][:, 1:].copy()}),
        lambda pupil, name: pupil.update({name: pupil[name] / np.zeros(())}),
        lambda pupil, name: pupil.update(outputs=3),
        lambda pupil, name: pupil.update(outputs=0),
        lambda pupil, name: pupil.update(rows=-1),
        lambda pupil, name: pupil.pop(name),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_forged_state_is_refused(kind, forge, tmp_path):
    kind(k=2).fit(X, Y).save(tmp_path / "s")
    name, state = load_state(tmp_path / "s")
    forge(state["learnt"]["pupil"], "w" if kind is OFS else "u")
    save_state(tmp_path / "s", name, state)
    with pytest.raises(StateError, match=f"does not hold a valid {kind.__name__}: "):
        load(tmp_path / "s")
