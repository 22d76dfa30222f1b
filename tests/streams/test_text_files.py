"""CSV and JSON lines as people write them."""

import gzip
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftsieve import open_stream
from driftsieve.streams.text import MISSING, TextFiles, labels_in_text

NAN = np.nan


@pytest.fixture
def read(tmp_path):
    """Write text to a file and return all rows, all labels."""

    def read(text, suffix=".csv", **options):
        path = tmp_path / f"f{suffix}"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        batches = list(open_stream(path, **options))
        labels = None
        if "target" in options:
            labels = [label for batch in batches for label in batch.y.tolist()]
        return np.vstack([batch.X for batch in batches]).tolist(), labels

    return read


def equal(read, expected):
    np.testing.assert_array_equal(read[0], expected)


@pytest.mark.parametrize("block", [16, 1 << 20])
def test_a_column_may_look_whole_at_first_and_not_later(read, monkeypatch, block):
    monkeypatch.setattr(TextFiles, "block_bytes", block)
    whole = "".join(f"{i},{i}\n" for i in range(500))
    X, _ = read("a,b\n" + whole + "0.5,1e3\n,NA\n")
    assert X[:500] == [[i, i] for i in range(500)]
    np.testing.assert_array_equal(X[500:], [[0.5, 1000], [NAN, NAN]])


@pytest.mark.parametrize("missing", MISSING)
def test_missing_values(read, missing):
    equal(read(f"a,b\n1,{missing}\n2, {missing} \n{missing},3\n"), [[1, NAN], [2, NAN], [NAN, 3]])


def test_numbers_as_people_write_them(read):
    text = 'a,b\n 1.5, 2 \n+1,-.5\n"3","1e-3"\n5.,1E+2\n'
    equal(read(text), [[1.5, 2], [1, -0.5], [3, 0.001], [5, 100]])


def test_truth_values_are_numbers(read, monkeypatch):
    equal(read("a,b\nTrue,1\nfalse,2\n,3\n"), [[1, 1], [0, 2], [NAN, 3]])
    monkeypatch.setattr(TextFiles, "block_bytes", 4)
    equal(read("a,b\n0,1\nTrue,1\nfalse,2\n,3\n"), [[0, 1], [1, 1], [0, 2], [NAN, 3]])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
@pytest.mark.parametrize("block", [3, 1 << 20])
def test_line_ends_and_blank_lines(read, monkeypatch, end, last, block):
    monkeypatch.setattr(TextFiles, "block_bytes", block)
    lines = ["a,b", "1,2", "", "3,4", "", "", "5,6"]
    text = end.join(lines) + (end if last else "")
    equal(read(text), [[1, 2], [3, 4], [5, 6]])


def test_blank_lines_are_no_rows_of_a_single_column(read):
    equal(read("a\n1\n\n2\n\n"), [[1], [2]])


def test_a_byte_order_mark_and_spaces_in_the_header(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(b"\xef\xbb\xbfa, b\n1,2\n")
    stream = open_stream(path)
    assert stream.names == ("a", "b")
    equal((next(iter(stream)).X, None), [[1, 2]])


@pytest.mark.parametrize("block", [1, 9, 1 << 20])
def test_quotes_may_hold_separators_line_ends_and_quotes(read, monkeypatch, block):
    monkeypatch.setattr(TextFiles, "block_bytes", block)
    text = '"a, or\nso",y\n1,"p,q"\n2,"r\ns"\n3,"t""u"\n4,v\n'
    X, y = read(text, target="y")
    assert X == [[1], [2], [3], [4]]
    assert y == ["p,q", "r\ns", 't"u', "v"]


def test_separator_and_header(read):
    equal(read("a;b\n1;2\n", separator=";"), [[1, 2]])
    equal(read("1,2\n3,4\n", header=False), [[1, 2], [3, 4]])
    assert read("1,2\n3,4\n", header=False, target="x1") == ([[1], [3]], [2, 4])


def test_only_columns_that_are_asked_for_must_be_numbers(read):
    equal(read("name,a,b\nfoo,1,2\nbar,3,4\n", features=["b", "a"]), [[2, 1], [4, 3]])


def test_every_label_is_read_by_itself(read, monkeypatch):
    text = "x,y\n1,1\n1,2.5\n1,a\n1,007\n1,1e3\n1,inf\n"
    labels = [1, 2.5, "a", 7, 1000.0, "inf"]
    assert read(text, target="y")[1] == labels
    monkeypatch.setattr(TextFiles, "block_bytes", 1)
    assert read(text, target="y")[1] == labels


@given(
    st.lists(
        st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1),
        min_size=1,
    )
)  # fmt: skip
def test_a_label_does_not_depend_on_its_neighbours(values):
    cells = [str(value) for value in values]
    together = labels_in_text(pl.Series(cells)).to_list()
    alone = [labels_in_text(pl.Series([cell])).to_list()[0] for cell in cells]
    assert together == alone
    for value, cell, label in zip(values, cells, together, strict=True):
        if isinstance(value, int | float):
            assert label == value
        elif isinstance(label, str):
            assert label == cell.strip()


