"""River's classifiers as learners of batches: the twin is river's own loop."""

import pickle

import numpy as np
import pandas as pd
import pytest
from river import ensemble, linear_model, multiclass, naive_bayes, preprocessing, tree
from river.datasets import synth
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from driftsieve import Fading, Screening, as_batch
from driftsieve.adapters.river import RiverLearner, RiverSelector
from driftsieve.batch import named

MODELS = {
    "trees": lambda: ensemble.BaggingClassifier(
        tree.HoeffdingTreeClassifier(grace_period=20), n_models=2, seed=1
    ),
    "bayes": naive_bayes.GaussianNB,
    "linear": lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "sieved": lambda: (
        RiverSelector(Screening("t", k=2, memory=Fading(0.99))) | naive_bayes.GaussianNB()
    ),
}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]()


def data(n=200, p=4, seed=0, labels=(False, True)):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.array(labels)[(X[:, 1] + 0.2 * rng.standard_normal(n) > 0).astype(int)]


def dicts(X, names=None):
    names = names or [f"x{j}" for j in range(X.shape[1])]
    return [dict(zip(names, x)) for x in X.tolist()]


def test_it_learns_and_predicts_as_rivers_own_loop_does(model):
    learner = RiverLearner(model.clone())
    X, y = data()
    for start in range(0, 200, 50):
        rows = slice(start, start + 50)
        if start:
            mine = [model.predict_one(x) for x in dicts(X[rows])]
            assert learner.predict(X[rows]).tolist() == mine
            chances = [model.predict_proba_one(x) for x in dicts(X[rows])]
            np.testing.assert_allclose(
                learner.predict_proba(X[rows]),
                [[chance.get(label, 0) for label in (False, True)] for chance in chances],
                atol=1e-12,
            )
        learner.partial_fit(X[rows], y[rows])
        for x, label in zip(dicts(X[rows]), y[rows].tolist()):
            model.learn_one(x, label)
    assert np.mean(learner.predict(X) == y) > 0.85


def test_how_rows_are_batched_does_not_matter(model):
    X, y = data()
    whole = RiverLearner(model).partial_fit(X, y)
    parts = RiverLearner(model)
    for start in range(0, 200, 7):
        parts.partial_fit(X[start : start + 7], y[start : start + 7])
    assert whole.predict_proba(X).tolist() == parts.predict_proba(X).tolist()


def test_mini_batches_are_learnt_at_once_if_asked_for():
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    X, y = data()
    learner = RiverLearner(model.clone(), mini_batches=True)
    for start in range(0, 200, 20):
        learner.partial_fit(X[start : start + 20], y[start : start + 20])
        frame = pd.DataFrame(X[start : start + 20], columns=["x0", "x1", "x2", "x3"])
        model.learn_many(frame, pd.Series(y[start : start + 20]))
    assert learner.model_["LogisticRegression"].weights == model["LogisticRegression"].weights


def test_columns_may_change_under_names_that_stay(model):
    X, y = data()
    learner = RiverLearner(model).partial_fit(X, y, names=list("abcd"))
    again = RiverLearner(model)
    again.partial_fit(X[:, ::-1], y, names=list("dcba"))
    assert (
        again.predict(X[:, ::-1], names=list("dcba")).tolist()
        == learner.predict(X, names=list("abcd")).tolist()
    )
    some = learner.predict(X[:, [1, 3]], names=["b", "d"])
    assert some.tolist() == [learner.model_.predict_one(x) for x in dicts(X[:, [1, 3]], ["b", "d"])]
    assert np.mean(some == y) > 0.8
    learner.partial_fit(np.c_[X, X[:, 0]], y, names=list("abcde"))


@pytest.mark.parametrize(
    "give",
    [
        lambda X: pd.DataFrame(X, columns=list("abcd")),
        lambda X: named(X, tuple("abcd")),
        lambda X: as_batch(X, names="abcd"),
        lambda X: dicts(X, list("abcd")),
        lambda X: named(sparse.csr_array(X), tuple("abcd")),
    ],
    ids=["pandas", "named array", "batch", "dicts", "named CSR"],
)
def test_names_come_with_the_data(give):
    X, y = data()
    learner = RiverLearner(naive_bayes.GaussianNB()).partial_fit(X, y, names="abcd")
    assert learner.predict(give(X)).tolist() == learner.predict(X, names="abcd").tolist()
    assert np.mean(learner.predict(give(X)) == y) > 0.85


