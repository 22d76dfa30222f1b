"""Columns and other input of a selector: what is accepted, and what is refused without a trace."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Fading, Hysteresis, Screening, Window, as_batch, load
from tests.naive import moments as naive

NAMES = list("abcd")


def data(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, 4))
    X[:, 2] += y
    return X, y


def frame(X, names=NAMES):
    return pl.DataFrame(np.asarray(X), schema=list(names))


# Columns that come, go and change places.

MEMORIES = {"all": None, "fading": Fading(0.97, every=3), "window": Window(25)}


def weights(memory, n):
    if isinstance(memory, Fading):
        return naive.fading_weights(n, memory.alpha, memory.every)
    return naive.window_weights(n, memory.rows if memory else n)


def changing_rows(seed):
    """Batches of dict rows: new features, absent ones, and another order in each batch."""
    rng = np.random.default_rng(seed)
    met = 2
    for _ in range(12):
        met = min(met + int(rng.integers(0, 2)), 6)
        names = [f"f{j}" for j in rng.permutation(met)[: rng.integers(1, met + 1)]]
        labels = rng.integers(0, 2, rng.integers(1, 9)).tolist()
        yield [{name: rng.standard_normal() + y for name in names} for y in labels], labels


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize(("score", "twin"), [("t", naive.t), ("fisher", naive.fisher)])
def test_features_may_come_and_go(score, twin, memory, seed):
    sieve = Screening(score, k=2, memory=memory, features="open")
    rows, labels, order = [], [], []
    for new_rows, new_labels in changing_rows(seed):
        sieve.partial_fit(new_rows, new_labels)
        rows += new_rows
        labels += new_labels
        order += [name for name in new_rows[0] if name not in order]
        assert sieve.feature_names_in_.tolist() == order
        weight = weights(memory, len(rows))
        expected = [twin([r.get(name, np.nan) for r in rows], labels, weight) for name in order]
        # A score that is undefined or infinite in exact arithmetic is huge in floats at best.
        sound = np.isfinite(expected)
        assert_allclose(sieve.scores_[sound], np.array(expected)[sound], rtol=1e-7, atol=1e-9)
        assert np.isnan(sieve.scores_[np.isnan(expected)]).all()


@pytest.mark.parametrize("make", [frame, lambda X, names: pd.DataFrame(X, columns=list(names))])
def test_frames_are_told_by_their_names(make):
    X, y = data()
    straight, shuffled = (Screening("t", k=2, features="open") for _ in range(2))
    order = [2, 0, 3, 1]
    for part in (slice(0, 20), slice(20, 40), slice(40, 60)):
        straight.partial_fit(make(X[part], NAMES), y[part])
        shuffled.partial_fit(make(X[part][:, order], [NAMES[j] for j in order]), y[part])
        order = order[1:] + order[:1]
    assert straight.scores_[[2, 0, 3, 1]].tolist() == shuffled.scores_.tolist()
    assert straight.selection_.names == shuffled.selection_.names


def test_sparse_rows_may_change_places_but_gain_no_features():
    X, y = data()
    X[X < 0] = 0
    straight, shuffled = (Screening("t", k=2, features="open") for _ in range(2))
    order = [2, 0, 3, 1]
    sorted_rows = as_batch(sparse.csr_array(X), y, names=NAMES)
    other_rows = as_batch(sparse.csr_array(X[:, order]), y, names=[NAMES[j] for j in order])
    straight.learn(sorted_rows).learn(other_rows)
    shuffled.learn(other_rows).learn(sorted_rows)
    assert_allclose(straight.scores_[order], shuffled.scores_)
    assert_array_equal(
        straight.transform(next(iter(sorted_rows))).toarray(),
        straight.transform(next(iter(other_rows))).toarray(),
    )
    with pytest.raises(ValueError, match="sparse rows cannot gain features"):
        straight.learn(as_batch(sparse.csr_array(X), y, names=[*"abc", "new"]))


def test_what_is_open_needs_names_and_a_column_at_least():
    X, y = data()
    sieve = Screening(features="open")
    with pytest.raises(ValueError, match="columns are told by their names"):
        sieve.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        sieve.partial_fit([{}], [0])


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
def test_a_row_may_miss_all_features_in_whatever_batch_it_comes(memory):
    rows, y = [{"a": 1.0}, {}, {"a": 2.0, "b": 1.0}, {}, {"b": 3.0, "a": 1.5}], [0, 1, 1, 0, 0]
    whole, single = (Screening("t", k=1, memory=memory, features="open") for _ in range(2))
    whole.partial_fit(rows, y)
    for row, label in zip(rows, y):
        single.partial_fit([row], [label])
    assert_allclose(single.scores_, whole.scores_)
    assert single.n_samples_seen_ == 5
    assert_array_equal(single.transform([{}]), [[np.nan]])


def test_dict_rows_are_like_frames():
    X, y = data()
    rows, table = Screening("t", k=2), Screening("t", k=2)
    rows.partial_fit(frame(X).to_dicts(), y)
    table.partial_fit(frame(X), y)
    assert rows.selection_ == table.selection_
    assert_array_equal(rows.transform(frame(X).to_dicts()), table.transform(frame(X)))
    with pytest.raises(ValueError, match="row 1 has no feature 'd'"):
        rows.partial_fit([{"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 1, "c": 1}], [0, 1])


# What is refused leaves no trace.


def changed(row, column, value, kind=float):
    X = data()[0].astype(kind)
    X[row, column] = value
    return X


X, Y = data()
CLOSED = 'features="open"'
BAD = {
    "new column": (frame(np.c_[X, X[:, 0]], "abcde"), Y, None, rf"(?s)unseen.*- e\n.*{CLOSED}"),
    "missing column": (frame(X[:, :3], "abc"), Y, None, rf"(?s)now missing:\n- d\n.*{CLOSED}"),
    "reordered": (frame(X, "abdc"), Y, None, rf"(?s)same order.*'c' was, there is 'd'.*{CLOSED}"),
    "renamed": (frame(X, "abcz"), Y, None, r"(?s)unseen at fit time:\n- z\n.*missing:\n- d"),
    "too few columns": (X[:, :3], Y, None, "X has 3 features, but Screening is expecting 4"),
    "infinity": (changed(7, 2, -np.inf), Y, None, "column 2 holds an infinity in row 7"),
    "narrow infinity": (changed(2, 1, np.inf, np.float32), Y, None, "column 1 .* in row 2"),
    "named infinity": (frame(changed(59, 3, np.inf)), Y, None, "column 'd' holds .* in row 59"),
    "too large": (frame(changed(9, 1, 1e200)), Y, None, r"column 'b' holds 1e\+200.* in row 9"),
    "sparse infinity": (sparse.csr_array(changed(7, 2, np.inf)), Y, None, "in row 7"),
    "far too large": (changed(3, 1, 10**400, object), Y, None, "an infinity in row 3"),
    "text": (changed(3, 1, "red", object), Y, None, "column 1 holds text .'red' in row 3"),
    "text column": (frame(X).with_columns(b=pl.lit("red")), Y, None, "column 'b' holds String"),
    "dates": (frame(X).with_columns(b=datetime.date(2026, 1, 1)), Y, None, "'b' holds Date"),
    "complex": (X * 1j, Y, None, "Complex data not supported"),
    "one dimension": (X[:, 0], Y, None, "Expected 2D array, got 1D"),
    "three dimensions": (X[None], Y, None, "Expected 2D array, got 3D"),
    "no columns": (X[:, :0], Y, None, r"0 feature\(s\)"),
    "no labels": (X, None, None, "requires y to be passed"),
    "too few labels": (X, Y[:-1], None, "X has 60 rows but y has 59 labels"),
    "a table of labels": (X, np.c_[Y, Y], None, "one label per row"),
    "missing label": (X, [None, *Y[1:].tolist()], None, "label of row 0 is missing"),
    "NaN label": (X, np.where(np.arange(60) == 5, np.nan, Y), None, "label of row 5 is missing"),
    "unhashable label": (X, [*Y[1:].tolist(), []], None, "row 59 is a list, which is not hash"),
    "negative weight": (X, Y, np.r_[np.ones(59), -1], "weight of row 59 is -1.0"),
    "NaN weight": (X, Y, np.r_[np.nan, np.ones(59)], "weight of row 0 is nan"),
    "too few weights": (X, Y, np.ones(5), "60 rows but there are 5 sample weights"),
    "text for weights": (X, Y, ["heavy"] * 60, "weights must be numbers"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize(("bad", "y", "weight", "message"), BAD.values(), ids=BAD)
def test_a_bad_batch_is_refused_and_leaves_the_state_as_it_was(
    bad, y, weight, message, memory, tmp_path
):
    sieve = Screening("t", k=Hysteresis(2, slack=1, every=10), memory=memory)
    sieve.partial_fit(frame(X[:45]), Y[:45])
    sieve.save(tmp_path / "before.sieve")
    with pytest.raises(ValueError, match=message):
        sieve.partial_fit(bad, y, weight)
    sieve.save(tmp_path / "after.sieve")
    assert (tmp_path / "after.sieve").read_bytes() == (tmp_path / "before.sieve").read_bytes()
    again = load(tmp_path / "before.sieve")
    assert sieve.partial_fit(frame(X), Y).selection_ == again.partial_fit(frame(X), Y).selection_


@pytest.mark.parametrize(("bad", "y", "weight", "message"), BAD.values(), ids=BAD)
def test_a_bad_first_batch_leaves_nothing_behind(bad, y, weight, message):
    sieve = Screening("t", k=2)
    try:
        sieve.partial_fit(bad, y, weight)
    except ValueError:
        assert vars(sieve) == vars(Screening("t", k=2))
        sieve.partial_fit(frame(X), Y)
    else:  # it was bad only for one that knows its columns
        assert any(word in message for word in ("column", "order", "features", "fit"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"k": k}, "k must be a whole number of at least 1") for k in (0, -1, 2.5, True, "3")),
        *(({"k": k}, "k must be a whole number of at least 1") for k in (None, [2], Hysteresis)),
        *(({"memory": m}, "memory must be None, a Fad") for m in (0.99, "fading", 10, Fading)),
        *(({"score": s}, "there is no score") for s in ("beauty", None, 3, ["t"])),
        *(({"n_jobs": n}, "n_jobs must be") for n in (0, -1, 1.5, "2", None)),
        *(({"features": f}, 'features must be "closed" or "open"') for f in ("ajar", None)),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_when_learning_begins(parameters, message):
    sieve = Screening(**parameters)
    for learn in (sieve.fit, sieve.partial_fit):
        with pytest.raises(ValueError, match=message):
            learn(X, Y)
    assert not sieve.__sklearn_is_fitted__()


def test_numbers_for_labels_are_refused():
    sieve = Screening("t", k=2).partial_fit(X, Y)
    before = sieve.scores_
    with pytest.raises(ValueError, match="more than 1000 classes: is it a numeric target"):
        sieve.partial_fit(np.zeros((2000, 4)), np.arange(2000))
    assert_array_equal(sieve.scores_, before)


def test_a_bad_column_is_named_wherever_it_belongs():
    sieve = Screening(features="open").partial_fit(frame(X), Y)
    with pytest.raises(ValueError, match="column 'b' holds an infinity in row 8"):
        sieve.partial_fit(frame(changed(8, 0, np.inf), "bdax"), Y)
    assert sieve.feature_names_in_.tolist() == NAMES


def test_more_features_than_there_are_can_be_asked_for():
    sieve = Screening("t", k=99).fit(X, Y)
    assert len(sieve.selection_) == 4
    assert_array_equal(sieve.transform(X), X)


def test_no_rows_teach_nothing():
    sieve = Screening("t", k=2).partial_fit(X, Y)
    before = sieve.selection_
    assert sieve.partial_fit(X[:0], Y[:0]).selection_ == before
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        sieve.fit(X[:0], Y[:0])
    assert sieve.selection_ == before, "a fit that fails does not forget"


def test_dict_rows_have_no_order():
    rows = [{"a": 1.0, "b": 5.0}, {"a": 2.0, "b": 7.0}, {"a": 4.0, "b": 6.0}]
    turned = [dict(reversed(row.items())) for row in rows]
    once = Screening("t").partial_fit(rows, [0, 1, 0]).partial_fit(rows, [1, 0, 1])
    twice = Screening("t").partial_fit(rows, [0, 1, 0]).partial_fit(turned, [1, 0, 1])
    assert np.array_equal(once.scores_, twice.scores_)
    assert np.array_equal(once.transform(rows), once.transform(turned))
    assert list(twice.feature_names_in_) == ["a", "b"]
