import signal

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from driftsieve import Fading, Screening, load, prequential
from driftsieve.batch import Batch
from driftsieve.evaluation.masking import Masked, Narrow
from driftsieve.evaluation.prequential import Prequential
from driftsieve.streams.drift import ConceptSwitch
from driftsieve.streams.linear import DriftingLinear
from tests.evaluation.spies import Memoriser, Reader, Spy, SpyLearner, batches
from tests.naive import evaluation as naive

TIMES = ["selector_seconds", "learner_seconds"]


def linear(**options):
    return DriftingLinear(**{"n_features": 8, "k": 2, "shift_every": None} | options)


def chosen(run):
    """The columns selected after each step, best first."""
    table = run.selections.group_by("step", maintain_order=True).agg("feature")
    return dict(zip(table["step"], table["feature"].to_list(), strict=True))


# The order of events


def test_each_batch_is_predicted_before_it_is_learnt():
    log = []
    prequential(batches([10, 20, 30]), Spy([[0]], log), SpyLearner(log))
    assert log == [
        ("selector learns", 10),
        ("learner learns", 10),
        ("learner predicts", 20),
        ("selector learns", 20),
        ("learner learns", 20),
        ("learner predicts", 30),
        ("selector learns", 30),
        ("learner learns", 30),
    ]


def test_a_batch_is_predicted_with_the_selection_known_before_it_and_trained_on_with_the_next():
    learner = SpyLearner()
    run = prequential(batches([10] * 4), Spy([[0], [1], [2], [3]]), learner)
    assert [np.flatnonzero(X.any(axis=0)).tolist() for X in learner.asked] == [[0], [1], [2]]
    assert [np.flatnonzero(X.any(axis=0)).tolist() for X in learner.trained] == [[0], [1], [2], [3]]
    assert chosen(run) == {0: [0], 1: [1], 2: [2], 3: [3]}  # a step tells what is known after it


@pytest.mark.parametrize("delay", [0, 1, 9, 10, 11, 25, 1000])
def test_with_a_delay_a_batch_is_learnt_when_that_many_rows_behind_it_have_been_predicted(delay):
    sizes = [10, 10, 5, 15, 10, 10]
    ends = np.cumsum(sizes)
    stream = batches(sizes)
    evaluation = Prequential(stream, spy := Spy([[0]]), delay=delay)
    for step in evaluation:
        known = [end for end in ends if end + delay <= step["rows"]]
        assert [batch.position for batch in spy.batches] == known
        assert getattr(spy, "position_", None) == (known[-1] if known else None)


# Equal to the obvious


@pytest.mark.parametrize("delay", [0, 30, 75])
def test_equals_its_naive_twin(delay):
    stream = linear(n_rows=600, batch=50, shift_every=300, step=2, n_features=6)
    selector = Screening("t", k=2, memory=Fading.half_life(100))
    learner = SGDClassifier(random_state=0)
    run = prequential(stream, clone(selector), clone(learner), delay=delay, window=120)
    wanted, selections = naive.prequential(list(stream), selector, learner, [0, 1], delay)
    rows = [(true, guess, 1.0, 1.0) for _, true, guess in wanted]
    at = 0
    for step in run.steps.iter_rows(named=True):
        while at < len(wanted) and wanted[at][0] < step["rows"]:
            at += 1
        for name, seen in (("", rows[:at]), ("_window", rows[:at][-120:])):
            for figure in (naive.accuracy, naive.kappa):
                value = figure(seen)
                found = step[figure.__name__ + name]
                assert found == (None if value != value else pytest.approx(value, abs=1e-12))
        assert chosen(run).get(step["step"], []) == list(selections[step["step"]])
        expected = naive.stability([one for one in selections[: step["step"] + 1] if one][-10:], 6)
        found = [step["stability"], step["stability_low"], step["stability_high"]]
        for mine, theirs in zip(found, np.array(expected)[[0, 2, 3]], strict=True):
            assert mine == (None if np.isnan(theirs) else pytest.approx(theirs, abs=1e-9))


# Flattery would be caught


class LearnsFirst(Prequential):
    """Broken: learns the labels of the batch that it is about to predict."""

    def _step(self, batch):
        self._learn(batch)
        self._predict(batch)
        return self._note(batch)


class Unmasked(Masked):
    """Broken as public code is: masks the rows it trains on, but predicts on all columns."""

    def predict(self, batch, columns):
        return super().predict(batch, None)


