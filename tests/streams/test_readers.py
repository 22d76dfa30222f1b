"""What all readers promise: the same rows from every format, in equal batches, from anywhere."""

import bz2
import gc
import gzip
import io
import json
import lzma
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from driftsieve import open_stream
from driftsieve.contracts import Source
from driftsieve.streams import columnar, text
from driftsieve.streams.svmlight import SVMLight

ROWS, BATCH = 53, 7
RNG = np.random.default_rng(7)
X = np.round(RNG.standard_normal((ROWS, 3)), 6)
Y = RNG.integers(0, 3, ROWS)
WEIGHT = RNG.integers(0, 5, ROWS).astype(float)
FRAME = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
    y=pl.Series(Y), w=pl.Series(WEIGHT), unused=pl.lit("text")
)
NAMES = ("a", "b", "c")
CHOICE = {"target": "y", "weight": "w", "features": list(NAMES)}


def written(suffix, folder):
    """Write the table in a format and return its path."""
    path = folder / f"table{suffix}"
    buffer = io.BytesIO()
    if ".parquet" in suffix:
        FRAME.write_parquet(buffer, row_group_size=10)
    elif ".arrow" in suffix:
        FRAME.write_ipc(buffer, record_batch_size=10)
    elif ".csv" in suffix:
        FRAME.write_csv(buffer)
    elif ".tsv" in suffix:
        FRAME.write_csv(buffer, separator="\t")
    elif ".jsonl" in suffix:
        FRAME.write_ndjson(buffer)
    elif ".libsvm" in suffix:
        dump_svmlight_file(X, Y, buffer, zero_based=False)
    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    path.write_bytes(compress.get(path.suffix, bytes)(buffer.getvalue()))
    return path


FILES = [".parquet", ".arrow", ".csv", ".tsv", ".jsonl", ".libsvm"]
FILES += [".csv.gz", ".csv.bz2", ".csv.xz", ".libsvm.gz"]

OBJECTS = {
    "polars": lambda **kw: open_stream(FRAME, **CHOICE, **kw),
    "lazy": lambda **kw: open_stream(FRAME.lazy(), **CHOICE, **kw),
    "pandas": lambda **kw: open_stream(FRAME.to_pandas(), **CHOICE, **kw),
    "pyarrow": lambda **kw: open_stream(FRAME.to_arrow(), **CHOICE, **kw),
    "dataset": lambda **kw: open_stream(pyarrow.dataset.dataset(FRAME.to_arrow()), **CHOICE, **kw),
    "labels beside a table": lambda **kw: open_stream(
        FRAME.select(NAMES), target=Y, weight=WEIGHT, **kw
    ),
    "tuple with a table": lambda **kw: open_stream((FRAME.select(NAMES), Y, WEIGHT), **kw),
    "array": lambda **kw: open_stream(X, target=Y, weight=WEIGHT, **kw),
    "tuple": lambda **kw: open_stream((X, Y, WEIGHT), **kw),
    "lists": lambda **kw: open_stream((X.tolist(), Y.tolist(), WEIGHT.tolist()), **kw),
    "Fortran order": lambda **kw: open_stream((np.asfortranarray(X), Y, WEIGHT), **kw),
    "csr": lambda **kw: open_stream((sparse.csr_array(X), Y, WEIGHT), **kw),
    "coo": lambda **kw: open_stream((sparse.coo_matrix(X), Y, WEIGHT), **kw),
    "rows": lambda **kw: open_stream(FRAME.to_dicts(), **CHOICE, **kw),
    "generator": lambda batch: open_stream(
        lambda: ((X[i : i + batch], Y[i : i + batch], WEIGHT[i : i + batch]) for i in cuts(batch))
    ),
    "tables": lambda batch: open_stream(
        lambda: (FRAME[i : i + batch].to_pandas() for i in cuts(batch)), **CHOICE
    ),
    "record batches": lambda batch: open_stream(
        lambda: FRAME.to_arrow().to_batches(batch), **CHOICE
    ),
    "lists of rows": lambda batch: open_stream(
        [FRAME[i : i + batch].to_dicts() for i in cuts(batch)], **CHOICE
    ),
}


def cuts(batch):
    return range(0, ROWS, batch)


@pytest.fixture(params=[*FILES, "memmap", *OBJECTS])
def opened(request, tmp_path, monkeypatch):
    """A function that opens the table, in a format after the other."""
    monkeypatch.setattr(text.TextFiles, "block_bytes", 200)
    monkeypatch.setattr(SVMLight, "block_bytes", 200)
    monkeypatch.setattr(columnar, "SLAB_BYTES", 12 * 8 * 3)
    monkeypatch.setattr(columnar, "QUERY_BYTES", 1)
    if request.param in OBJECTS:
        return OBJECTS[request.param]
    if request.param == "memmap":
        np.save(tmp_path / "X.npy", X)
        return lambda **kw: open_stream(tmp_path / "X.npy", target=Y, weight=WEIGHT, **kw)
    path = written(request.param, tmp_path)
    choice = {} if ".libsvm" in request.param else CHOICE
    return lambda **kw: open_stream(path, **choice, **kw)


