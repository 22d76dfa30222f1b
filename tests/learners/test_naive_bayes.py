"""Naive Bayes over summaries: against its formula, against GaussianNB, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftsieve import Fading, Keep, Screening, SummaryNaiveBayes, Window, prequential
from driftsieve.contracts import Learner
from tests.naive import quantiles as naive

SUMMARIES = ["quantiles", "levels", "exponential", "equal_frequency", "equal_width", "exact"]


@parametrize_with_checks([SummaryNaiveBayes(), SummaryNaiveBayes("equal_width", bins=5)])
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


def rows(n=600, seed=0):
    """Three classes that bins tell apart, and means hardly."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)).round(2)
    y = np.where(np.abs(X[:, 0]) > 1, "far", np.where(X[:, 1] > 0.5, "high", "low"))
    return X, y


def twin(X, y, weight, Z, bins, smoothing):
    """P(y) and P(bin | y), written out for one row after the other."""
    labels = sorted(set(y.tolist()))
    codes = np.array([labels.index(label) for label in y])
    found = []
    for z in Z:
        logs = np.log([weight[codes == c].sum() / weight.sum() for c in range(len(labels))])
        for j, value in enumerate(z):
            if np.isnan(value):
                continue
            known = ~np.isnan(X[:, j])
            counts, edges = naive.table(X[known, j], codes[known], weight[known], len(labels), bins)
            place = next((b for b, edge in enumerate(edges[1:]) if value <= edge), bins - 1)
            share = smoothing / (counts.sum(axis=1) > 0).sum()
            logs += np.log((counts[place] + share) / (counts.sum(axis=0) + smoothing))
        found.append(logs)
    return np.array(found)


@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(200)])
def test_equals_the_formula(memory):
    X, y = rows(300)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    Z = np.concatenate([X[:20], [[-9, 9, 0, np.nan], [np.nan] * 4]])
    age = np.arange(300)[::-1]
    weight = np.ones(300)
    if memory is not None:
        weight = 0.99**age if isinstance(memory, Fading) else (age < 200).astype(float)
    learner = SummaryNaiveBayes("exact", bins=6, memory=memory, smoothing=0.5)
    for i in range(0, 300, 50):
        learner.partial_fit(X[i : i + 50], y[i : i + 50], classes=["far", "high", "low"])
    expected = twin(X, y, weight, Z, 6, 0.5)
    assert_allclose(learner.predict_joint_log_proba(Z), expected, rtol=1e-6)
    proba = np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True)
    assert_allclose(learner.predict_proba(Z), proba, rtol=1e-6)
    assert_allclose(np.exp(learner.predict_log_proba(Z)), proba, rtol=1e-6)
    assert_array_equal(learner.predict(Z), learner.classes_[proba.argmax(axis=1)])


@pytest.mark.parametrize("summary", SUMMARIES)
def test_sees_what_means_and_variances_do_not(summary):
    X, y = rows(6_000)
    learner = SummaryNaiveBayes(summary)
    for i in range(0, 4_000, 500):
        learner.partial_fit(X[i : i + 500], y[i : i + 500])
    gaussian = GaussianNB().fit(X[:4_000], y[:4_000])
    accuracy = learner.score(X[4_000:], y[4_000:])
    assert accuracy > 0.94
    assert accuracy > gaussian.score(X[4_000:], y[4_000:]) + 0.02
    assert 0 < learner.nbytes < 5 * X[:4_000].nbytes


def test_is_about_as_good_where_values_are_normal():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 6_000)
    X = rng.standard_normal((6_000, 4)) + y[:, None] * [0.3, 0.6, 0, 1.0]
    gaussian = GaussianNB().fit(X[:4_000], y[:4_000]).score(X[4_000:], y[4_000:])
    ours = SummaryNaiveBayes().fit(X[:4_000], y[:4_000]).score(X[4_000:], y[4_000:])
    assert abs(ours - gaussian) < 0.02


def test_batching_does_not_matter():
    X, y = rows()
    whole = SummaryNaiveBayes().fit(X, y)
    parts = SummaryNaiveBayes()
    for i in range(0, 600, 7):
        parts.partial_fit(X[i : i + 7], y[i : i + 7], classes=["far", "high", "low"])
    assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))
    assert parts.n_samples_seen_ == 600


def test_sparse_rows_are_learnt_and_predicted_like_dense_ones():
    X, y = rows()
    X[np.abs(X) < 0.8] = 0
    dense = SummaryNaiveBayes().fit(X, y)
    csr = SummaryNaiveBayes().fit(sparse.csr_array(X), y)
    assert_allclose(csr.predict_proba(sparse.csr_array(X)), dense.predict_proba(X))


def test_a_class_that_has_not_come_yet_is_not_predicted():
    X, y = rows()
    some = y != "low"
    learner = SummaryNaiveBayes().partial_fit(X[some], y[some], classes=["far", "high", "low"])
    assert (learner.predict_proba(X)[:, 2] == 0).all()
    learner.partial_fit(X[~some], y[~some])
    assert learner.predict_proba(X)[:, 2].max() > 0.5


def test_learns_on_a_stream_behind_a_selector():
    X, y = rows(3_000)
    run = prequential(
        [(X[i : i + 500], y[i : i + 500]) for i in range(0, 3_000, 500)],
        Screening("mutual_information", k=2),
        SummaryNaiveBayes(),
    )
    assert isinstance(SummaryNaiveBayes(), Learner)
    assert run.summary()["accuracy"] > 0.85


def test_a_refused_batch_changes_nothing():
    X, y = rows()
    learner = SummaryNaiveBayes().fit(X, y)
    before = learner.predict_proba(X)
    bad = X.copy()
    bad[3, 2] = np.inf
    for values, labels, message in (
        (bad, y, "column 2 holds an infinity in row 3"),
        (X[:, :2], y, "2 features"),
        (X, ["odd"] * 600, "'odd' is new to SummaryNaiveBayes"),
        (X, None, "requires y"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.partial_fit(values, labels)
    with pytest.raises(ValueError, match="classes is"):
        learner.partial_fit(X, y, classes=["far", "near"])
    assert_array_equal(learner.predict_proba(X), before)
    assert learner.n_samples_seen_ == 600


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"summary": "moments"}, "cannot be had from 'moments'"),
        ({"summary": Keep("exact", x=1)}, "has no option 'x'"),
        ({"bins": 1}, "bins"),
        ({"smoothing": 0}, "smoothing must be above 0"),
        ({"memory": 3}, "memory must be None, a Fading or a Window"),
        ({"epsilon": 7}, "epsilon must lie between 0 and 0.5"),
    ],
)
def test_bad_parameters(options, message):
    X, y = rows()
    with pytest.raises(ValueError, match=message):
        SummaryNaiveBayes(**options).fit(X, y)


def test_nothing_is_predicted_before_anything_is_learnt():
    with pytest.raises(NotFittedError):
        SummaryNaiveBayes().predict([[1.0]])
    assert SummaryNaiveBayes().nbytes == 0
