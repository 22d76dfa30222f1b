import json
import weakref

import numpy as np
import polars as pl
import pyarrow.parquet
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from driftsieve.batch import Batch, dense
from driftsieve.streams import write
from driftsieve.streams.agrawal import Agrawal
from driftsieve.streams.drift import ConceptSwitch
from driftsieve.streams.knowledge import CATEGORICAL_KEY, read_categorical, read_truth
from driftsieve.streams.led import LED
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.scenarios import Reordered, WithMissing
from driftsieve.streams.sea import SEA
from driftsieve.streams.truth import Truth, TruthLog
from driftsieve.streams.write import FORMATS, write_stream
from tests.streams.laws import all_rows, assert_global_seed_untouched

READERS = {
    ".parquet": pl.read_parquet,
    ".csv": lambda path: pl.read_csv(path, infer_schema_length=None),
    ".jsonl": pl.read_ndjson,
    ".ndjson": pl.read_ndjson,
    ".arrow": pl.read_ipc,
    ".ipc": pl.read_ipc,
    ".feather": pl.read_ipc,
}
PAIRS = np.empty(2, dtype=object)
PAIRS[:] = [(1, 2), (3, 4)]
TEXT = [".svmlight", ".svm", ".libsvm"]


def source(X, y=None, weight=None, names=None, batch=3):
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    return Reordered(Batch(X, y=y, weight=weight, names=names), np.arange(X.shape[0]), batch)


class Listed:
    """A source of given batches, some of which may be exceptions to raise."""

    def __init__(self, *batches):
        self.batches = batches

    def __iter__(self):
        for batch in self.batches:
            if isinstance(batch, BaseException):
                raise batch
            yield batch

    def seek(self, position):
        raise NotImplementedError


def part(value=1.0, **changes):
    return Batch(np.full((2, 2), value), y=np.array([0, 1])).replace(**changes)


def test_every_format_is_read_here():
    assert set(FORMATS) == {*READERS, *TEXT}


@pytest.mark.parametrize("suffix", READERS)
def test_tables_hold_exactly_the_rows(tmp_path, suffix):
    stream = DriftingLinear(n_rows=2_345, n_features=4, k=2, batch=100)
    path = tmp_path / f"rows{suffix}"
    assert write_stream(stream, path) == 2_345
    frame = READERS[suffix](path)
    assert frame.columns == ["x0", "x1", "x2", "x3", "y"]
    batch = all_rows(stream)
    np.testing.assert_array_equal(frame.drop("y").to_numpy(), batch.X)
    np.testing.assert_array_equal(frame["y"].to_numpy(), batch.y)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", READERS)
def test_names_text_labels_weights_and_missing_values(tmp_path, suffix):
    X = [[1.5, np.nan], [np.nan, -2.0], [0.0, 3e-300], [1e22, 0.1]]
    y = np.array(["no", "yes, sir", 'say "no"', "yes\nno"])
    stream = source(X, y, np.array([1.0, 0.5, 0.0, 2.0]), ("height", "große"))
    path = tmp_path / f"rows{suffix}"
    write_stream(stream, path, target="class", weight="w")
    frame = READERS[suffix](path)
    assert frame.columns == ["height", "große", "class", "w"]
    np.testing.assert_array_equal(frame.select("height", "große").to_numpy(), X)
    assert frame["height"].null_count() == 1
    assert frame["class"].to_list() == y.tolist()
    assert frame["w"].to_list() == [1.0, 0.5, 0.0, 2.0]


@pytest.mark.parametrize("suffix", READERS)
def test_sparse_rows_fill_their_zeros(tmp_path, suffix):
    X = sparse.csr_array(np.array([[0, 1.0], [2.0, 0], [0, 0], [0, np.nan]]))
    path = tmp_path / f"rows{suffix}"
    assert write_stream(source(X), path) == 4
    frame = READERS[suffix](path)
    assert frame.columns == ["x0", "x1"]
    np.testing.assert_array_equal(frame.to_numpy(), X.toarray())


