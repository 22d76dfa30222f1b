import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from driftsieve.batch import Batch
from driftsieve.evaluation.masking import Masked, Narrow, as_view
from tests.evaluation.spies import SpyLearner, batches

SOME = np.array([0, 2])


def test_masked_holds_what_is_not_selected_at_zero_and_scales_the_rest():
    one, two = batches([50, 30])
    view = Masked(SpyLearner())
    view.learn(one, SOME)
    view.learn(two, SOME)
    view.predict(one, SOME)
    scaler = StandardScaler().fit(np.concatenate([one.X, two.X]))
    seen = view.learner.asked[0]
    np.testing.assert_allclose(seen[:, SOME], scaler.transform(one.X)[:, SOME], atol=1e-12)
    assert (seen[:, [1, 3]] == 0).all()


def test_training_and_prediction_see_the_same():
    for view in (Masked(SpyLearner()), Masked(SpyLearner(), scale=False), Narrow(SpyLearner())):
        (batch,) = batches([20])
        view.learn(batch, SOME)
        view.predict(batch, SOME)
        np.testing.assert_array_equal(view.learner.trained[0], view.learner.asked[0])


def test_without_a_selection_all_columns_are_seen():
    (batch,) = batches([20])
    for view in (Masked(SpyLearner(), scale=False), Narrow(SpyLearner())):
        view.learn(batch, None)
        np.testing.assert_array_equal(view.learner.trained[0], batch.X)
    view = Masked(SpyLearner())
    view.learn(batch, None)
    np.testing.assert_allclose(view.learner.trained[0].std(axis=0), 1)


def test_nothing_selected_is_all_zero_or_no_column():
    (batch,) = batches([20])
    nothing = np.empty(0, dtype=np.intp)
    masked, narrow = Masked(SpyLearner()), Narrow(SpyLearner())
    for view in (masked, narrow):
        view.learn(batch, nothing)
    assert (masked.learner.trained[0] == 0).all()
    assert narrow.learner.trained[0].shape == (20, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_missing_values_are_the_mean_which_is_zero(dtype):
    X = np.array([[1, np.nan], [3, np.nan], [np.nan, np.nan]], dtype=dtype)
    view = Masked(SpyLearner())
    view.learn(Batch(X, np.array([0, 1, 0])), None)
    np.testing.assert_allclose(view.learner.trained[0], [[-1, 0], [1, 0], [0, 0]])


def test_without_scaling_missing_values_stay():
    X = np.array([[np.nan, np.nan, 1.0]])
    view = Masked(SpyLearner(), scale=False)
    view.learn(Batch(X, np.array([0])), SOME)
    np.testing.assert_array_equal(view.learner.trained[0], [[np.nan, 0, 1]])


@pytest.mark.parametrize("columns", [SOME, None], ids=["some", "all"])
def test_sparse_rows_are_masked_and_divided_but_not_centred(columns):
    X = np.array([[2.0, 1, 0], [0, 0, 4], [-2, 1, np.nan], [0, 1, -4]])
    dense = Masked(SpyLearner())
    dense.learn(Batch(X, np.zeros(4)), columns)
    view = Masked(SpyLearner())
    view.learn(Batch(sparse.csr_array(X), np.zeros(4)), columns)
    seen = view.learner.trained[0]
    assert seen.format == "csr" and (seen.data != 0).all()
    # Columns 0 and 2 have mean zero, so that dividing is all that scaling does to them.
    np.testing.assert_allclose(seen.toarray()[:, SOME], dense.learner.trained[0][:, SOME])
    if columns is not None:
        assert (seen.toarray()[:, 1] == 0).all()


def test_a_missing_value_that_is_not_selected_does_not_show():
    X = sparse.csr_array(np.array([[1.0, np.nan]]))
    view = Masked(SpyLearner(), scale=False)
    view.learn(Batch(X, np.array([0])), np.array([0]))
    np.testing.assert_array_equal(view.learner.trained[0].toarray(), [[1, 0]])


def test_the_batch_stays_as_it_is():
    X = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, 7.0]])
    for matrix in (X, sparse.csr_array(X)):
        for view in (Masked(SpyLearner()), Narrow(SpyLearner())):
            batch = Batch(matrix.copy(), np.array([0, 1]))
            view.learn(batch, SOME)
            view.learner.trained[0][...] if batch.is_sparse else view.learner.trained[0].fill(9)
            left = batch.X.toarray() if batch.is_sparse else batch.X
            if isinstance(view, Masked) or batch.is_sparse:
                np.testing.assert_array_equal(left, X)


def test_narrow_names_what_it_shows():
    (batch,) = batches([5])
    view = Narrow(SpyLearner())
    view.learn(batch, SOME)
    assert view.learner.trained[0].names == ("x0", "x2")
    view.learn(batch.replace(names=("a", "b", "c", "d")), SOME)
    assert view.learner.trained[1].names == ("a", "c")
    csr = batch.replace(X=sparse.csr_array(batch.X))
    view.learn(csr, SOME)
    assert view.learner.trained[2].names == ("x0", "x2")


def test_weights_reach_the_learner_and_rows_without_weight_do_not():
    (batch,) = batches([200])
    weight = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    copies = np.repeat(np.arange(200), weight.astype(int))
    one, other = Masked(GaussianNB()), Masked(GaussianNB())
    one.learn(batch.replace(weight=weight), None, [0, 1])
    other.learn(batch.take(copies), None, [0, 1])
    np.testing.assert_allclose(one.learner.theta_, other.learner.theta_, atol=1e-12)
    assert one.rows == np.count_nonzero(weight)
    one.learn(batch.replace(weight=np.zeros(200)), None)
    assert one.rows == np.count_nonzero(weight)