def within_chance(accuracy, rows):
    return abs(accuracy - 0.5) < 5 * 0.5 / np.sqrt(rows)


def test_random_labels_are_predicted_by_chance_and_leaking_them_would_show():
    stream = batches([100] * 20)
    run = prequential(stream, Spy([[0, 1]]), Masked(Memoriser(), scale=False))
    assert within_chance(run.summary()["accuracy"], 1900)
    broken = LearnsFirst(stream, Spy([[0, 1]]), Masked(Memoriser(), scale=False))
    assert [step["accuracy"] for step in broken] == [1.0] * 20


def test_a_selector_that_peeks_would_show():
    """Among 2,000 features of noise, some fit any 50 labels; they help only if these are leaked."""
    rng = np.random.default_rng(0)
    stream = [(rng.standard_normal((50, 2000)), rng.integers(0, 2, 50)) for _ in range(12)]

    def fresh():
        return Screening("t", k=20, memory=Fading(1e-9, every=50)), GaussianNB()

    assert within_chance(prequential(stream, *fresh()).summary()["accuracy"], 550)
    broken = LearnsFirst(stream, *fresh())
    assert [step["accuracy"] for step in broken][-1] > 0.7


def test_what_is_not_selected_does_not_help_and_unmasked_columns_would_show():
    # Column 3 gives the label away, and the learner only waits for it, but it is not selected.
    stream = [batch.replace(y=(batch.X[:, 3] > 0).astype(int)) for batch in batches([100] * 20)]
    run = prequential(stream, Spy([[0, 1]]), Masked(Reader(3), scale=False))
    assert within_chance(run.summary()["accuracy"], 1900)
    broken = prequential(stream, Spy([[0, 1]]), Unmasked(Reader(3), scale=False))
    assert broken.summary()["accuracy"] == 1.0


def test_a_learner_that_takes_any_width_gets_no_other_columns():
    learner = SpyLearner()
    prequential(batches([10] * 3), Spy([[3, 0], [1]]), Narrow(learner))
    assert [X.names for X in learner.asked] == [("x0", "x3"), ("x1",)]
    assert [X.names for X in learner.trained] == [("x0", "x3"), ("x1",), ("x0", "x3")]


# What is counted


def test_rows_before_the_learner_knows_anything_are_not_counted():
    evaluation = Prequential(batches([10, 10, 10]), None, SpyLearner(answer=0), delay=10)
    steps = list(evaluation)
    assert [step["accuracy"] is None for step in steps] == [True, True, False]


def test_a_view_that_has_learnt_predicts_at_once():
    view = Masked(GaussianNB())
    prequential(batches([50]), None, view)
    again = prequential(batches([50], seed=1), None, view)
    assert again.steps["accuracy"][0] is not None


def test_without_a_selector_all_features_are_used_and_nothing_is_said_of_selections():
    stream = linear(n_rows=400, batch=100)
    run = prequential(stream, None, GaussianNB())
    assert run.steps["n_selected"].to_list() == [8] * 4
    assert len(run.selections) == 0
    empty = ["recall", "precision", "stability", "selector_seconds", "state_bytes"]
    assert all(run.steps[name].null_count() == 4 for name in empty)
    assert run.summary()["accuracy"] > 0.6


def test_without_a_learner_only_selections_are_evaluated_and_labels_may_be_absent():
    stream = [batch.replace(y=None) for batch in batches([10, 10])]
    run = prequential(stream, Spy([[1, 0]]))
    assert run.steps["accuracy"].null_count() == run.steps["learner_seconds"].null_count() == 2
    assert chosen(run) == {0: [1, 0], 1: [1, 0]}
    assert run.selections["rank"].to_list() == [1, 2, 1, 2]


def test_recall_precision_and_stability_of_known_selections():
    relevant = np.array([[True, True, True, False]] * 10)
    stream = batches([10] * 3, relevant=relevant)
    run = prequential(stream, Spy([[0, 3], [0, 1], [0, 1]]), stability_window=2)
    assert run.steps["recall"].to_list() == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert run.steps["precision"].to_list() == [0.5, 1, 1]
    assert run.steps["stability"].to_list() == [None, 0.0, 1.0]


def test_what_is_relevant_at_the_last_row_of_a_batch_counts():
    relevant = np.array([[True, False, False, False]] * 4 + [[False, True, True, False]] * 6)
    run = prequential(batches([10], relevant=relevant), Spy([[1]]))
    assert (run.steps["recall"][0], run.steps["precision"][0]) == (0.5, 1)