@pytest.mark.parametrize("suffix", TEXT)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_svmlight_text(tmp_path, suffix, form):
    X = np.array([[0, 0.1, -3e-300], [1e22, 0, 2.0], [0, 0, 0], [1 / 3, 0, 0]])
    path = tmp_path / f"rows{suffix}"
    assert write_stream(source(form(X), np.array([1, -1, 1, 2])), path) == 4
    assert path.read_text().splitlines()[:3] == ["1 2:0.1 3:-3e-300", "-1 1:1e+22 3:2.0", "1"]
    read, y = load_svmlight_file(str(path), n_features=3, zero_based=False)
    np.testing.assert_array_equal(read.toarray(), X)
    assert y.tolist() == [1, -1, 1, 2]


def test_svmlight_sorts_columns_and_writes_missing_values(tmp_path):
    unsorted = sparse.csr_array((np.array([3.0, np.nan]), np.array([2, 0]), np.array([0, 2])))
    path = tmp_path / "rows.svm"
    write_stream(source(unsorted, np.array([True])), path)
    assert path.read_text() == "1 1:nan 3:3.0\n"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parquet_keeps_the_type(tmp_path, dtype):
    stream = DriftingLinear(n_rows=300, n_features=3, k=1, dtype=dtype)
    write_stream(stream, tmp_path / "a.parquet")
    X = pl.read_parquet(tmp_path / "a.parquet").drop("y").to_numpy()
    assert X.dtype == dtype
    np.testing.assert_array_equal(X, all_rows(stream).X)


