import numpy as np
import pytest

from driftsieve.batch import Batch
from driftsieve.evaluation.recovery import detection_lags, recall_and_precision
from driftsieve.streams.truth import TruthLog
from tests.naive import evaluation as naive


def truth_of(relevant, d):
    log = TruthLog()
    mask = np.zeros((len(relevant), d), dtype=bool)
    for line, features in zip(mask, relevant, strict=True):
        line[list(features)] = True
    log.note(Batch(np.zeros(mask.shape), relevant=mask))
    return log.truth()


def lags(points, relevant, selections, share=0.9, d=12):
    chosen = [(rows, np.array(sorted(columns), dtype=np.intp)) for rows, columns in selections]
    found = detection_lags(points, truth_of(relevant, d), chosen, share)
    assert found == naive.lags(points, relevant, selections, share)
    return found


@pytest.mark.parametrize(
    ("selected", "relevant", "recall", "precision"),
    [
        ([0, 1], [0, 1], 1, 1),
        ([0, 1, 2, 3], [0, 1], 1, 0.5),
        ([0], [0, 1, 2, 3], 0.25, 1),  # too few to find them all, but all of them right
        ([2], [0, 1], 0, 0),
        ([], [0], 0, np.nan),
        ([0], [], np.nan, 0),
    ],
)
def test_recall_and_precision(selected, relevant, recall, precision):
    mask = np.zeros(5, dtype=bool)
    mask[relevant] = True
    found = recall_and_precision(np.array(selected, dtype=np.intp), mask)
    assert found == pytest.approx((recall, precision), nan_ok=True)


def test_the_lag_counts_rows_until_the_new_features_are_selected():
    relevant = [{0, 1}] * 10 + [{2, 3}] * 10
    selections = [(5, {0, 1}), (10, {0, 1}), (14, {1, 2}), (17, {2, 3}), (20, {2, 3})]
    assert lags([10], relevant, selections) == [7]
    assert lags([10], relevant, selections, share=0.5) == [4]


def test_only_newcomers_count():
    # One of many changes: nine tenths of the whole set are selected all the time.
    relevant = [set(range(10))] * 5 + [set(range(1, 11))] * 10
    selections = [(5, set(range(10))), (10, set(range(10))), (15, set(range(1, 11)))]
    assert lags([5], relevant, selections) == [10]


def test_what_does_not_fit_is_not_asked_for():
    relevant = [{0, 1, 2, 3}] * 5 + [{4, 5, 6, 7}] * 5
    assert lags([5], relevant, [(5, {0, 1}), (8, {0, 4}), (10, {4, 7})]) == [5]
    # Two of the three that fit stayed relevant: one newcomer is all that can be asked for.
    relevant = [{0, 1}] * 5 + [{0, 1, 2, 3}] * 5
    assert lags([5], relevant, [(5, {0, 1, 9}), (7, {0, 1, 9}), (10, {0, 1, 3})]) == [5]


def test_never_found_before_the_next_drift_or_the_end_is_unknown():
    relevant = [{0}] * 4 + [{1}] * 4 + [{2}] * 4
    assert lags([4, 8], relevant, [(4, {0}), (8, {0}), (9, {1}), (12, {0})]) == [None, None]
    assert lags([4, 8], relevant, [(4, {0}), (8, {1}), (12, {2})]) == [4, 4]


def test_a_selection_made_with_rows_behind_the_next_drift_does_not_count():
    relevant = [{0}] * 4 + [{1}] * 4 + [{2}] * 4
    assert lags([4, 8], relevant, [(3, {0}), (9, {1}), (12, {2})]) == [None, 4]


def test_where_features_only_leave_there_is_nothing_to_find():
    assert lags([3], [{0, 1}] * 3 + [{0}] * 3, [(3, {0, 1}), (6, {0})]) == [None]


def test_around_a_gradual_drift_the_majority_counts():
    relevant = [{0}] * 6 + [{1}, {0}, {1}, {0}, {1}] + [{1}] * 6
    assert lags([8], relevant, [(4, {0}), (8, {0}), (12, {1}), (17, {1})]) == [4]


def test_without_selections_nothing_is_found():
    assert detection_lags([3], truth_of([{0}] * 3 + [{1}] * 3, 2), [], 0.9) == [None]


def test_equals_its_naive_twin():
    rng = np.random.default_rng(0)
    for _ in range(60):
        sets = [set(rng.choice(12, rng.integers(1, 6), replace=False).tolist()) for _ in range(4)]
        relevant = [sets[i] for i in np.sort(rng.integers(0, 4, 40))]
        points = [i for i in range(1, 40) if relevant[i] != relevant[i - 1]]
        ends = np.unique(rng.integers(1, 41, 15)).tolist()
        selections = [
            (end, set(rng.choice(12, rng.integers(0, 7), replace=False).tolist())) for end in ends
        ]
        lags(points, relevant, selections, share=rng.choice([0.3, 0.5, 0.9, 1.0]))