def test_time_and_bytes_are_told_apart():
    run = prequential(linear(n_rows=300, batch=100), Screening(k=2), GaussianNB())
    assert (run.steps[TIMES].to_numpy() > 0).all()
    assert run.steps["state_bytes"].null_count() == 0
    settings = run.settings
    assert settings["selector_parameters"]["k"] == 2 and settings["rows"] == 300
    assert settings["learner"] == "Masked(GaussianNB())"
    assert "DriftingLinear" in settings["stream"]


def test_weights_count_in_the_figures():
    (first, second) = batches([40, 6])
    y, weight = np.array([0, 0, 1, 1, 1, 1]), np.array([3.0, 3, 1, 1, 0, 0])
    stream = [first, second.replace(y=y, weight=weight)]
    run = prequential(stream, None, Masked(GaussianWithConstantAnswer()))
    assert run.summary()["accuracy"] == pytest.approx(6 / 8)


class GaussianWithConstantAnswer(GaussianNB):
    def predict(self, X):
        return np.zeros(len(X), dtype=int)


# Whose selectors, whose streams


def test_a_scikit_learn_selector_takes_part():
    inner = SGDClassifier(random_state=0, penalty="l1", alpha=0.01)
    selector = SelectFromModel(inner, max_features=2, threshold=-np.inf)
    stream = linear(n_rows=2000, batch=200)
    run = prequential(stream, selector, GaussianNB(), classes=[0, 1])
    assert run.steps["n_selected"].to_list() == [2] * 10
    assert run.steps["recall"][-1] == 1
    assert run.selections["score"].null_count() == len(run.selections)
    assert run.steps["state_bytes"].null_count() == 10


def test_a_selector_that_has_learnt_selects_from_the_first_row():
    stream = linear(n_rows=400, batch=100)
    selector = Screening("t", k=2)
    prequential(stream, selector)
    evaluation = Prequential(stream, selector, SpyLearner())
    assert evaluation._selection == selector.selection_


def test_pairs_triples_and_sparse_rows_are_batches():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 5)), rng.integers(0, 2, 60)
    X[rng.random(X.shape) < 0.5] = 0
    stream = [(X[:30], y[:30]), (X[30:], y[30:], np.ones(30))]
    csr = [(sparse.csr_array(X), *rest) for X, *rest in stream]
    dense_run, sparse_run = (
        prequential(form, Screening(k=2), Masked(MultinomialNB(), scale=False))
        for form in (stream, csr)
    )
    assert dense_run.steps["rows"].to_list() == [30, 60]
    for name in ("accuracy", "kappa", "log_loss", "n_selected"):
        assert sparse_run.summary()[name] == pytest.approx(dense_run.summary()[name])


def test_batches_without_rows_are_no_steps():
    empty = Batch(np.empty((0, 4)), np.empty(0))
    run = prequential([empty, *batches([10]), empty], Spy([[0]]))
    assert run.steps["rows"].to_list() == [10]


def test_a_stream_without_rows_gives_an_empty_run():
    run = prequential([], Screening(), GaussianNB())
    assert len(run.steps) == len(run.selections) == len(run.drifts) == 0


def test_labels_of_any_kind_and_late_ones():
    stream = [batch.replace(y=np.where(batch.y, "yes", "no")) for batch in batches([20] * 3)]
    late = stream[2].replace(y=np.array(["maybe"] * 20))
    run = prequential([*stream, late], Screening(k=2), GaussianNB(), classes=["yes", "no", "maybe"])
    assert 0 < run.summary()["accuracy"] < 1
    with pytest.raises(ValueError, match=r"'maybe' is new to GaussianNB.*\['maybe', 'no', 'yes'\]"):
        prequential([*stream, late], Screening(k=2), GaussianNB())

    class Told(list):
        classes = ("no", "yes", "maybe")

    prequential(Told([*stream, late]), Screening(k=2), GaussianNB())


def test_features_that_come_and_go_meet_a_learner_by_name():
    rng = np.random.default_rng(0)

    def rows(names, n=60):
        X = rng.standard_normal((n, len(names)))
        return Batch(X, (X[:, names.index("b")] > 0).astype(int), names=names)

    stream = [rows(("a", "b")), rows(("b", "c", "a")), rows(("c", "b"))]
    learner = SpyLearner()
    run = prequential(stream, Screening("t", k=1, features="open"), Narrow(learner))
    assert [X.names for X in learner.asked] == [("b",), ("b",)]
    np.testing.assert_array_equal(learner.asked[0][:, 0], stream[1].X[:, 0])
    assert run.selections["feature"].to_list() == [1, 1, 1]  # as the selector counts them
    assert run.selections["name"].to_list() == ["b"] * 3