class Seen(naive_bayes.BernoulliNB):
    """Notes the rows it is given."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def learn_one(self, x, y):
        self.rows.append((x, y))
        super().learn_one(x, y)


def test_missing_values_and_the_zeros_of_sparse_rows_have_no_key():
    learner = RiverLearner(Seen())
    learner.partial_fit([[1.0, np.nan], [0.0, 2.0]], ["a", "b"])
    learner.partial_fit(sparse.csr_array([[0.0, 3.0], [0.0, np.nan]]), ["a", "b"])
    assert learner.model_.rows == [
        ({"x0": 1.0}, "a"),
        ({"x0": 0.0, "x1": 2.0}, "b"),
        ({"x1": 3.0}, "a"),
        ({}, "b"),
    ]


def test_rows_with_missing_values_are_predicted_without_them():
    X, y = data()
    learner = RiverLearner(linear_model.LogisticRegression()).partial_fit(X, y)
    expected = [learner.model_.predict_proba_one(x)[True] for x in ({"x1": 1.0}, {"x0": 2.0})]
    gaps = [[np.nan, 1.0, np.nan, np.nan], [2.0, np.nan, np.nan, np.nan]]
    assert learner.predict_proba(gaps)[:, 1].tolist() == expected


def test_before_anything_is_learnt(model):
    fresh = RiverLearner(model)
    assert fresh.predict(np.eye(4)).tolist() == [model.predict_one({}) for _ in range(4)]
    assert RiverLearner(naive_bayes.GaussianNB()).predict([[1.0]]).tolist() == [None]
    with pytest.raises(NotFittedError):
        fresh.predict_proba(np.eye(4))


def test_where_the_model_gives_no_probabilities_they_are_undefined():
    class Silent(tree.HoeffdingTreeClassifier):
        def predict_proba_one(self, x):
            return {}

    learner = RiverLearner(Silent()).partial_fit([[1.0], [2.0]], ["a", "b"])
    assert np.isnan(learner.predict_proba([[1.0]])).all()
    assert learner.predict([[1.0]]).tolist() == [None]


def test_a_model_without_probabilities_has_no_such_method():
    votes = multiclass.OneVsOneClassifier(linear_model.LogisticRegression())
    for model in (votes, preprocessing.StandardScaler() | votes):
        learner = RiverLearner(model)
        assert not hasattr(learner, "predict_proba")
        assert learner.partial_fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0]]).shape == (1,)


def test_labels_come_back_as_they_were_given():
    X, y = data(labels=(0, 1))
    learner = RiverLearner(linear_model.LogisticRegression()).partial_fit(X, y)
    assert learner.predict(X).dtype == y.dtype
    assert learner.classes_.tolist() == [0, 1]
    X, y = data(labels=("no", "yes"))
    learner = RiverLearner(naive_bayes.GaussianNB()).partial_fit(X, y)
    assert set(learner.predict(X)) == {"no", "yes"}
    learner.partial_fit(X[:2], [3, "yes"])
    assert learner.classes_.tolist() == ["no", "yes", 3]
    assert learner.predict_proba(X).shape == (200, 3)


def test_classes_may_be_told_beforehand():
    learner = RiverLearner(naive_bayes.GaussianNB())
    learner.partial_fit([[1.0], [2.0]], ["b", "b"], classes=["c", "b", "a"])
    assert learner.classes_.tolist() == ["a", "b", "c"]
    assert learner.predict_proba([[1.0]]).tolist() == [[0, 1, 0]]


def test_it_keeps_scikit_learns_habits(model):
    learner = RiverLearner(model)
    X, y = data()
    before = pickle.dumps(X)
    learner.partial_fit(X, y)
    assert pickle.dumps(X) == before
    assert is_classifier(learner)
    assert learner.score(X, y) > 0.85
    assert not hasattr(clone(learner), "model_")
    part = RiverLearner(model).partial_fit(X[:90], y[:90])
    assert learner.fit(X[:90], y[:90]).predict_proba(X).tolist() == part.predict_proba(X).tolist()
    again = pickle.loads(pickle.dumps(learner))
    assert again.predict_proba(X).tolist() == learner.predict_proba(X).tolist()


def test_bad_input_is_refused():
    X, y = data()
    learner = RiverLearner(naive_bayes.GaussianNB())
    with pytest.raises(ValueError, match="y is missing"):
        learner.partial_fit(X, None)
    with pytest.raises(ValueError, match="200 rows but y has 3"):
        learner.partial_fit(X, y[:3])
    with pytest.raises(ValueError, match="2 names were given for 4 columns"):
        learner.partial_fit(X, y, names=["a", "b"])
    with pytest.raises(ValueError, match="column 1 holds an infinity in row 0"):
        learner.partial_fit([[0.0, np.inf]], [True])
    with pytest.raises(TypeError, match="not a river classifier"):
        RiverLearner(linear_model.LinearRegression()).partial_fit(X, y)
    assert not hasattr(learner, "model_")


def test_a_stream_of_many_classes():
    stream = synth.LED(seed=1)
    rows = [({f"segment {i}": lit for i, lit in x.items()}, y) for x, y in stream.take(600)]
    learner = RiverLearner(naive_bayes.BernoulliNB())
    for start in range(0, 600, 100):
        part = rows[start : start + 100]
        learner.partial_fit([x for x, _ in part], [y for _, y in part])
    assert np.mean(learner.predict([x for x, _ in rows]) == [y for _, y in rows]) > 0.6