def test_parquet_comes_in_row_groups_of_bounded_size(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "ROW_GROUP_VALUES", 4 * 300)
    write_stream(DriftingLinear(n_rows=3_000, n_features=4, k=2, batch=100), tmp_path / "a.parquet")
    file = pyarrow.parquet.ParquetFile(tmp_path / "a.parquet")
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert sum(sizes) == 3_000
    assert max(sizes) <= 300


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".svm"])
def test_few_batches_are_held_at_a_time(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(write, "ROW_GROUP_VALUES", 4 * 300)
    given = []
    most = 0

    class Traceable(np.ndarray):
        pass

    class Watched(DriftingLinear):
        def rows(self, start, stop):
            nonlocal most
            batch = super().rows(start, stop)
            X = batch.X.view(Traceable)
            given.append(weakref.ref(X))
            most = max(most, sum(held() is not None for held in given))
            return batch.replace(X=X)

    write_stream(Watched(n_rows=10_000, n_features=4, k=2, batch=100), tmp_path / f"a{suffix}")
    assert len(given) == 100
    assert most < 25


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    write_stream(source([[1.0]]), path)
    assert path.read_text() == "x0\n1.0\n"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    write_stream(source([[1.0]]), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "a.csv").read_text() == "x0\n1.0\n"


@pytest.mark.parametrize("error", [OSError("the wire broke"), KeyboardInterrupt("stop")])
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".arrow", ".svm"])
def test_a_stream_that_breaks_leaves_the_old_file_alone(tmp_path, suffix, error):
    path = tmp_path / f"a{suffix}"
    path.write_text("old")
    with pytest.raises(type(error), match=str(error)):
        write_stream(Listed(part(), part(), error), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_of_the_writer_is_told_and_leaves_the_old_file_alone(tmp_path, monkeypatch):
    def full(frame, path):
        path.write_text("half")
        raise pl.exceptions.ComputeError("no space left")

    monkeypatch.setattr(pl.LazyFrame, "sink_csv", full)
    monkeypatch.setattr(write, "ROW_GROUP_VALUES", 4)
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(OSError, match=r"a\.csv could not be written: no space left"):
        write_stream(DriftingLinear(n_rows=5_000, n_features=4, k=2), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_integers_among_float_labels_become_floats(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "ROW_GROUP_VALUES", 4)
    write_stream(Listed(part(y=np.array([0.5, 1])), part()), tmp_path / "a.parquet")
    assert pl.read_parquet(tmp_path / "a.parquet")["y"].to_list() == [0.5, 1, 0, 1]


# Truth


def truths(stream, path):
    write_stream(stream, path)
    return read_truth(path)


def test_the_truth_is_written_and_read(tmp_path):
    stream = DriftingLinear(n_rows=1_050, n_features=6, k=2, shift_every=100, batch=64)
    truth = truths(stream, tmp_path / "a.parquet")
    assert (truth.n_rows, truth.n_features) == (1_050, 6)
    assert truth.drift_points == tuple(stream.drift_points)
    assert len(truth.sets) == 6  # the features are round, so sets come back
    expected = all_rows(stream).relevant
    np.testing.assert_array_equal(truth.mask(0, 1_050), expected)
    for start, stop in ((0, 1), (99, 100), (99, 101), (100, 200), (37, 612), (1_049, 1_050)):
        np.testing.assert_array_equal(truth.mask(start, stop), expected[start:stop])
    for row in (0, 99, 100, 1_049):
        np.testing.assert_array_equal(truth.relevant_at(row), stream.relevant_at(row))


def test_the_truth_of_mixed_rows(tmp_path):
    before, after = (
        DriftingLinear(n_rows=900, n_features=5, k=k, shift_every=None) for k in (1, 3)
    )
    stream = ConceptSwitch([before, after], 300, width=100, n_rows=700, batch=50)
    truth = truths(WithMissing(stream), tmp_path / "a.parquet")
    np.testing.assert_array_equal(truth.mask(0, 700), all_rows(stream).relevant)
    assert truth.sets == ((0,), (0, 1, 2))
    assert len(truth.changes) > 2
    assert truth.drift_points == (300,)


def test_of_gradual_drifts_it_is_known_where_they_are(tmp_path):
    stream = SEA(n_rows=900, n_features=6, drift_every=300, width=100, batch=70)
    truth = truths(stream, tmp_path / "a.parquet")
    assert truth.drift_points == (300, 600) == tuple(stream.drift_points)
    assert len(truth.changes) > 10
    np.testing.assert_array_equal(truth.mask(0, 900), all_rows(stream).relevant)
    stream.seek(350)
    assert truths(stream, tmp_path / "b.parquet").drift_points == (250,)
    abrupt = SEA(n_rows=900, n_features=6, drift_every=300)
    assert truths(abrupt, tmp_path / "c.parquet").points is None
    switched = ConceptSwitch([stream, SEA(n_rows=90, n_features=6)], 850, width=30, n_rows=900)
    assert truths(switched, tmp_path / "d.parquet").drift_points == (850,)


def test_nominal_columns_are_written_and_read(tmp_path):
    write_stream(Agrawal(n_rows=10), tmp_path / "a.parquet")
    assert read_categorical(tmp_path / "a.parquet") == ["elevel", "car", "zipcode"]
    write_stream(LED(n_rows=10, n_features=9), tmp_path / "b.parquet")
    assert read_categorical(tmp_path / "b.parquet") == [f"x{j}" for j in range(9)]
    write_stream(SEA(n_rows=10), tmp_path / "c.parquet")
    write_stream(Agrawal(n_rows=10), tmp_path / "d.csv")
    assert read_categorical(tmp_path / "c.parquet") == read_categorical(tmp_path / "d.csv") == []
    write_stream(SEA(n_rows=10), tmp_path / "c.parquet", categorical=(1,))
    assert read_categorical(tmp_path / "c.parquet") == ["x1"]
    with pytest.raises(ValueError, match="a nominal column must be a whole number from 0 to 2"):
        write_stream(SEA(n_rows=10), tmp_path / "c.parquet", categorical=(3,))
    for text in ("5", "[5]", "[", '{"a": 1}'):
        damaged = tmp_path / "e.parquet"
        pl.DataFrame({"a": [1]}).write_parquet(damaged, metadata={CATEGORICAL_KEY: text})
        with pytest.raises(ValueError, match="the names of the nominal columns in"):
            read_categorical(damaged)


def test_the_log_does_not_depend_on_batching():
    stream = DriftingLinear(n_rows=500, n_features=6, k=2, shift_every=60)
    logs = []
    for size in (1, 7, 60, 500):
        stream.batch = size
        log = TruthLog()
        for batch in stream:
            log.note(batch)
        logs.append(log.truth())
    assert all(log == logs[0] for log in logs)


def test_without_truth_there_is_none(tmp_path):
    assert truths(source([[1.0]]), tmp_path / "a.parquet") is None
    known = np.ones((2, 2), dtype=bool)
    half = Listed(part(relevant=known), part(), part(relevant=known))
    assert truths(half, tmp_path / "b.parquet") is None
    assert truths(DriftingLinear(n_rows=5), tmp_path / "c.csv") is None
    assert TruthLog().truth() is None


def test_no_feature_may_be_relevant(tmp_path):
    none = np.zeros((2, 2), dtype=bool)
    truth = truths(Listed(part(relevant=none), part(relevant=~none)), tmp_path / "a.parquet")
    assert truth.sets == ((), (0, 1))
    assert truth.relevant_at(1).tolist() == []
    assert truth.mask(0, 4).sum() == 4


GOOD = {"rows": 10, "features": 3, "sets": [[0], [1, 2]], "changes": [[0, 0], [4, 1]]}


def test_truth_round_trip():
    truth = Truth.from_json(json.dumps(GOOD))
    assert Truth.from_json(truth.to_json()) == truth
    assert json.loads(truth.to_json()) == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"changes": []},
        {"changes": [[1, 0]]},
        {"changes": [[0, 0], [0, 1]]},
        {"changes": [[0, 0], [10, 1]]},
        {"changes": [[0, 2]]},
        {"changes": [[0, 0, 0]]},
        {"changes": 5},
        {"sets": [[0], [3]]},
        {"sets": [["a"], [3]]},
        {"rows": None},
        {"drifts": [4, 4]},
        {"drifts": [0]},
        {"drifts": [10]},
        {"drifts": ["a"]},
        {"drifts": 4},
    ],
)
def test_damaged_truth_is_refused(change):
    with pytest.raises(ValueError, match="the true relevance in the file cannot be read"):
        Truth.from_json(json.dumps(GOOD | change))