def test_a_river_model_takes_part():
    pytest.importorskip("river")
    from river.naive_bayes import GaussianNB as RiverNB

    stream = linear(n_rows=600, batch=100, signal=3)
    run = prequential(stream, Screening("t", k=2), RiverNB())
    assert run.summary()["accuracy"] > 0.8 and run.summary()["log_loss"] < 0.5
    assert run.settings["learner"].startswith("Narrow(RiverLearner")


# Drift


def test_recall_falls_at_a_drift_and_recovers_when_the_past_fades():
    stream = linear(
        n_features=40, k=5, n_rows=12_000, batch=250, shift_every=6_000, step=5, signal=1
    )
    learner = SGDClassifier(random_state=0, loss="log_loss")
    run = prequential(stream, Screening("t", k=5, memory=Fading.half_life(500)), learner)
    recall = dict(zip(run.steps["rows"], run.steps["recall"], strict=True))
    assert recall[6_000] == 1 and recall[6_250] < 0.5 and recall[12_000] == 1
    assert run.drifts["row"].to_list() == [6_000]
    assert 250 < run.drifts["lag"][0] < 2_500
    stability = dict(zip(run.steps["rows"], run.steps["stability"], strict=True))
    assert stability[6_000] == stability[12_000] == 1 and stability[7_000] < 0.9
    accuracy = dict(zip(run.steps["rows"], run.steps["accuracy_window"], strict=True))
    assert accuracy[6_750] < accuracy[6_000] - 0.1 < accuracy[12_000]
    assert run.steps["log_loss_window"].null_count() == 1
    # Whoever never forgets is slower, if he notices at all.
    forever = prequential(stream, Screening("t", k=5))
    lag = forever.drifts["lag"][0]
    assert lag is None or lag > 2 * run.drifts["lag"][0]


def test_drift_points_come_from_the_stream_or_from_what_is_relevant():
    stream = linear(n_rows=900, batch=100, shift_every=250, step=2)
    one = prequential(stream, Screening("t", k=2, memory=Fading.half_life(50)))
    other = prequential(list(stream), Screening("t", k=2, memory=Fading.half_life(50)))
    assert one.drifts["row"].to_list() == [250, 500, 750]
    assert one.drifts.equals(other.drifts)


def test_drift_points_of_an_endless_stream_end_with_the_run():
    stream = linear(n_rows=None, batch=100, shift_every=250, step=2)
    evaluation = Prequential(stream, Screening("t", k=2))
    for step in evaluation:
        if step["rows"] == 600:
            break
    assert evaluation.run().drifts["row"].to_list() == [250, 500]


def test_without_truth_the_lag_is_unknown():
    class Hinted(list):
        drift_points = (15, 30)

    run = prequential(Hinted(batches([10] * 4)), Spy([[0]]))
    assert run.drifts["row"].to_list() == [15, 30]
    assert run.drifts["lag"].to_list() == [None, None]
    assert run.steps["recall"].null_count() == 4


def hinted(size, points):
    class Hinted(list):
        drift_points = points

    return Hinted(batches(size))


def test_a_drift_is_not_held_against_a_selector_that_follows_it():
    # The second batch ends before the drift, the third begins with it.
    choices = [[0, 1], [0, 1], [2, 3], [2, 3], [2, 3], [2, 0]]
    for points, at in (((20,), 2), ((19,), 1), ((21,), 2), ((29,), 2), ((30,), 3)):
        run = prequential(hinted([10] * 6, points), Spy(choices), stability_window=4)
        concepts = [0] * at + [1] * (6 - at)
        for step in range(6):
            held = slice(max(0, step - 3), step + 1)
            expected = naive.stability_within(choices[held], concepts[held], 4)
            names = ["stability_within", "stability_within_low", "stability_within_high"]
            for mine, theirs in zip(run.steps[*names][step].row(0), np.array(expected)[[0, 2, 3]]):
                assert mine == (None if np.isnan(theirs) else pytest.approx(theirs, abs=1e-12))
    followed = prequential(hinted([10] * 6, (20,)), Spy(choices), stability_window=4).steps
    assert followed["stability_within"].to_list()[:5] == [None, 1, 1, 1, 1]
    assert followed["stability"][2] < 0.5


