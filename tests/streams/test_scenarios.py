from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from driftsieve.batch import Batch, dense
from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.scenarios import (
    SCENARIOS,
    Reordered,
    WithMissing,
    by_class,
    collect,
    most_informative,
    sorted_by_feature,
    stationary,
)
from tests.naive import streams as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)

LABELS = np.array(["b", "a", "b", "c", "b", "a", "b", "b", "c", "b", "a", "b", "b", "b"])


def source(batch, size=50):
    """Any batch as a source in memory."""
    return Reordered(batch, np.arange(batch.n_rows), size)


@pytest.fixture(params=["dense", "sparse"])
def stream(request):
    """400 rows of everything that a batch can hold, of three classes."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((400, 4)) < 0.5, rng.standard_normal((400, 4)), 0)
    y = rng.choice(["x", "y", "z"], size=400, p=[0.2, 0.5, 0.3])
    X[:, 2] += (y == "y") * 3 * (X[:, 2] != 0)
    if request.param == "sparse":
        X = sparse.csr_array(X)
    return source(
        Batch(
            X=X,
            y=y,
            weight=rng.random(400),
            names=("a", "b", "c", "d"),
            relevant=rng.random((400, 4)) < 0.5,
        )
    )


def counted(batch):
    """The rows as a multiset: values, label, weight and relevance together."""
    lines = zip(
        dense(batch.X).tolist(), batch.y, batch.weight, batch.relevant.tolist(), strict=True
    )
    return Counter(
        (tuple(values), label, weight, tuple(relevant)) for values, label, weight, relevant in lines
    )


ARRANGED = {
    "stationary": lambda source, batch: stationary(source, seed=4, batch=batch),
    "sorted": lambda source, batch: sorted_by_feature(source, batch=batch),
    "sorted by name": lambda source, batch: sorted_by_feature(source, "b", batch=batch),
    "by class": lambda source, batch: by_class(source, batch=batch),
    "by chosen class": lambda source, batch: by_class(source, "z", lead=11, batch=batch),
}
arrangements = pytest.mark.parametrize("arrange", ARRANGED.values(), ids=ARRANGED)


@arrangements
def test_arranged_streams_are_sources(stream, arrange):
    assert isinstance(arrange(stream, 64), Source)
    assert_batching_does_not_matter(lambda batch: arrange(stream, batch))
    assert_seek_is_exact(lambda: arrange(stream, 64))


@arrangements
def test_how_the_source_is_batched_does_not_matter(stream, arrange):
    whole = all_rows(stream)
    one, other = (all_rows(arrange(source(whole, size), 100)) for size in (1, 1_000))
    assert_same_rows(one, other)


@pytest.mark.parametrize("name", ARRANGED)
def test_rows_stay_whole_and_come_once(stream, name):
    before, after = counted(all_rows(stream)), counted(all_rows(ARRANGED[name](stream, 64)))
    assert max(before.values()) == 1
    if name.startswith("by"):  # what is left when a class is exhausted does not arrive
        assert after < before
    else:
        assert after == before


@arrangements
def test_sparse_streams_stay_sparse(stream, arrange):
    assert all_rows(arrange(stream, 64)).is_sparse == all_rows(stream).is_sparse


def test_every_scenario_by_name_makes_a_source(stream):
    assert set(SCENARIOS) == {"stationary", "sorted", "by_class", "missing"}
    for make in SCENARIOS.values():
        assert isinstance(make(stream), Source)
        assert sum(len(batch) for batch in make(stream)) > 0


# Stationary


def test_shuffling_spreads_what_drifted():
    drifting = DriftingLinear(n_rows=10_000, n_features=4, k=1, shift_every=2_500)
    relevant = all_rows(stationary(drifting, seed=1)).relevant
    for start in range(0, 10_000, 2_500):
        share = relevant[start : start + 2_500].mean(axis=0)
        assert np.all(np.abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 2_500))


def test_shuffling_is_seeded(stream):
    one, again, other = (all_rows(stationary(stream, seed=seed)) for seed in (1, 1, 2))
    assert_same_rows(one, again)
    assert np.any(one.weight != other.weight)


# Sorted by a feature


def test_sorted_stream_is_sorted_by_the_most_informative_feature(stream):
    batch = all_rows(stream)
    assert most_informative(batch) == 2
    values = dense(all_rows(sorted_by_feature(stream)).X)[:, 2]
    assert np.all(np.diff(values) >= 0)
    for feature in ("d", 3):
        values = dense(all_rows(sorted_by_feature(stream, feature)).X)[:, 3]
        assert np.all(np.diff(values) >= 0)


def test_equal_values_keep_their_order_and_missing_ones_are_last():
    X = np.array([[1.0, np.nan, 0.0, 1.0, np.nan, 0.0]]).T
    batch = all_rows(sorted_by_feature(source(Batch(X, y=np.arange(6))), 0))
    np.testing.assert_array_equal(batch.y, [2, 5, 0, 3, 1, 4])


def test_most_informative_feature_has_the_largest_fisher_score():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.standard_normal((300, 5)) + y[:, None] * np.array([0.1, 0, -0.7, 0.5, 0.0])
    X[::7, 2] = np.nan
    weight = rng.integers(0, 3, 300).astype(float)

    def fisher(x):
        """Rows repeated by their weight; means and variances of what is present."""
        x, label = np.repeat(x, weight.astype(int)), np.repeat(y, weight.astype(int))
        x, label = x[~np.isnan(x)], label[~np.isnan(x)]
        parts = [x[label == c] for c in range(3)]
        between = sum(len(part) * (part.mean() - x.mean()) ** 2 for part in parts)
        return between / sum(len(part) * part.var() for part in parts)

    scores = [fisher(X[:, j]) for j in range(5)]
    for columns in ([0, 1, 2, 3, 4], [4, 3, 1, 0], [0, 1], [1, 4]):
        batch = Batch(X[:, columns], y=y, weight=weight)
        assert most_informative(batch) == np.argmax([scores[j] for j in columns])
    shifted = Batch(X + 1e8, y=y, weight=weight)
    assert most_informative(shifted) == most_informative(Batch(X, y=y, weight=weight))


def test_constant_and_missing_features_are_not_informative():
    y = np.array([0, 1] * 10)
    X = np.column_stack([np.ones(20), np.full(20, np.nan), np.arange(20.0)])
    assert most_informative(Batch(X, y=y)) == 2
    assert most_informative(Batch(np.column_stack([X, y * 1.0]), y=y)) == 3
    with pytest.raises(ValueError, match="no feature tells the classes apart"):
        most_informative(Batch(X[:, :2], y=y))


# By class


@pytest.mark.parametrize("first", ["a", "b", "c"])
@pytest.mark.parametrize("lead", [0, 1, 2])
def test_by_class_equals_taking_turns_row_by_row(first, lead):
    batch = Batch(np.arange(len(LABELS) * 1.0)[:, None], y=LABELS)
    arranged = all_rows(by_class(source(batch), first, lead=lead))
    np.testing.assert_array_equal(arranged.X[:, 0], naive.by_class(LABELS.tolist(), first, lead))


def test_one_class_leads_then_all_are_equally_frequent(stream):
    y = all_rows(by_class(stream)).y
    counts = Counter(all_rows(stream).y)
    lead = counts["y"] - min(counts.values())
    assert set(y[:lead]) == {"y"}
    turns = y[lead:].reshape(-1, 3)
    assert all(set(turn) == {"x", "y", "z"} for turn in turns)
    assert len(turns) == min(counts.values())


def test_balanced_classes_still_get_a_lead():
    batch = Batch(np.zeros((20, 1)), y=np.array([0, 1] * 10))
    y = all_rows(by_class(source(batch))).y
    np.testing.assert_array_equal(y, [0] * 5 + [0, 1] * 5)


def test_labels_of_any_type():
    y = np.empty(6, dtype=object)
    y[:] = [1, "1", 1, (2, 3), "1", (2, 3)]
    batch = all_rows(by_class(source(Batch(np.zeros((6, 1)), y=y)), "1", lead=1))
    assert batch.y.tolist() == ["1", 1, "1", (2, 3)]


# Missing values


def test_missing_cells_equal_those_found_one_by_one():
    stream = DriftingLinear(n_rows=150, n_features=7, k=2, batch=40)
    key = int(randomness._sequence(5, "WithMissing").generate_state(1, np.uint64)[0])
    batch = all_rows(WithMissing(stream, 0.3, seed=5))
    np.testing.assert_array_equal(batch.X, naive.with_missing(all_rows(stream).X, 0.3, key))
    np.testing.assert_array_equal(batch.y, all_rows(stream).y)
    np.testing.assert_array_equal(batch.relevant, all_rows(stream).relevant)


def test_the_share_of_missing_cells():
    for share in (0.0, 0.05, 0.3, 1.0):
        X = all_rows(WithMissing(DriftingLinear(n_rows=5_000, n_features=40, k=2), share)).X
        sd = np.sqrt(share * (1 - share))
        missing = np.isnan(X)
        assert abs(missing.mean() - share) <= 5 * sd / np.sqrt(X.size)
        assert np.all(np.abs(missing.mean(axis=0) - share) <= 5 * sd / np.sqrt(5_000))
        assert np.all(np.abs(missing.mean(axis=1) - share) <= 6 * sd / np.sqrt(40))
        if 0 < share < 1:
            neighbours = np.corrcoef(missing.ravel()[1:], missing.ravel()[:-1])[0, 1]
            assert abs(neighbours) < 5 / np.sqrt(X.size)


def test_missing_values_do_not_depend_on_batching_and_seek_exactly(stream):
    whole = all_rows(stream)
    assert_batching_does_not_matter(lambda batch: WithMissing(source(whole, batch), seed=2))
    assert_seek_is_exact(lambda: WithMissing(source(whole, 37), seed=2))


def test_sparse_rows_lose_the_stored_cells_that_dense_rows_lose(stream):
    X = all_rows(stream).X
    thin = sparse.csr_array(X)
    lost = all_rows(WithMissing(source(Batch(thin)))).X
    assert lost.nnz == thin.nnz
    stored = thin.toarray() != 0
    cells = all_rows(WithMissing(source(Batch(thin.toarray())))).X
    np.testing.assert_array_equal(lost.toarray()[stored], cells[stored])
    assert np.all(lost.toarray()[~stored] == 0)


def test_missing_values_leave_the_source_as_it_was(stream):
    before = dense(all_rows(stream).X).copy()
    all_rows(WithMissing(stream))
    np.testing.assert_array_equal(dense(all_rows(stream).X), before)


def test_missing_values_flow_from_endless_streams():
    endless = WithMissing(DriftingLinear(n_rows=None, n_features=3, k=1))
    assert endless.endless
    assert np.isnan(next(iter(endless)).X).any()


def test_missing_gives_no_position_where_its_source_gives_none(stream):
    batch = all_rows(stream).replace(position=None)
    assert [b.position for b in WithMissing([batch, batch])] == [None, None]


def test_missing_begins_where_its_source_stands():
    stream = DriftingLinear(n_rows=300, n_features=3, k=1, batch=100)
    stream.seek(200)
    assert len(list(WithMissing(stream))) == 1


def test_the_papers_missing_values_are_those_of_a_shuffled_stream(stream):
    batch = all_rows(WithMissing(stationary(stream, seed=1), seed=1))
    kept = ~np.isnan(dense(batch.X))
    np.testing.assert_array_equal(
        dense(batch.X)[kept], dense(all_rows(stationary(stream, seed=1)).X)[kept]
    )


# All


def test_global_seed_is_untouched(stream):
    for make in SCENARIOS.values():
        assert_global_seed_untouched(lambda make=make: all_rows(make(stream)))


def test_writing_into_a_batch_changes_no_later_one(stream):
    for make in (stationary, sorted_by_feature, by_class):
        arranged = make(stream)
        before = all_rows(arranged)
        for batch in arranged:
            (batch.X.data if batch.is_sparse else batch.X)[:] = 7
        assert_same_rows(all_rows(arranged), before)


@pytest.mark.parametrize("arrange", [stationary, sorted_by_feature, by_class])
def test_what_cannot_be_collected_is_refused(arrange):
    with pytest.raises(ValueError, match="an endless stream cannot be collected"):
        arrange(DriftingLinear(n_rows=None))
    with pytest.raises(ValueError, match="endless"):
        arrange(WithMissing(DriftingLinear(n_rows=None)))
    with pytest.raises(ValueError, match="the stream has no rows to arrange"):
        arrange(DriftingLinear(n_rows=0))
    with pytest.raises(ValueError, match=r"the first 200 rows of the stream take \d+ bytes, and"):
        arrange(DriftingLinear(n_rows=1_000, batch=100), max_bytes=1_000_000)
    with pytest.raises(ValueError, match="batch must be a whole number of at least 1"):
        arrange(DriftingLinear(n_rows=100, n_features=3, k=1), batch=0)


def test_streams_without_labels():
    unlabelled = source(Batch(np.arange(6.0).reshape(3, 2)))
    assert all_rows(stationary(unlabelled)).y is None
    assert all_rows(sorted_by_feature(unlabelled, 1)).n_rows == 3
    with pytest.raises(ValueError, match="no labels to find its best feature by"):
        sorted_by_feature(unlabelled)
    with pytest.raises(ValueError, match="cannot arrive by class"):
        by_class(unlabelled)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: sorted_by_feature(s, "nobody"), "no feature named 'nobody'"),
        (lambda s: sorted_by_feature(s, 4), "feature must be a whole number from 0 to 3, not 4"),
        (lambda s: sorted_by_feature(s, -1), "feature must be a whole number from 0 to 3"),
        (lambda s: sorted_by_feature(s, 1.5), "feature must be a whole number"),
        (lambda s: by_class(s, "w"), "no row of the stream is of the class 'w'"),
        (lambda s: by_class(s, "x", lead=401), "lead must be a whole number from 0 to"),
        (lambda s: by_class(s, lead=-1), "lead must be a whole number from 0"),
        (lambda s: stationary(s, seed=-1), "seed must be"),
        (lambda s: WithMissing(s, 1.2), "share must be a finite number from 0 to 1, not 1.2"),
        (lambda s: WithMissing(s, float("nan")), "share must be"),
        (lambda s: WithMissing(s, seed=None), "seed must be"),
        (lambda s: WithMissing(s).seek(3), "3 is not a position in a stream with missing"),
        (lambda s: WithMissing(s).seek([-1, None]), "is not a position"),
        (lambda s: stationary(s).seek(401), "a position in this stream must be"),
    ],
)
def test_bad_input_is_refused(stream, act, message):
    with pytest.raises(ValueError, match=message):
        act(stream)


def test_one_class_and_infinities_are_refused():
    with pytest.raises(ValueError, match="all rows of the stream are of one class"):
        by_class(source(Batch(np.zeros((5, 1)), y=np.zeros(5))))
    X = np.array([[1.0, 2.0], [np.inf, 1.0]])
    with pytest.raises(ValueError, match="column 0 holds an infinity in row 1"):
        sorted_by_feature(source(Batch(X, y=np.array([0, 1]))))


def test_collecting_begins_where_the_source_stands():
    stream = DriftingLinear(n_rows=300, n_features=3, k=1, batch=100)
    stream.seek(100)
    assert collect(stream).n_rows == 200
