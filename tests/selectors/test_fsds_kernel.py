"""FSDS with a kernel: the joint sketch beside all rows and all images."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import FSDS, Fourier, Window, load
from driftsieve.state import StateError, load_state, save_state
from tests.naive.fsds import kernel_feature_weights
from tests.naive.unsupervised import unit
from tests.selectors.test_fsds import clusters


def images(X, fourier, seed=0):
    frequencies, phases = fourier.waves(X.shape[1], seed)
    return np.sqrt(2 / fourier.components) * np.cos(X @ frequencies + phases)


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0])
def test_inner_products_of_images_are_the_kernel(bandwidth):
    X = unit(clusters(60))
    Z = images(X, Fourier(20_000, bandwidth))
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    assert_allclose(Z @ Z.T, np.exp(-squares / (2 * bandwidth**2)), atol=0.05)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("alpha", ["auto", 3.0, 0.0])
def test_a_sketch_that_loses_nothing_gives_the_weights_of_all_rows(form, alpha):
    fourier = Fourier(30, bandwidth=0.7)
    X = clusters(300)
    sieve = FSDS(directions=3, sketch_size=50, alpha=alpha, kernel=fourier).fit(form(X))
    Y = unit(X)
    expected = kernel_feature_weights(Y, images(Y, fourier), 3, None if alpha == "auto" else alpha)
    assert_allclose(sieve.scores_, expected, rtol=1e-6)


def test_the_weights_come_closer_as_the_sketch_grows():
    fourier, X = Fourier(60), clusters(2500, features=40)
    Y = unit(X)
    exact = kernel_feature_weights(Y, images(Y, fourier), 3)
    errors = []
    for size in (6, 25, 50, 75, 100):
        found = FSDS(directions=3, sketch_size=size, kernel=fourier).fit(X).scores_
        errors.append(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    assert errors == sorted(errors, reverse=True), errors
    assert errors[-1] < 1e-9 < errors[-2] < 0.1


def test_the_features_that_tell_clusters_apart_are_found_under_a_kernel():
    for kernel in ("gaussian", Fourier(100, 0.5)):
        sieve = FSDS(k=3, directions=3, kernel=kernel).partial_fit(clusters(3000))
        assert set(sieve.selection_.indices) == {2, 7, 11}
        assert sieve.sketch_.covariance_error() > 0


def test_seeds_decide_on_the_waves():
    X = clusters()
    one, same, other = (
        FSDS(kernel="gaussian", random_state=seed).fit(X).scores_ for seed in (0, 0, 1)
    )
    assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("rbf", 'kernel must be None, "gaussian" or a Fourier'),
        (1.0, "kernel must be None"),
    ],
)
def test_bad_kernels_are_refused(kernel, words):
    with pytest.raises(ValueError, match=words):
        FSDS(kernel=kernel).fit(clusters())


@pytest.mark.parametrize(
    "options",
    [
        {"components": 0},
        {"components": 2.5},
        {"bandwidth": 0},
        {"bandwidth": float("inf")},
        {"bandwidth": "wide"},
    ],
)
def test_bad_waves_are_refused(options):
    with pytest.raises(ValueError, match="must be a"):
        Fourier(**options)


def test_bad_rows_are_refused_and_change_nothing():
    X = clusters()
    sieve = FSDS(kernel="gaussian").fit(X)
    before = sieve.scores_
    holes, infinite = X.copy(), X.copy()
    holes[4, 2], infinite[4, 2] = np.nan, np.inf
    for bad, words in ((holes, r"column 2 is missing \(NaN\) in row 4"), (infinite, "an infinity")):
        with pytest.raises(ValueError, match=words):
            sieve.partial_fit(bad)
    assert_array_equal(sieve.scores_, before)
    filled = FSDS(kernel="gaussian", missing="zero").fit(holes)
    assert_allclose(filled.scores_, FSDS(kernel="gaussian").fit(np.nan_to_num(holes)).scores_)


def test_columns_do_not_come_and_go_under_a_kernel():
    sieve = FSDS(kernel="gaussian", features="open", missing="zero")
    sieve.partial_fit([{"a": 1.0, "b": 2.0}])
    with pytest.raises(ValueError, match="features cannot come and go"):
        sieve.partial_fit([{"a": 1.0, "c": 2.0}])


def test_sketches_of_other_waves_are_not_merged():
    one, other = (FSDS(kernel=Fourier(9, width)).fit(clusters()) for width in (1.0, 2.0))
    with pytest.raises(ValueError, match="kernel differs"):
        one.merge(other)
    with pytest.raises(ValueError, match="under different waves"):
        one.sketch_.merge(other.sketch_)


def test_a_state_file_goes_on_and_a_forged_one_is_refused(tmp_path):
    path, X = tmp_path / "a.sieve", clusters(1500)
    for memory in (None, Window(400)):
        sieve = FSDS(kernel=Fourier(20), memory=memory).partial_fit(X[:1100])
        sieve.save(path)
        assert_array_equal(
            load(path).partial_fit(X[1100:]).scores_, sieve.partial_fit(X[1100:]).scores_
        )
    FSDS(kernel=Fourier(20)).partial_fit(X).save(path)
    for name, value in (("components", 10**9), ("bandwidth", 2.0), ("size", 3), ("seed", 5)):
        kind, state = load_state(path)
        state["learnt"]["summary"][name] = value
        save_state(tmp_path / "forged.sieve", kind, state)
        with pytest.raises(StateError, match="does not hold a valid FSDS"):
            load(tmp_path / "forged.sieve")