def test_without_drift_stability_within_concepts_is_stability_and_unknown_drifts_leave_it_unknown():
    choices = [[0, 1], [0, 1], [0, 3]]
    run = prequential(hinted([10] * 6, ()), Spy(choices), stability_window=3)
    for name in ("stability", "stability_low", "stability_high"):
        within = name.replace("stability", "stability_within")
        assert run.steps[name].to_list() == run.steps[within].to_list()
    assert run.summary()["mean_stability_within"] == run.summary()["mean_stability"]
    run = prequential(batches([10] * 6), Spy(choices), stability_window=3)
    assert run.steps["stability_within"].null_count() == 6
    assert run.summary()["mean_stability_within"] is None


def test_drifts_are_known_from_what_is_relevant_too():
    stream = linear(n_rows=900, batch=100, shift_every=250, step=2)
    selector = Screening("t", k=2, memory=Fading.half_life(50))
    one, other = (prequential(way, clone(selector)) for way in (stream, list(stream)))
    within = one.steps["stability_within"].to_list()
    assert other.steps["stability_within"].to_list() == within != one.steps["stability"].to_list()
    late = prequential(list(stream), clone(selector), delay=300)
    assert late.steps["stability_within"].drop_nulls().to_list()[-2:] != within[-2:]


def test_with_a_delay_a_selection_belongs_to_the_rows_it_was_made_of():
    choices = [[0], [0], [2], [2], [2], [2]]
    late = prequential(hinted([10] * 8, (20,)), Spy(choices), delay=20, stability_window=4)
    assert late.steps["stability_within"].to_list() == [None] * 3 + [1] * 5


def test_drift_points_may_be_given_and_found_on_the_way():
    choices = [[0, 1]] * 3 + [[2, 3]] * 3
    given = prequential(batches([10] * 6), Spy(choices), drift_points=(30,), stability_window=4)
    assert given.steps["stability_within"].to_list() == [None, 1, 1, 1, 1, 1]
    assert given.drifts["row"].to_list() == [30]
    of_stream = prequential(hinted([10] * 6, (10,)), Spy(choices), drift_points=range(30, 60, 30))
    assert of_stream.drifts["row"].to_list() == [30]
    found = []
    evaluation = Prequential(batches([10] * 6), Spy(choices), drift_points=found)
    for step in evaluation:
        found += [30] * (step["rows"] == 30)
    assert evaluation.run().steps["stability_within"].to_list() == [None, 1, 1, 1, 1, 1]
    assert evaluation.run().drifts["row"].to_list() == [30]


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ((30, 20), "the drift points must ascend, but 20 follows 30"),
        ((20, 20), "the drift points must ascend, but 20 follows 20"),
        ((1.5,), "a drift point must be a whole number of at least 0, not 1.5"),
        ((-1,), "a drift point must be a whole number of at least 0, not -1"),
    ],
)
def test_drift_points_that_are_none_are_refused(points, sentence):
    with pytest.raises(ValueError, match=sentence):
        prequential(batches([10]), Spy([[0]]), drift_points=points)


def test_a_gradual_drift_has_one_point_and_a_lag():
    stream = ConceptSwitch(
        [linear(n_rows=4_000, seed=1, k=2), linear(n_rows=9_000, seed=2, k=5)],
        at=2_000,
        width=400,
        n_rows=6_000,
        batch=100,
    )
    run = prequential(stream, Screening("t", k=5, memory=Fading.half_life(300)))
    assert run.drifts["row"].to_list() == [2_000]
    assert 0 < run.drifts["lag"][0] < 3_000


# Going on


def test_an_interrupt_waits_for_the_end_of_the_step_and_one_can_go_on():
    class Once(Spy):
        def learn(self, batch):
            if self.learnt == 1:
                signal.raise_signal(signal.SIGINT)
            return super().learn(batch)

    selector = Once([[0], [1], [2]])
    evaluation = Prequential(batches([10] * 4), selector, SpyLearner())
    with pytest.raises(KeyboardInterrupt):
        list(evaluation)
    assert selector.position_ == 20 and selector.learnt == 2
    assert evaluation.run().steps["rows"].to_list() == [10, 20]
    assert len(list(evaluation)) == 2
    whole = prequential(batches([10] * 4), Spy([[0], [1], [2]]), SpyLearner())
    assert evaluation.run().steps.drop(TIMES).equals(whole.steps.drop(TIMES))
    assert evaluation.run().selections.equals(whole.selections)