def dense(batch):
    return batch.X if isinstance(batch.X, np.ndarray) else batch.X.toarray()


def assert_rows(batches, start):
    """The batches are the table from a row on."""
    if start == ROWS:
        assert not batches
        return
    np.testing.assert_array_equal(np.concatenate([dense(b) for b in batches]), X[start:])
    np.testing.assert_array_equal(np.concatenate([b.y for b in batches]), Y[start:])
    if batches[0].weight is not None:
        np.testing.assert_array_equal(np.concatenate([b.weight for b in batches]), WEIGHT[start:])


def test_equal_batches_of_the_same_rows(opened):
    stream = opened(batch=BATCH)
    assert isinstance(stream, Source)
    for _ in range(2):  # a second iteration begins anew
        batches = list(stream)
        assert [len(b) for b in batches] == [BATCH] * 7 + [4]
        assert_rows(batches, 0)
    assert stream.names in (None, NAMES)
    assert {b.names for b in batches} in ({None}, {NAMES})
    assert stream.n_rows in (None, ROWS)


def test_a_batch_unpacks_and_may_be_of_any_size(opened):
    for size in (1, 10, 1000):
        labels = [label for _, y in opened(batch=size) for label in y.tolist()]
        assert labels == Y.tolist()


def test_seek_to_every_position_loses_and_repeats_no_row(opened):
    stream = opened(batch=BATCH)
    places = [(b.position, (i + 1) * BATCH) for i, b in enumerate(stream)]
    for position, row in [(None, 0), *places]:
        fresh = opened(batch=BATCH)
        fresh.seek(json.loads(json.dumps(position)))
        for _ in range(2):
            assert_rows(list(fresh), min(row, ROWS))


def test_seek_to_every_row_number(opened):
    stream = opened(batch=BATCH)
    for row in range(ROWS + 1):
        stream.seek(row)
        assert_rows(list(stream), row)


@pytest.mark.parametrize("position", [-1, 1.5, "7", [1, 2], True, [3, 9, 0, 0], [0, 0, 5, 0]])
def test_a_position_of_something_else_is_refused(opened, position):
    with pytest.raises(ValueError, match=r"position|begin at row"):
        opened(batch=BATCH).seek(position)


def test_progress_grows_to_all(opened):
    stream = opened(batch=BATCH)
    seen = [stream.fraction for _ in stream]
    if seen[0] is not None:
        assert seen == sorted(seen)
        assert seen[-1] == pytest.approx(1.0)


def test_an_iterator_that_is_dropped_leaves_nothing_running(opened):
    before = threading.active_count()
    iterator = iter(opened(batch=BATCH))
    next(iterator)
    del iterator
    gc.collect()
    assert threading.active_count() == before


def test_batches_may_be_kept_and_changed(opened):
    stream = opened(batch=BATCH)
    batches = list(stream)
    copies = [dense(b).copy() for b in batches]
    list(stream)
    for batch, copy in zip(batches, copies, strict=True):
        np.testing.assert_array_equal(dense(batch), copy)


