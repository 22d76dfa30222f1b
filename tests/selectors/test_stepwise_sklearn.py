"""Selectors that learn in steps behave as scikit-learn's do, and refuse forged states."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftsieve import EFS, FIRES, OFS, load
from driftsieve.selectors.models.glm import GaussianGLM
from driftsieve.state import StateError, load_state, save_state

CONFIGURATIONS = [
    FIRES(),
    FIRES(step=1, k=1),
    FIRES("gaussian", step=5),
    FIRES(GaussianGLM(), scaling="standard"),
    FIRES(scaling="minmax"),
    OFS(),
    OFS(step=50, information="partial"),
    EFS(),
    EFS(step=50, scaling="minmax"),
]
# Weights are of rows within their step: a row that comes twice may fall into two of them, and with
# partial information other cells are looked at when it comes again.
WEIGHTS_ARE_OF_A_STEP = {
    "check_sample_weight_equivalence_on_dense_data": "repeats rows, and so cuts steps elsewhere",
    "check_sample_weight_equivalence_on_sparse_data": "likewise",
}


def expected_failures(estimator):
    of_a_step = estimator.step < 50 or (isinstance(estimator, OFS) and estimator.draws)
    return WEIGHTS_ARE_OF_A_STEP if of_a_step else {}


@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=expected_failures)
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


def data(rows=300):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 6))
    return X, np.where(X[:, 1] + X[:, 4] > 0, "yes", "no")


def test_in_a_pipeline_and_a_search():
    X, y = data()
    model = make_pipeline(FIRES(k=2, step=20), SGDClassifier(random_state=0))
    search = GridSearchCV(model, {"fires__k": [1, 2], "fires__penalty": [0.01, 1.0]}).fit(X, y)
    assert search.best_params_["fires__k"] == 2
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("estimator", CONFIGURATIONS, ids=repr)
def test_a_clone_and_a_representation_have_the_parameters(estimator):
    copy = clone(estimator.set_params(k=2))
    assert copy.get_params() == estimator.get_params()
    assert eval(repr(copy)).get_params() == estimator.get_params()
    assert not copy.__sklearn_is_fitted__()


X, Y = data(75)


def dense():
    return FIRES(k=2, step=20, scaling="minmax").partial_fit(X, Y, np.full(75, 2.0))


def csr():
    return FIRES(k=2, step=20).partial_fit(sparse.csr_array(X.round()), Y)


def numbers():
    return FIRES("gaussian", k=2, step=20, scaling="standard").partial_fit(X, X[:, 0])


def change(holder, key, how):
    holder[key] = how(holder[key])


def learnt(state):
    return state["learnt"]


FORGERIES = {
    "features": (dense, lambda s: s["columns"].update(count=7)),
    "step": (dense, lambda s: s["parameters"].update(step=15)),
    "a step of text": (dense, lambda s: s["parameters"].update(step="20")),
    "model": (dense, lambda s: s["parameters"].update(model={"kind": "Oracle"})),
    "means": (dense, lambda s: change(learnt(s)["pupil"]["mu"], 0, lambda a: a[:, 1:].copy())),
    "NaN": (dense, lambda s: change(learnt(s)["pupil"]["mu"], 0, lambda a: a * np.nan)),
    "a deviation of 0": (dense, lambda s: change(learnt(s)["pupil"]["sigma"], 0, np.zeros_like)),
    "no deviations": (dense, lambda s: learnt(s)["pupil"].update(sigma=[])),
    "outputs": (dense, lambda s: learnt(s)["pupil"].update(outputs=5)),
    "steps": (dense, lambda s: learnt(s)["pupil"].update(steps=-1)),
    "seed": (dense, lambda s: learnt(s)["pupil"].update(seed="a")),
    "classes": (dense, lambda s: change(learnt(s)["waiting"], "y", lambda y: y + 1)),
    "weights": (dense, lambda s: change(learnt(s)["waiting"], "weight", lambda w: -w)),
    "fewer weights": (dense, lambda s: change(learnt(s)["waiting"], "weight", lambda w: w[1:])),
    "narrow rows": (dense, lambda s: change(learnt(s)["waiting"], "X", lambda a: a[:, 1:])),
    "infinite rows": (dense, lambda s: change(learnt(s)["waiting"], "X", lambda a: a / 0.0)),
    "scaling": (dense, lambda s: change(learnt(s)["scaling"], "least", lambda a: a[1:].copy())),
    "columns": (csr, lambda s: change(learnt(s)["waiting"], "indices", lambda a: a + 6)),
    "negative columns": (csr, lambda s: change(learnt(s)["waiting"], "indices", lambda a: a - 9)),
    "places": (csr, lambda s: change(learnt(s)["waiting"], "indptr", lambda a: a[::-1].copy())),
    "far places": (csr, lambda s: change(learnt(s)["waiting"], "indptr", lambda a: a + 10**6)),
    "labels for numbers": (numbers, lambda s: change(learnt(s)["waiting"], "y", lambda y: y > 0)),
    "NaN for numbers": (numbers, lambda s: change(learnt(s)["waiting"], "y", lambda y: y * np.nan)),
    "their scaling": (numbers, lambda s: learnt(s)["target_scaling"].update(mean=np.zeros(2))),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(("made", "forge"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_state_is_refused(made, forge, tmp_path):
    path = tmp_path / "a.sieve"
    made().save(path)
    kind, state = load_state(path)
    save_state(path, kind, state)
    assert load(path).n_samples_seen_ == 75
    forge(state)
    save_state(path, kind, state)
    with pytest.raises(StateError, match=r"a\.sieve does not hold a valid FIRES: "):
        load(path)