def test_a_run_in_two_parts_equals_one_run(tmp_path):
    def parts():
        stream = linear(n_rows=2_000, batch=100, shift_every=700, step=2)
        return stream, Screening("t", k=2, memory=Fading.half_life(200)), GaussianNB()

    stream, selector, learner = parts()
    whole = prequential(stream, selector, learner, window=500)
    stream, selector, learner = parts()
    view = Masked(learner)
    for step in Prequential(stream, selector, view):
        if step["rows"] == 1_200:
            break
    selector.save(tmp_path / "half.sieve")
    selector = load(tmp_path / "half.sieve")
    stream.seek(selector.position_)
    second = prequential(stream, selector, view, window=500, start=1_200)
    later = whole.selections.filter(whole.selections["rows"] > 1_200)
    assert second.selections.drop("step").equals(later.drop("step"))
    for name in ("rows", "n_selected", "recall", "precision"):
        assert second.steps[name].to_list() == whole.steps[name].to_list()[12:]
    assert whole.drifts["row"].to_list() == [700, 1_400]
    assert second.drifts.equals(whole.drifts[1:])
    # The figures of the run begin anew; those of the window agree when it is full again.
    assert second.steps["accuracy_window"][0] != whole.steps["accuracy_window"][12]
    assert second.steps["accuracy_window"][-1] == whole.steps["accuracy_window"][-1]


def test_progress_is_told_the_rows_after_each_step():
    told = []
    prequential(batches([10, 20]), Spy([[0]]), progress=told.append, start=5)
    assert told == [15, 35]


def test_an_error_in_the_stream_leaves_a_run_to_look_at():
    def broken():
        yield from batches([10, 10])
        raise OSError("the line went dead")

    selector = Screening(k=1)
    evaluation = Prequential(broken(), selector)
    with pytest.raises(OSError, match="went dead"):
        list(evaluation)
    assert evaluation.run().steps["rows"].to_list() == [10, 20]
    assert selector.position_ == 20


def test_a_batch_that_is_refused_leaves_selector_and_record_as_they_were():
    good = batches([10, 10])
    X = good[1].X.copy()
    X[3, 1] = np.inf
    selector = Screening(k=1)
    evaluation = Prequential([good[0], good[1].replace(X=X)], selector)
    with pytest.raises(ValueError, match="column 1 holds an infinity in row 3"):
        list(evaluation)
    assert selector.position_ == 10 and selector.n_samples_seen_ == 10
    assert evaluation.run().steps["rows"].to_list() == [10]


# Bad input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"window": 0}, "window must be a whole number of at least 1"),
        ({"window": 2.5}, "window must be a whole number"),
        ({"delay": -1}, "delay must be a whole number of at least 0"),
        ({"delay": True}, "delay must be a whole number"),
        ({"stability_window": 1}, "stability_window must be a whole number of at least 2"),
        ({"found": 1.5}, "found must be a finite number from 0 to 1"),
        ({"start": -3}, "start must be a whole number"),
    ],
)
def test_options_out_of_range_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        prequential([], Screening(), **options)


def test_nothing_to_evaluate_is_refused():
    with pytest.raises(ValueError, match="nothing to evaluate"):
        prequential([], None, None)


@pytest.mark.parametrize("selector", ["t", 3, object(), Screening, GaussianNB()])
def test_what_is_no_selector_is_refused(selector):
    with pytest.raises(TypeError, match="is not a selector: pass an object with"):
        prequential([], selector)


@pytest.mark.parametrize("stream", ["clicks.parquet", 3, None])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises(TypeError, match="is not a stream: pass driftsieve"):
        prequential(stream, Screening())


@pytest.mark.parametrize("item", [3, np.zeros((2, 2)), (1,), None])
def test_what_is_no_batch_is_refused(item):
    with pytest.raises(TypeError, match="a stream gives batches or"):
        prequential([item], Screening())


def test_a_learner_needs_labels():
    with pytest.raises(ValueError, match="no labels"):
        prequential([Batch(np.zeros((3, 2)))], None, GaussianNB())


def test_settings_are_json(tmp_path):
    selector = Screening("t", k=1, memory=Fading(0.9))
    run = prequential(iter(batches([10])), selector, Masked(GaussianNB(), scale=False))
    assert run.settings["stream"] == "list_iterator"
    for ending in ("parquet", "jsonl"):
        run.save(tmp_path / f"run.{ending}")
        assert type(run).load(tmp_path / f"run.{ending}").settings == run.settings
