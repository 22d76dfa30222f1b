"""What cannot be read is refused with one sentence that says what to do."""

import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftsieve import open_stream
from driftsieve.streams.write import write_stream

ARROW_STREAM = pl.DataFrame({"a": [1.0]}).write_ipc_stream(None).getvalue()
TABLE = pl.DataFrame({"first": [1.0, 2.0], "second": [3, 4], "label": ["a", "b"]})


def csv(text, **options):
    def read(folder):
        (folder / "f.csv").write_text(text)
        list(open_stream(folder / "f.csv", **options))

    return read


def jsonl(text, **options):
    def read(folder):
        (folder / "f.jsonl").write_text(text)
        list(open_stream(folder / "f.jsonl", **options))

    return read


def parquet(**options):
    def read(folder):
        TABLE.write_parquet(folder / "f.parquet")
        list(open_stream(folder / "f.parquet", **options))

    return read


def source(source, **options):
    return lambda folder: list(open_stream(source, **options))


def garbage(name, content=b"\x00\x01garbage"):
    def read(folder):
        (folder / name).write_bytes(content)
        list(open_stream(folder / name))

    return read


def damaged(folder):
    TABLE.drop("label").write_parquet(folder / "f.parquet")
    content = bytearray((folder / "f.parquet").read_bytes())
    content[4:40] = bytes(36)
    (folder / "f.parquet").write_bytes(content)
    list(open_stream(folder / "f.parquet"))


def second_is_damaged(name):
    def read(folder):
        paths = [folder / f"1{name}", folder / f"2{name}"]
        save = TABLE.write_parquet if name == ".parquet" else TABLE.write_ipc
        save(paths[0])
        paths[1].write_bytes(paths[0].read_bytes()[:-20])
        open_stream(paths, target="label")

    return read


def missing_file(folder):
    TABLE.write_parquet(folder / "clicks.parquet")
    open_stream(folder / "click.parquet")


def two_formats(folder):
    TABLE.write_parquet(folder / "f.parquet")
    TABLE.write_csv(folder / "f.csv")
    open_stream(folder)


def other_header(folder):
    (folder / "1.csv").write_text("a,b\n1,2\n")
    (folder / "2.csv").write_text("b,a\n1,2\n")
    list(open_stream([folder / "1.csv", folder / "2.csv"]))


def several_arrays(folder):
    np.savez(folder / "f.npz", X=np.ones((2, 2)))
    open_stream(folder / "f.npz", format="numpy")