def test_a_learner_that_cannot_weigh_says_so():
    (batch,) = batches([5])
    with pytest.raises(ValueError, match="cannot weigh"):
        Masked(SpyLearner()).learn(batch.replace(weight=np.full(5, 2.0)), None)
    Masked(SpyLearner()).learn(batch.replace(weight=np.ones(5)), None)


def test_labels_that_come_later_are_an_error_that_says_what_to_do():
    one, two = batches([10, 10])
    view = Masked(SGDClassifier())
    view.learn(one, None)
    with pytest.raises(ValueError, match=r"the label 7 is new.*pass classes=\[0, 1, 7\]"):
        view.learn(two.replace(y=np.full(10, 7)), None)


def test_labels_told_beforehand_may_come_later():
    one, two = batches([10, 10])
    view = Masked(SGDClassifier(random_state=0))
    view.learn(one.replace(y=np.array(["a"] * 10)), None, ["a", "b", "c"])
    view.learn(two.replace(y=np.array(["c", "b"] * 5)), None, ["a", "b", "c"])
    assert view.learner.classes_.tolist() == ["a", "b", "c"]


def test_a_first_batch_of_one_label_is_an_error_that_says_what_to_do():
    (batch,) = batches([10])
    with pytest.raises(ValueError, match=r"first batch holds only 0: pass classes="):
        Masked(SGDClassifier()).learn(batch.replace(y=np.zeros(10, dtype=int)), None)


def test_a_learner_that_has_learnt_before_knows_its_labels():
    (batch,) = batches([10])
    learner = SGDClassifier(random_state=0).partial_fit(batch.X, batch.y, classes=[0, 1, 2])
    Masked(learner).learn(batch.replace(y=np.array([2, 1] * 5)), None)
    assert learner.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [["one", 2], [(1, "a"), (2, "b")], [False, "no"]], ids=repr)
def test_labels_that_scikit_learn_does_not_take_are_numbered_for_it(labels):
    (batch,) = batches([200])
    plain = (batch.X[:, 1] > 0).astype(int)
    y = np.empty(200, dtype=object)
    y[:] = [labels[i] for i in plain]
    told, number = (
        Masked(SGDClassifier("log_loss", random_state=0)),
        Masked(SGDClassifier("log_loss", random_state=0)),
    )
    mixed = batch.replace(y=y)
    told.learn(mixed, None, labels)
    number.learn(batch.replace(y=plain), None)
    predicted, chances = told.predict(mixed, None)
    expected, same = number.predict(batch.replace(y=plain), None)
    assert predicted.tolist() == [labels[i] for i in expected]
    np.testing.assert_array_equal(chances, same)
    assert chances.mean() > 0.8


def test_numbers_are_no_labels():
    (batch,) = batches([50])
    with pytest.raises(ValueError, match=r"learns classes, and y holds .*numpy\.digitize") as error:
        Masked(SGDClassifier()).learn(batch.replace(y=batch.X[:, 0].copy()), None)
    assert len(str(error.value)) < 200


def test_a_learner_that_takes_no_sparse_rows_is_named():
    (batch,) = batches([20])
    with pytest.raises(ValueError, match="GaussianNB takes no sparse rows"):
        Masked(GaussianNB()).learn(batch.replace(X=sparse.csr_array(batch.X)), None)


def test_a_regressor_is_no_learner():
    with pytest.raises(TypeError, match="SGDRegressor is a regressor"):
        Masked(SGDRegressor())


def test_other_columns_are_refused_by_a_learner_of_fixed_width():
    one, two = batches([5, 5])
    view = Masked(SpyLearner())
    view.learn(one.replace(names=tuple("abcd")), None)
    with pytest.raises(ValueError, match="same columns in the same order"):
        view.learn(two.replace(names=tuple("abdc")), None)


@pytest.mark.parametrize("thing", [None, 3, "sgd", object()])
def test_what_is_no_learner_is_refused(thing):
    with pytest.raises(TypeError, match="has no method `partial_fit`"):
        Masked(thing)


def test_a_learner_without_partial_fit_or_an_instance_is_refused():
    from sklearn.svm import SVC

    with pytest.raises(TypeError, match="SVC has no method `partial_fit`"):
        as_view(SVC())
    with pytest.raises(TypeError, match="GaussianNB is a class"):
        as_view(GaussianNB)


def test_the_view_fits_the_learner():
    class Wide(SpyLearner):
        takes_any_width = True

    assert isinstance(as_view(Wide()), Narrow)
    assert isinstance(as_view(SpyLearner()), Masked)
    view = Masked(Wide(), scale=False)
    assert as_view(view) is view
    assert repr(Masked(GaussianNB(), scale=False)) == "Masked(GaussianNB(), scale=False)"


def test_a_river_model_learns_under_the_names_of_its_columns():
    pytest.importorskip("river")
    from river.naive_bayes import GaussianNB as RiverNB

    (batch,) = batches([40])
    y = np.where(batch.X[:, 2] > 0, "up", "down")
    view = as_view(RiverNB())
    assert isinstance(view, Narrow)
    view.learn(batch.replace(y=y), SOME)
    labels, probability = view.predict(batch.replace(y=y), np.array([2]))
    assert np.mean(labels == y) > 0.8
    assert ((probability > 0) & (probability <= 1)).all()
    view.learn(batch.replace(y=np.full(40, "new")), np.array([1, 3]))  # no classes were told
