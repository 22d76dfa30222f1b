"""Streams from arrays, tables and iterators: sizes, names, keys that come and go."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from driftsieve import as_batch, open_stream

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def test_items_keep_their_sizes_and_rows_are_collected():
    sizes = [3, 1, 2]
    ends = np.cumsum(sizes)
    items = [(X[e - s : e], Y[e - s : e]) for s, e in zip(sizes, ends, strict=True)]
    stream = open_stream(items, batch=2)
    assert [(len(b), b.position) for b in stream] == [(3, 3), (1, 4), (2, 6)]
    rows = [{"a": float(i), "y": i % 2} for i in range(5)]
    stream = open_stream(rows, target="y", batch=2)
    assert [(len(b), b.position) for b in stream] == [(2, 2), (2, 4), (1, 5)]


def test_rows_and_tables_may_alternate():
    table = pl.DataFrame({"a": [7.0], "y": [1]})
    items = [{"a": 1, "y": 0}, {"a": 2, "y": 1}, table, {"a": 3, "y": 0}]
    stream = open_stream(items, target="y", batch=3)
    assert [b.X.ravel().tolist() for b in stream] == [[1, 2], [7], [3]]


@pytest.mark.parametrize("kind", [pl.DataFrame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_tables_without_rows_may_come_by(kind):
    table = pl.DataFrame({"a": [7.0], "y": [1]})
    tables = [kind(table), kind(table.head(0)), kind(table)]
    stream = open_stream(tables, target="y")
    assert [(len(batch), batch.position) for batch in stream] == [(1, 1), (1, 2)]


def test_an_iterator_may_fail_in_the_middle():
    """What came before has been delivered, and the error is the iterator's own."""

    def items(fail):
        yield X[:2], Y[:2]
        if fail:
            raise ConnectionError("gone")
        yield X[2:], Y[2:]

    failing = [True]
    stream = open_stream(lambda: items(failing[0]))
    batches = iter(stream)
    first = next(batches)
    with pytest.raises(ConnectionError, match="gone"):
        next(batches)
    failing[0] = False
    stream.seek(first.position)
    assert [batch.X.tolist() for batch in stream] == [X[2:].tolist()]


def test_an_iterator_is_read_once():
    stream = open_stream((X[i : i + 2], Y[i : i + 2]) for i in range(0, 6, 2))
    stream.seek(2)
    assert [b.y.tolist() for b in stream] == [[0, 1], [0, 1]]
    for again in (lambda: list(stream), lambda: stream.seek(0)):
        with pytest.raises(ValueError, match="pass a function that returns a new one"):
            again()


def test_seeking_behind_the_end_of_an_iterator():
    stream = open_stream(lambda: iter([(X, Y)]))
    stream.seek(7)
    with pytest.raises(ValueError, match="has only 6 rows"):
        list(stream)


def test_seeking_into_an_item_gives_its_rest():
    stream = open_stream([(X, Y)])
    stream.seek(4)
    (batch,) = stream
    np.testing.assert_array_equal(batch.X, X[4:])
    assert batch.position == 6


def test_batches_keep_what_they_carry():
    batch = as_batch(X, Y, weight=np.ones(6), names=["a", "b"])
    (got,) = open_stream(lambda: iter([batch]))
    assert got.names == ("a", "b")
    assert got.weight is batch.weight


def test_keys_that_come_and_go_need_open_features():
    rows = [{"a": 1, "y": 0}, {"a": 2, "b": 3, "y": 1}, {"b": 4, "y": 0}]
    with pytest.raises(ValueError, match='features="open"'):
        list(open_stream(rows, target="y"))
    (batch,) = open_stream(rows, target="y", features="open")
    assert batch.names == ("a", "b")
    np.testing.assert_array_equal(batch.X, [[1, np.nan], [2, 3], [np.nan, 4]])
    (batch,) = open_stream(rows, target="y", features=["b"])
    np.testing.assert_array_equal(batch.X, [[np.nan], [3], [4]])


def test_weights_of_rows():
    rows = [{"a": 1, "w": 2, "y": 0}, {"a": 2, "w": 0.5, "y": 1}]
    (batch,) = open_stream(rows, target="y", weight="w")
    assert batch.names == ("a",)
    assert batch.weight.tolist() == [2, 0.5]


def test_rows_are_not_changed():
    rows = [{"a": 1, "y": 0}]
    list(open_stream(rows, target="y"))
    assert rows == [{"a": 1, "y": 0}]


def test_dense_arrays_are_not_copied():
    for source in (X, np.asfortranarray(X), X.astype(np.float32)):
        for batch in open_stream(source, batch=2):
            assert np.shares_memory(batch.X, source)


def test_sparse_batches_are_csr():
    for batch in open_stream(sparse.coo_array(X), target=Y, batch=4):
        assert isinstance(batch.X, sparse.csr_array)


def test_labels_of_every_kind_beside_an_array():
    for labels in (Y, Y.tolist(), pl.Series(Y), list("ababab"), Y.astype(bool)):
        got = [label for _, y in open_stream(X, target=labels, batch=4) for label in y.tolist()]
        assert got == list(labels)