@given(st.lists(st.floats(), min_size=1))
def test_csv_numbers_to_the_last_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "f.csv"
    path.write_text("a,b\n" + "".join(f"{value!r},1\n" for value in values))
    (batch,) = open_stream(path, batch=len(values))
    np.testing.assert_array_equal(batch.X[:, 0], values)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_json_keys_in_any_order_and_absent(read):
    text = lines({"a": 1, "b": 2.5}, {"b": 3}, {"b": None, "a": True}, {"a": NAN, "b": 1})
    with pytest.raises(ValueError, match="column 'a' holds"):
        read(text + lines({"a": "text"}), ".jsonl")
    text = lines({"a": 1, "b": 2.5}, {"b": 3}, {"b": None, "a": 7}, {"a": NAN, "b": 1})
    equal(read(text, ".jsonl"), [[1, 2.5], [NAN, 3], [7, NAN], [NAN, 1]])


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_json_blank_lines_truth_values_and_labels(read, monkeypatch, block):
    monkeypatch.setattr(TextFiles, "block_bytes", block)
    text = '{"a": true, "y": "u"}\n\n{"a": false, "y": "v"}\r\n\n\n{"a": null, "y": "u"}'
    X, y = read(text, ".jsonl", target="y")
    np.testing.assert_array_equal(X, [[1], [0], [NAN]])
    assert y == ["u", "v", "u"]


def test_json_keys_that_come_late(tmp_path, monkeypatch):
    monkeypatch.setattr(TextFiles, "block_bytes", 1)
    monkeypatch.setattr("driftsieve.streams.json_lines.FIRST_LOOK", 1)
    path = tmp_path / "f.jsonl"
    path.write_text(lines({"a": 1, "b": 2}, {"a": 3, "late": 4}))
    stream = open_stream(path)
    with pytest.raises(ValueError, match="row 1 on: the key 'late' is new"):
        list(stream)
    (batch,) = open_stream(path, features=["a", "b"])
    np.testing.assert_array_equal(batch.X, [[1, 2], [3, NAN]])


def test_nan_is_missing_as_a_value_and_stays_as_a_text(read):
    labels = ["a: NaN, b", 'c": NaN,', "{\\", "d:NaN}"]
    found = read(lines(*({"a": NAN, "y": label} for label in labels)), ".jsonl", target="y")
    equal(found, [[NAN]] * 4)
    assert found[1] == labels


def test_numbers_in_quotes_are_numbers_in_json_as_in_csv(read):
    equal(read(lines({"a": 1}, {"a": "2.5"}, {"a": "NA"}), ".jsonl"), [[1], [2.5], [NAN]])


@pytest.mark.parametrize(
    ("text", "suffix", "options"),
    [
        ("a,b\n1,2\n", ".csv", {}),
        ("1,2\n", ".csv", {"header": False}),
        (lines({"a": 1, "b": 2}), ".jsonl", {}),
        ("0 1:1 2:2\n", ".svm", {}),
    ],
    ids=["csv", "no header", "jsonl", "svmlight"],
)
def test_a_byte_order_mark_is_no_text(tmp_path, text, suffix, options):
    path = tmp_path / f"f{suffix}"
    path.write_text(text, encoding="utf-8-sig")
    (batch,) = open_stream(path, **options)
    X = batch.X.toarray() if batch.is_sparse else batch.X
    np.testing.assert_array_equal(X, [[1, 2]])


def test_blank_lines_in_quotes_belong_to_a_label(read, monkeypatch):
    text = 'a,y\n1,"u\n\nv"\n\n\n2,"u\nv"\n'
    X, y = read(text, target="y")
    assert X == [[1], [2]]
    assert y == ["u\n\nv", "u\nv"]


def test_columns_that_nobody_reads_may_be_named_alike(read):
    text = "a,note,b,note,y\n1,u,2,v,0\n3,w,4,x,1\n"
    X, y = read(text, target="y", features=["b", "a"])
    assert X == [[2, 1], [4, 3]]
    assert y == [0, 1]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_labels_beyond_64_bits_are_kept_apart(read, suffix):
    huge = [2**64 + 1, 2**64 + 2, -(2**63) - 1, 7]
    text = "a,y\n" + "".join(f"1,{label}\n" for label in huge)
    if suffix == ".jsonl":
        text = lines(*({"a": 1, "y": label} for label in huge))
    assert read(text, suffix, target="y")[1] == huge


def test_endings_in_capitals(tmp_path):
    path = tmp_path / "F.CSV.GZ"
    path.write_bytes(gzip.compress(b"a\n1\n"))
    (batch,) = open_stream(path)
    assert batch.X.tolist() == [[1]]


def test_no_rows_are_no_batches(tmp_path):
    (tmp_path / "f.csv").write_text("a,b\n")
    assert list(open_stream(tmp_path / "f.csv")) == []
