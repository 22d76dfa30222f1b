"""Selectors behave as scikit-learn's do: its own checks, frames out, metadata routing, clones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from driftsieve import Fading, Hysteresis, Screening, Threshold, Window

# The parameter `score` names a score. These checks take any attribute of that name for the method
# that judges predictions, and call it.
SCORE_IS_NO_METHOD = {
    "check_fit_score_takes_y": "calls estimator.score(X, y), which here is a string",
    "check_n_features_in_after_fitting": "calls estimator.score on too few columns, likewise",
    "check_pipeline_consistency": "compares pipeline.score with estimator.score, likewise",
}
# Under fading the clock counts rows: a row that comes twice makes all before it a tick older than
# a row of weight 2 does, and a row of weight 0 lets time pass. The law of weights is stated for
# rows of one tick, and is tested among the laws.
CLOCK_COUNTS_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": "repeats rows, and so lets more time pass",
    "check_sample_weight_equivalence_on_sparse_data": "likewise",
}


def expected_failures(estimator):
    fades = isinstance(estimator.memory, Fading)
    return SCORE_IS_NO_METHOD | (CLOCK_COUNTS_ROWS if fades else {})


CONFIGURATIONS = [
    Screening(),
    Screening("t", k=1),
    Screening(memory=Fading(0.9)),
    Screening("t", memory=Fading(0.7, every=3)),
    Screening(memory=Window(60)),
    Screening("t", k=Hysteresis(2, slack=1, every=20)),
    Screening(k=Threshold(0.0), n_jobs=2),
]


@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=expected_failures)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")  # the checks do not silence what they provoke
@pytest.mark.parametrize("estimator", [CONFIGURATIONS[0], CONFIGURATIONS[2]], ids=repr)
def test_what_is_expected_to_fail_does_fail(estimator):
    excused = expected_failures(estimator)
    failed = set()
    for estimator_, check in estimator_checks_generator(estimator):
        name = getattr(check, "func", check).__name__
        if name in excused:
            try:
                check(estimator_)
            except Exception:
                failed.add(name)
    assert failed == set(excused)


NAMES = list("abcdef")


def data(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, 6))
    X[:, [1, 4]] += 2 * y[:, None]
    return X, y


FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES, index=range(100, 100 + len(X))),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
}


@pytest.mark.parametrize("features", ["closed", "open"])
@pytest.mark.parametrize("given", FRAMES)
@pytest.mark.parametrize("wanted", FRAMES)
def test_frames_come_out_as_asked_for(wanted, given, features):
    X, y = data()
    sieve = Screening("t", k=2, features=features).set_output(transform=wanted)
    sieve.partial_fit(FRAMES[given](X), y)
    out = sieve.transform(FRAMES[given](X))
    assert type(out).__module__.startswith(wanted)
    assert list(out.columns) == ["b", "e"] == sieve.get_feature_names_out().tolist()
    assert_array_equal(out.to_numpy(), X[:, [1, 4]])
    if wanted == given == "pandas":
        assert out.index[0] == 100


def test_arrays_come_out_by_default_and_rows_without_names_get_some():
    X, y = data()
    sieve = Screening("t", k=2).fit(X, y)
    assert type(sieve.transform(X)) is np.ndarray
    assert type(sieve.transform(X.tolist())) is np.ndarray
    assert sparse.issparse(sieve.transform(sparse.csr_array(X)))
    assert sieve.get_feature_names_out().tolist() == ["x1", "x4"]
    assert sieve.get_feature_names_out(NAMES).tolist() == ["b", "e"]
    assert sieve.get_support(indices=True).tolist() == [1, 4]
    inverse = sieve.inverse_transform(sieve.transform(X))
    assert_array_equal(inverse[:, [1, 4]], X[:, [1, 4]])
    assert not inverse[:, [0, 2, 3, 5]].any()


@pytest.mark.parametrize("question", ["scores_", "ranking_", "selection_", "classes_"])
def test_before_learning_there_is_no_answer(question):
    with pytest.raises(NotFittedError):
        getattr(Screening(), question)
    with pytest.raises(NotFittedError):
        Screening().transform([[1.0]])


def test_fit_forgets_and_partial_fit_does_not():
    X, y = data()
    sieve = Screening("t", k=2)
    for part in (slice(0, 70), slice(70, 200)):
        sieve.partial_fit(X[part], y[part])
    whole = Screening("t", k=2).fit(X, y)
    np.testing.assert_allclose(sieve.scores_, whole.scores_)
    again = sieve.fit(X[:50, :3], y[:50])
    assert again.n_features_in_ == 3
    assert again.n_samples_seen_ == 50
    assert again.selection_ == Screening("t", k=2).fit(X[:50, :3], y[:50]).selection_


def test_a_clone_has_the_parameters_and_nothing_else():
    X, y = data()
    memory, rule = Fading(0.99, every=7), Hysteresis(2, slack=1)
    sieve = Screening("t", k=rule, memory=memory, features="open", n_jobs=2)
    sieve.fit(FRAMES["polars"](X), y)
    copy = clone(sieve)
    assert copy.get_params() == sieve.get_params()
    assert not copy.__sklearn_is_fitted__()
    assert eval(repr(sieve)).get_params() == sieve.get_params()


def test_k_may_be_changed_at_any_time():
    X, y = data()
    sieve = Screening("t", k=2).fit(X, y)
    assert sieve.set_params(k=3).transform(X).shape == (200, 3)
    assert len(sieve.set_params(k=Threshold(5.0)).selection_) == 2
    with pytest.raises(ValueError, match="k must be a whole number"):
        sieve.set_params(k=0).transform(X)


def test_what_is_masked_is_missing_in_what_comes_out_too():
    X, y = data()
    sieve = Screening("t", k=2).fit(X, y)
    masked = np.ma.array(X, mask=np.arange(X.size).reshape(X.shape) % 7 == 0)
    expected = masked.filled(np.nan)[:, [1, 4]]
    assert_array_equal(np.asarray(sieve.transform(masked)), expected)


def pipeline(**parameters):
    learner = SGDClassifier(random_state=0)
    return make_pipeline(StandardScaler(), Screening("t", k=2, **parameters), learner)


@pytest.mark.parametrize("give", [np.asarray, *FRAMES.values()], ids=["numpy", *FRAMES])
def test_in_a_pipeline(give):
    X, y = data()
    model = pipeline().fit(give(X), y)
    assert model.score(give(X), y) > 0.8
    assert model[1].get_support(indices=True).tolist() == [1, 4]
    names = model[:-1].get_feature_names_out().tolist()
    assert names == (["x1", "x4"] if give is np.asarray else ["b", "e"])


def test_in_a_pipeline_of_sparse_rows():
    X, y = data()
    model = Pipeline([("sieve", Screening("t", k=2)), ("learner", SGDClassifier(random_state=0))])
    assert model.fit(sparse.csr_array(X), y).score(sparse.csr_array(X), y) > 0.8


def test_k_can_be_searched_for():
    X, y = data()
    search = GridSearchCV(pipeline(), {"screening__k": [1, 2], "screening__score": ["t", "fisher"]})
    search.fit(X, y)
    assert search.best_params_["screening__k"] == 2
    assert GridSearchCV(pipeline(), {"screening__k": np.arange(1, 3)}).fit(X, y).best_params_ == {
        "screening__k": 2
    }
    assert cross_val_score(pipeline(memory=Window(100)), X, y).mean() > 0.8


def test_metadata_reaches_a_selector_that_asks_for_it():
    X, y = data()
    weight = np.arange(200) % 3
    with config_context(enable_metadata_routing=True):
        sieve = Screening("t", k=2).set_fit_request(sample_weight=True)
        learner = SGDClassifier(random_state=0).set_fit_request(sample_weight=False)
        model = make_pipeline(sieve, learner).fit(X, y, sample_weight=weight)
        assert_array_equal(model[0].scores_, Screening("t").fit(X, y, weight).scores_)

        sieve.set_fit_request(sample_weight=False)
        deaf = make_pipeline(sieve, learner.set_fit_request(sample_weight=True))
        deaf.fit(X, y, sample_weight=weight)
        assert_array_equal(deaf[0].scores_, Screening("t").fit(X, y).scores_)

        request = Screening().set_partial_fit_request(sample_weight=True).get_metadata_routing()
        assert request.partial_fit.requests["sample_weight"] is True


def test_weights_count_rows_and_weights_of_zero_leave_them_out():
    X, y = data()
    weight = np.arange(200) % 3
    repeated = Screening("t").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = Screening("t").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(weighted.scores_, repeated.scores_)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        weighted.fit(X, y, sample_weight=np.zeros(200))