NO_BATCH = "batch must be a positive number"
CASES = {
    "no such file": (missing_file, "there is no file .*click.parquet: did you mean .*clicks"),
    "no match": (source("nowhere/*.csv"), "no file matches"),
    "empty directory": (lambda folder: open_stream(folder), "holds no file of a known format"),
    "two formats": (two_formats, "different formats: csv, parquet"),
    "unknown ending": (garbage("f.xyz"), r"f.xyz is not known by its ending .*\.csv.* format="),
    "unknown format": (parquet(format="xls"), "unknown format 'xls': known are parquet, csv"),
    "unknown option": (parquet(separator=";"), "parquet files have no option 'separator'"),
    "misspelt option": (csv("a\n1\n", sep=";"), r"no option 'sep' \(known: separator, header\)"),
    "no parquet": (garbage("f.parquet"), "cannot be read as parquet"),
    "no arrow": (garbage("f.arrow"), "cannot be read as ipc"),
    "no gzip": (garbage("f.csv.gz"), "cannot be decompressed"),
    "cut gzip": (garbage("f.csv.gz", b"\x1f\x8b\x08\x00\x00\x00"), "cannot be decompressed"),
    "no bzip2": (garbage("f.csv.bz2"), "cannot be decompressed"),
    "no xz": (garbage("f.csv.xz"), "cannot be decompressed"),
    "no NumPy file": (garbage("f.npy"), "cannot be read as a NumPy array"),
    "empty NumPy file": (garbage("f.npy", b""), "cannot be read as a NumPy array"),
    "empty parquet": (garbage("f.parquet", b""), "cannot be read as parquet"),
    "second parquet cut": (second_is_damaged(".parquet"), r"2\.parquet cannot be read"),
    "second arrow cut": (second_is_damaged(".arrow"), r"2\.arrow cannot be read"),
    "damaged parquet": (damaged, "from row 0 on"),
    "batch 0": (parquet(batch=0), NO_BATCH),
    "batch 1.5": (parquet(batch=1.5), NO_BATCH),
    "no target": (parquet(target="lable"), "no target column 'lable': did you mean 'label'"),
    "no such feature": (parquet(features=["frist"]), "did you mean 'first'"),
    "no such weight": (parquet(weight="zzz"), "no weight column 'zzz': its columns are 'first'"),
    "target as feature": (
        parquet(target="label", features=["first", "label"]),
        "column 'label' is the target: it cannot be a feature as well",
    ),
    "feature twice": (parquet(features=["first", "first"]), "feature 'first' is named twice"),
    "features as text": (parquet(features="first"), "must be a list"),
    "no features left": (parquet(features=[]), "no column left"),
    "text feature": (
        parquet(),
        r"column 'label' holds String values: encode it .*listing in features=\[",
    ),
    "labels of a file": (parquet(target=[1, 2]), "the target of a file is the name of a column"),
    "empty csv": (csv(""), "f.csv is empty"),
    "no number": (
        csv("a,b\n1,2\n1,oops\n", target="a"),
        "row 1: column 'b' holds 'oops', which is not a number: encode",
    ),
    "missing label": (csv("a,b\n1,2\n,3\n", target="a"), "the label of row 1 is missing"),
    "old line end": (csv("a,b\n1,2\r3,4\n"), "carriage return stands amid a line"),
    "too few fields": (csv("a,b\n1,2\n1\n"), "row 1 has 1 fields instead of 2"),
    "too many fields": (csv("a,b\n1,2\n1,2,3\n"), "row 1 has 3 fields instead of 2"),
    "no header": (csv("1,2\n3,4\n"), "holds numbers, not column names.*header=False"),
    "other separator": (csv("a;b\n1;2\n"), "give separator=';'"),
    "long separator": (csv("a;b\n1;2\n", separator=";;"), "a single character"),
    "names twice": (csv("a,a\n1,2\n"), "two columns are named 'a'"),
    "target twice": (csv("a,y,y\n1,2,3\n", target="y"), "two columns are named 'y'"),
    "weight twice": (csv("a,w,w\n1,2,3\n", weight="w"), "two columns are named 'w'"),
    "too few fields beside quotes": (csv('a,b\n"1",2\n3\n'), "row 1 has 1 fields instead of 2"),
    "too many fields beside quotes": (csv('a,b\n"1",2\n3,4,5\n'), "row 1 has 3 fields"),
    "a quotation without end": (csv('a,b\n1,"2\n3,4\n'), "from row 0 on: a double quote stands"),
    "a quotation amid a cell": (csv('a,y\n1,x"\n2,y"\n', target="y"), "a double quote stands amid"),
    "no newlines": (csv("a,b\r1,2\r"), "ends its lines with carriage returns alone"),
    "only blank lines": (csv("\n\n"), "holds no column names"),
    "other header": (other_header, "columns of .*2.csv are not those of .*1.csv"),
    "bad weight": (csv("a,w\n1,-1\n", weight="w"), "sample weight of row 0 is -1"),
    "Latin-1": (garbage("f.csv", "größe\n1\n".encode("latin1")), "not encoded as UTF-8"),
    "Latin-1 label": (
        garbage("f.csv", "a\n1\nö\n".encode("latin1")),
        "row 1 is not encoded as UTF-8: save it so",
    ),
    "empty gzip": (garbage("f.csv.gz", gzip.compress(b"")), "holds no column names"),
    "empty gzip of JSON": (garbage("f.jsonl.gz", gzip.compress(b"")), "begins with no JSON"),
    "an Arrow stream": (garbage("f.arrow", ARROW_STREAM), "it is no Arrow file"),
    "several NumPy arrays": (several_arrays, "holds several arrays: pass them as"),
    "no name": (source(""), "the name of the file is empty"),
    "no JSON": (jsonl('{"a": 1}\n{"a": \n'), "row 1 is no JSON"),
    "no JSON object": (jsonl('{"a": 1}\n[1, 2]\n'), "row 1 is no JSON object"),
    "text in JSON": (jsonl('{"a": 1}\n{"a": "x"}\n'), "row 1: column 'a' holds 'x', which is not"),
    "nothing in JSON": (jsonl("\n\n"), "begins with no JSON object"),
    "infinity in JSON": (jsonl('{"a": 1}\n{"a": Infinity}\n'), "row 1: 'a' is infinite"),
    "too large for JSON": (jsonl('{"a": 1}\n\n{"a": 1e400}\n'), "'a' is infinite"),
    "truth and numbers": (
        jsonl('{"a": 1}\n{"a": null}\n{"a": true}\n{"a": 0.5}\n'),
        "row 2: 'a' mixes numbers and truth values",
    ),
    "list in JSON": (jsonl('{"a": [1]}\n'), r"column 'a' holds List\(Int64\) values: encode"),
    "a number": (source(7), "cannot be read from a int"),
    "nothing": (source(None), "cannot be read from a NoneType"),
    "an open file": (source(io.StringIO("a\n1\n")), "pass its path"),
    "vector": (source(np.ones(3)), "must hold rows by features"),
    "labels too short": (source(np.ones((3, 2)), target=[1, 2]), "3 rows but there are 2 labels"),
    "weights too short": (
        source((np.ones((3, 2)), [1, 2, 3], [1.0])),
        "3 rows but there are 1 weights",
    ),
    "column of an array": (source(np.ones((3, 2)), target="y"), "have no names"),
    "labels twice": (source((np.ones((2, 2)), [0, 1]), target=[0, 1]), "given twice"),
    "tuple of four": (source((1, 2, 3, 4)), "a tuple must be"),
    "text in an array": (source(np.array([["a"]])), "encode it as numbers"),
    "text in a table": (source(TABLE), "column 'label' holds String"),
    "text in pandas": (source(TABLE.to_pandas()), "column 'label' holds"),
    "format of a table": (source(TABLE, format="csv"), "format= is for files"),
    "option of a table": (source(TABLE, header=True), "header= is for files"),
    "target of a source": (
        lambda folder: open_stream(open_stream(np.ones((2, 2))), target="a"),
        "a source gives finished batches",
    ),
    "missing label in a table": (
        source(pd.DataFrame({"x": [1.0, 2.0], "y": ["a", None]}), target="y"),
        "the label of row 1 is missing",
    ),
    "item of no kind": (source([[1, 2], [3, 4]]), r"gave a list: it should give \(X, y\)"),
    "rows without target": (source([{"a": 1}], target="b"), "row 0 has no key 'b'"),
    "labels of an iterator": (source([{"a": 1}], target=[1]), "target is a name"),
    "text in a row": (source([{"a": "x"}]), "column 'a' holds 'x' in row 0"),
    "features of rows": (source([{"a": 1}], features="a"), 'or "open"'),
    "empty Arrow stream": (
        lambda folder: open_stream(pa.RecordBatchReader.from_batches(pa.schema([]), [])),
        "holds no rows",
    ),
}