def test_truth_that_is_no_json_is_refused():
    for text in ("", "[]", "{}", "\x00", "5"):
        with pytest.raises(ValueError, match="cannot be read"):
            Truth.from_json(text)


@pytest.mark.parametrize(("start", "stop"), [(-1, 3), (3, 3), (0, 11), (10, 11)])
def test_rows_beyond_the_truth_are_refused(start, stop):
    with pytest.raises(ValueError, match="the truth is known of 10 rows"):
        Truth.from_json(json.dumps(GOOD)).mask(start, stop)


# What cannot be written


@pytest.mark.parametrize(
    ("name", "stream", "message"),
    [
        ("a.txt", DriftingLinear(n_rows=5), r"a.txt must end in one of .parquet, .csv"),
        ("a", DriftingLinear(n_rows=5), "a must end in one of"),
        ("none/a.csv", DriftingLinear(n_rows=5), "is not a folder to write into"),
        ("a.csv", DriftingLinear(n_rows=None), "an endless stream cannot be written"),
        ("a.csv", DriftingLinear(n_rows=0), "the stream has no rows, so .*a.csv is not written"),
        ("a.csv", source([[1.0]], np.array([1]), names=("y",)), "already has a column 'y'"),
        ("a.csv", source([[1.0]], weight=np.ones(1), names=("weight",)), "a column 'weight'"),
        ("a.svm", source([[1.0]]), "need labels that are numbers"),
        ("a.svm", source([[1.0]], np.array(["a"])), "need labels that are numbers"),
        ("a.svm", source([[1.0]], np.array([1]), np.ones(1)), "no place for weights"),
        ("a.csv", Listed(part(), part(X=np.ones((2, 3)))), "columns of the stream change at row 2"),
        ("a.csv", Listed(part(), part(names=("a", "b"))), "columns of the stream change"),
        ("a.csv", Listed(part(), part(y=None)), "only some rows have labels"),
        ("a.csv", Listed(part(), part(weight=np.ones(2))), "only some rows have weights"),
        ("a.csv", Listed(part(y=np.array([1, "a"], dtype=object))), "do not fit into one column"),
        (
            "a.csv",
            Listed(part(y=PAIRS)),
            r"labels such as \(1, 2\) cannot be written",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, name, stream, message):
    with pytest.raises(ValueError, match=message):
        write_stream(stream, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_change_their_type_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "ROW_GROUP_VALUES", 4)
    changing = Listed(part(), part(y=np.array(["a", "b"])))
    with pytest.raises(ValueError, match="does not fit its first batch"):
        write_stream(changing, tmp_path / "a.csv")


def test_a_folder_in_the_way_is_refused(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        write_stream(source([[1.0]]), tmp_path / "a.csv")


def test_the_stream_is_left_as_it_was(tmp_path):
    stream = source([[1.0, np.nan]] * 5, np.arange(5))
    before = dense(all_rows(stream).X).copy()
    assert_global_seed_untouched(lambda: write_stream(stream, tmp_path / "a.parquet"))
    np.testing.assert_array_equal(all_rows(stream).X, before)