def test_without_a_target_there_are_no_labels(tmp_path):
    path = written(".parquet", tmp_path)
    for X_batch, y in open_stream(path, features=["b", "a"]):
        assert y is None
        np.testing.assert_array_equal(X_batch, X[:, [1, 0]])
        assert X_batch.names == ("b", "a")


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".libsvm", ".csv.gz"])
def test_several_files_are_one_stream(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(text.TextFiles, "block_bytes", 300)
    for part in ("1", "2"):
        (tmp_path / part).mkdir()
        written(suffix, tmp_path / part).rename(tmp_path / f"{part}{suffix}")
    choice = {} if suffix == ".libsvm" else CHOICE
    whole = (np.vstack([X, X]), np.concatenate([Y, Y]))
    paths = [tmp_path / f"1{suffix}", str(tmp_path / f"2{suffix}")]
    for source in (paths, tmp_path, str(tmp_path / f"?{suffix}")):
        stream = open_stream(source, batch=BATCH, **choice)
        batches = list(stream)
        assert [len(b) for b in batches] == [BATCH] * 15 + [1]
        np.testing.assert_array_equal(np.vstack([dense(b) for b in batches]), whole[0])
        for batch, rest in zip(batches, range(BATCH, 200, BATCH), strict=False):
            stream.seek(batch.position)
            labels = [label for _, y in stream for label in y]
            assert labels == whole[1][rest:].tolist()


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([pl.Float32, pl.Int16, pl.Boolean], np.float32),
        ([pl.Float32, pl.Int32], np.float64),
        ([pl.Float64], np.float64),
        ([pl.Int64], np.float64),
        ([pl.Decimal(10, 2)], np.float64),
    ],
)
@pytest.mark.parametrize("kind", ["parquet", "polars", "lazy", "pandas", "arrow"])
def test_float32_only_if_it_holds_all_values(types, expected, kind, tmp_path):
    if kind == "pandas" and any(isinstance(dtype, pl.Decimal) for dtype in types):
        pytest.skip("pandas holds decimals as objects")
    frame = pl.DataFrame(
        {f"x{i}": pl.Series([1, 0, 1]).cast(dtype) for i, dtype in enumerate(types)}
    )
    frame.write_parquet(tmp_path / "f.parquet")
    sources = {
        "parquet": tmp_path / "f.parquet",
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": frame.to_pandas(),
        "arrow": frame.to_arrow(),
    }
    (batch,) = open_stream(sources[kind])
    assert batch.X.dtype == expected
    np.testing.assert_array_equal(batch.X, np.array([[1.0] * len(types), [0] * len(types)] * 2)[:3])


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv", ".jsonl"])
def test_missing_values_are_nan(suffix, tmp_path):
    frame = pl.DataFrame({"i": [1, None, 3], "f": [None, 0.5, 0.25], "n": [None, None, None]})
    path = tmp_path / f"f{suffix}"
    write = {
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".csv": frame.write_csv,
        ".jsonl": frame.write_ndjson,
    }
    write[suffix](path)
    (batch,) = open_stream(path)
    nan = np.nan
    np.testing.assert_array_equal(batch.X, [[1, nan, nan], [nan, 0.5, nan], [3, 0.25, nan]])


LABELS = {
    "int": pl.Series([2, 1, 2]),
    "str": pl.Series(["b", "a", "b"]),
    "bool": pl.Series([True, False, True]),
    "categorical": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
    "enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b"])),
    "float": pl.Series([0.5, 1.0, 0.5]),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl", "polars", "lazy", "pandas"])
def test_labels_keep_their_type(labels, kind, tmp_path):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": labels})
    path = tmp_path / f"f.{kind}"
    if kind in ("parquet", "arrow", "jsonl"):
        write = {"parquet": frame.write_parquet, "arrow": frame.write_ipc}
        write.get(kind, frame.write_ndjson)(path)
        source = path
    else:
        source = {"polars": frame, "lazy": frame.lazy(), "pandas": frame.to_pandas()}[kind]
    (batch,) = open_stream(source, target="y")
    assert batch.y.tolist() == labels.to_list()
    assert type(batch.y.tolist()[0]) is type(labels.to_list()[0])


def test_an_arrow_stream_is_read_once_without_being_collected():
    given = []

    def record_batches():
        for piece in FRAME.to_arrow().to_batches(10):
            given.append(piece)
            yield piece

    schema = FRAME.to_arrow().schema
    reader = pa.RecordBatchReader.from_batches(schema, record_batches())
    stream = open_stream(reader, batch=BATCH, **CHOICE)
    iterator = iter(stream)
    next(iterator)
    assert len(given) < 4
    assert sum(map(len, iterator)) == ROWS - BATCH
    with pytest.raises(ValueError, match="read already"):
        list(stream)


def test_slabs_stay_within_their_memory(tmp_path, monkeypatch):
    frame = pl.DataFrame({f"x{i}": np.arange(1000.0) for i in range(10)})
    limit = 80 * 130
    monkeypatch.setattr(columnar, "SLAB_BYTES", limit)
    for group in (7, 40, 130, 400, 1000):
        frame.write_parquet(tmp_path / "f.parquet", row_group_size=group)
        stream = open_stream(tmp_path / "f.parquet", batch=50)
        slabs = [(slab.first, len(slab.rows)) for slab in stream._slabs(0)]
        assert sum(rows for _, rows in slabs) == 1000
        assert all(rows * 80 <= limit for _, rows in slabs)
        ends = [first for first, _ in slabs]
        if group <= 130:  # several groups a slab
            assert all(end % group == 0 for end in ends)
        else:  # several slabs a group, none across groups
            assert {0, *range(0, 1000, group)} <= set(ends)


def test_source_is_returned_as_it_is():
    stream = open_stream(X)
    assert open_stream(stream) is stream


def test_pandas_nullable_columns_and_odd_names():
    frame = pd.DataFrame({0: [1.0, 2.0], 1: pd.array([1, None], dtype="Int64"), "y": [0, 1]})
    (batch,) = open_stream(frame, target="y")
    np.testing.assert_array_equal(batch.X, [[1, 1], [2, np.nan]])
    assert batch.names is None