@pytest.mark.parametrize(("read", "message"), CASES.values(), ids=CASES)
def test_one_sentence_says_what_to_do(read, message, tmp_path):
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message) as caught:
        read(tmp_path)
    text = str(caught.value)
    assert "\n" not in text
    assert "polars" not in text.lower().replace(str(tmp_path), "")


def test_rows_are_counted_over_the_whole_stream(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("a,y\n" + "1,0\n" * 70 + "x,0\n")
    with pytest.raises(ValueError, match="row 70: column 'a' holds 'x'"):
        list(open_stream(path, batch=10))
    rows = [{"a": 1}] * 70 + [{"a": "x"}]
    with pytest.raises(ValueError, match="counting rows from row 70: column 'a' holds 'x' in row"):
        list(open_stream(rows, batch=10))


@pytest.mark.parametrize("name", ["f.csv", "f.jsonl", "f.svm", "f.csv.gz", "f.parquet", "f.arrow"])
def test_a_position_behind_the_end_is_refused(tmp_path, name):
    path = tmp_path / name
    target = {} if name == "f.svm" else {"target": "y"}
    write_stream(open_stream((np.eye(5), [0, 1, 0, 1, 0])), str(path).removesuffix(".gz"))
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    stream = open_stream(path, batch=2, **target)
    *_, last = stream
    stream.seek(last.position)
    assert list(stream) == []
    stream.seek(np.int64(3))
    assert [len(batch) for batch in stream] == [2]
    with pytest.raises(ValueError, match="cannot begin at row 6"):
        stream.seek(6)
        list(stream)


def test_a_file_that_has_shrunk_since_is_refused(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("a,y\n" + "1,0\n" * 9)
    stream = open_stream(path, target="y", batch=3)
    *_, last = stream
    path.write_text("a,y\n" + "1,0\n" * 5)
    stream = open_stream(path, target="y", batch=3)
    stream.seek(last.position)
    with pytest.raises(ValueError, match=r"cannot begin at row 9: .*f\.csv ends before it"):
        list(stream)


def test_infinities_are_left_to_those_who_read_every_value(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("a\ninf\n1e400\n")
    (batch,) = open_stream(path)
    with pytest.raises(ValueError, match="an infinity in row 0"):
        batch.refuse_infinities()
