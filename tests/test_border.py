"""What users have becomes a batch, or a clear error."""

import datetime
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve import Batch, as_batch, open_stream
from driftsieve.batch import dense

X = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 4.0]])
NAMES = ("a", "b", "c")
FRAME = pl.DataFrame(X, schema=list(NAMES))


@pytest.mark.parametrize(
    "data",
    [
        X,
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(np.float16),
        X.astype(">f8"),
        X.astype(int),
        X.astype(np.int8),
        X.astype(object),
        X.tolist(),
        (tuple(row) for row in X),
        *(sparse.csr_matrix(X).asformat(form) for form in ("csr", "csc", "coo", "lil", "dok")),
        *(sparse.csr_array(X).asformat(form) for form in ("csr", "csc", "coo", "lil", "dok")),
        sparse.csr_array(X.astype(int)),
        FRAME,
        FRAME.to_pandas(),
        FRAME.to_pandas().convert_dtypes(),
        FRAME.to_pandas(use_pyarrow_extension_array=True),
        FRAME.to_pandas().astype(pd.SparseDtype(float, 0.0)),
        FRAME.to_arrow(),
        FRAME.to_arrow().to_batches()[0],
        FRAME.cast(pl.Int32),
        FRAME.to_dicts(),
        iter(FRAME.to_dicts()),
        FRAME.to_dict(as_series=False),
        pd.DataFrame(X),
    ],
    ids=lambda data: type(data).__name__,
)  # fmt: skip
def test_all_forms_of_the_same_matrix(data):
    batch = as_batch(data)
    dense = batch.X.toarray() if batch.is_sparse else batch.X
    assert_array_equal(dense, X)
    assert dense.dtype in (np.float32, np.float64)
    assert dense.dtype.isnative
    assert batch.names in (None, NAMES)


def test_names_survive_unpacking():
    for data in (FRAME, FRAME.to_pandas(), FRAME.to_dicts()):
        rows, y = as_batch(data, [0, 1])
        assert as_batch(rows, y).names == NAMES
    csr, _ = as_batch(sparse.csr_array(X), names=NAMES)
    assert as_batch(csr).names == NAMES
    assert as_batch(rows[:1]).names is None, "a slice has forgotten the names"


def test_no_copy_where_none_is_needed_and_the_input_is_never_changed():
    assert np.shares_memory(as_batch(X).X, X)
    duplicated = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 3)).tocsr()
    untidy = sparse.csr_array((np.ones(3), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    data = untidy.data.copy()
    assert_array_equal(as_batch(untidy).X.toarray(), [[1, 0, 2]])
    assert_array_equal(untidy.data, data)
    assert_array_equal(as_batch(duplicated).X.toarray(), [[0, 3, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"a": [1.0, None], "b": [None, 2]}),
        pd.DataFrame({"a": [1.0, None], "b": pd.array([None, 2], dtype="Int64")}),
        pa.table({"a": [1.0, None], "b": [None, 2]}),
        [{"a": 1.0, "b": None}, {"a": np.nan, "b": 2}],
        np.ma.array([[1.0, 9.0], [9.0, 2.0]], mask=[[0, 1], [1, 0]]),
        np.ma.array([[1, 9], [9, 2]], mask=[[0, 1], [1, 0]]),
        np.array([[1, None], [pd.NA, 2.0]], object),
        [[1, None], (None, 2)],
        [{"a": 1, "b": pd.NA}, {"a": pd.NA, "b": 2}],
        pl.DataFrame({"a": [1.0, None], "b": [None, 2]}).to_dict(as_series=False),
        pa.table({"a": [1.0, None], "b": [None, 2]}).to_pydict(),
        {"a": pd.array([1, None], dtype="Int64"), "b": pl.Series([None, 2])},
    ],
    ids=lambda data: type(data).__name__,
)
def test_missing_values_are_nan(data):
    assert_array_equal(as_batch(data).X, [[1, np.nan], [np.nan, 2]])


def test_sparse_columns_of_pandas_may_leave_out_anything():
    X = pd.DataFrame({"a": [1.0, 0.0, np.nan], "b": [np.nan, np.nan, 2.0]})
    for fill in (0.0, 1.0, np.nan):
        batch = as_batch(X.astype(pd.SparseDtype(float, fill)))
        assert batch.is_sparse == (fill == 0)
        assert np.array_equal(dense(batch.X), X.to_numpy(), equal_nan=True)


def test_narrow_types_stay_narrow_and_exact():
    assert as_batch(np.array([[255]], np.uint8)).X.dtype == np.float32
    frame = pl.DataFrame({"a": [True], "b": [1.5]}, schema={"a": pl.Boolean, "b": pl.Float32})
    assert as_batch(frame).X.dtype == np.float32
    big = 2**24 + 1
    assert as_batch(np.array([[big]], np.int32)).X[0, 0] == big
    assert as_batch(pl.DataFrame({"a": [big]})).X[0, 0] == big


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pd.DataFrame({"a": [1.0], "town": ["Oslo"]}), "column 'town' holds"),
        (pd.DataFrame({"a": [1.0], "o": np.array([1], object)}), "column 'o' holds object"),
        (pd.DataFrame({"when": [datetime.datetime(2026, 1, 1)]}), "column 'when' holds datetime"),
        (pd.DataFrame({"kind": pd.Categorical(["x"])}), "column 'kind' holds category"),
        (pd.DataFrame({"z": [1j]}), "Complex data not supported: column 'z'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are named 'a'"),
        (pl.DataFrame({"a": [1.0], "town": ["Oslo"]}), "column 'town' holds String"),
        (pl.DataFrame({"day": [datetime.date(2026, 1, 1)]}), "column 'day' holds Date"),
        (pa.table({"town": ["Oslo"]}), "column 'town' holds String"),
        ([{"a": 1.0}, {"a": "x"}], "column 'a' holds 'x' in row 1"),
        ([{"a": 1.0}, {"a": [1]}], r"column 'a' holds \[1\] in row 1"),
        ([{"a": 1.0}, {"a": 1j}], "column 'a' holds 1j in row 1"),
        ([{"a": np.datetime64("2026")}], "column 'a' holds np.datetime64.* in row 0"),
        ([{"a": 1.0}, {"b": 1.0}], "row 1 has"),
        (pl.LazyFrame({"a": [1.0]}), "lazy frame: collect it"),
        ([{1: 1.0}], "feature name 1 is a int"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "column 'b' has shape"),
        ({"a": ["x", "y"]}, "column 'a' holds"),
        (np.array([["x"]]), "column 0 holds"),
        (np.array([[1.0, "x"]], object), "column 1 holds text .'x' in row 0"),
        ([[1, 2.5], [3, "x"]], "column 1 holds text .'x' in row 1"),
        ([(1, "7"), (3, "8")], "column 1 holds text .'7' in row 0"),
        ([[1, 2], [3, 4], [5]], "row 2 has 1 values, but row 0 has 2 values"),
        ([[1, 2], None], "row 1 is a NoneType, but row 0 has 2 values"),
        ([{"a": 1}, [1, 2]], "row 1 has 2 values, but row 0 is a dict"),
        ({"a": [1, 2], "b": [1, "x"]}, "column 'b' holds text .'x' in row 1"),
        (np.array([["2026-01-01"]], "M8[D]"), "column 0 holds datetime64"),
        (np.array([[1j]]), "Complex data not supported"),
        (sparse.csr_array(np.array([[1j]])), "Complex data not supported"),
        (np.zeros(3), "Expected 2D array, got 1D array"),
        (np.zeros((2, 2, 2)), "Expected 2D array, got 3D array"),
        (5.0, "Expected 2D array, got 0D array"),
        ("clicks.parquet", "open_stream"),
        (open_stream(X), "X is a stream of batches"),
        (iter(open_stream(X)), "X is several tables: .*open_stream"),
        ([FRAME, FRAME], "X is several tables"),
        ([sparse.csr_array(X)], "X is several tables"),
        (pd.Series([1.0, 2.0]), "Expected 2D array, got 1D array"),
        (pl.Series([1.0, 2.0]), "Expected 2D array, got 1D array"),
        (pa.array([1.0]), "no table of numbers|Expected 2D"),
        (pa.Table.from_arrays([pa.array([1.0])] * 2, names=["a", "a"]), "no table of numbers"),
    ],
)  # fmt: skip
def test_bad_data_is_named(data, message):
    with pytest.raises(ValueError, match=message):
        as_batch(data)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.bsr_array])
def test_a_broken_sparse_matrix_is_refused(form):
    """SciPy builds them without a look; a kernel would write outside of its arrays."""
    for place in (-1, 3, 2**30):
        broken = form(np.eye(3))
        broken.indices[1] = place
        with pytest.raises(ValueError, match="broken sparse matrix"):
            as_batch(broken)
    broken = form(np.eye(3))
    broken.indptr[1] = 3
    with pytest.raises(ValueError, match="broken sparse matrix"):
        as_batch(broken)


@pytest.mark.parametrize("value", [{}, np.datetime64("2026"), np.timedelta64(1), np.complex64(1j)])
def test_an_object_that_is_no_number_is_a_type_error(value):
    cells = np.array([[1.0, None]], object)
    cells[0, 1] = value
    with pytest.raises(TypeError, match=f"column 1 holds a {type(value).__name__} in row 0"):
        as_batch(cells)


def test_the_feature_that_a_row_lacks_is_named_the_same_in_every_run():
    with pytest.raises(ValueError, match="row 1 has no feature 'b'"):
        as_batch([dict.fromkeys("abcdefgh", 1), {"a": 1}])


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        [1, "1"],
        [(1, 2), (3,)],
        [True, 2.5],
        [frozenset("a"), b"x"],
        np.array([1, 2]),
        pd.Series(["x", "y"], dtype="category"),
        pd.Series([1, 2], dtype="Int64"),
        pl.Series(["x", "y"]),
        pa.array(["x", "y"]),
        np.array([[0], [1]], dtype=np.int8).ravel(),
    ],
    ids=lambda labels: f"{type(labels).__name__}-{next(iter(labels))!r}",
)
def test_labels_keep_their_types(labels):
    y = as_batch(X, labels).y
    given = [x.as_py() if hasattr(x, "as_py") else x for x in labels]
    assert y.tolist() == given
    assert [type(label) for label in y.tolist()] == [type(label) for label in given_plainly(given)]


def given_plainly(labels):
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


@pytest.mark.parametrize(
    "labels", [[2**63, -1, 2**63 + 1], [2**70, 2**70 + 1], ["a\0", "a"], [b"a\0", b"a"]]
)
def test_labels_stay_apart_where_numpy_would_make_them_equal(labels):
    assert as_batch(np.zeros((len(labels), 1)), labels).y.tolist() == labels


def test_times_are_the_same_labels_in_any_unit():
    times = pd.Series(pd.to_datetime(["2026-01-01 10:00", "2026-01-02 00:00"]))
    labels = [as_batch(X, times.astype(f"datetime64[{unit}]")).y.tolist() for unit in ("us", "ns")]
    assert (
        labels[0] == labels[1] == [datetime.datetime(2026, 1, 1, 10), datetime.datetime(2026, 1, 2)]
    )


def test_a_masked_label_is_missing():
    y = np.ma.masked_array([1, 2, 1], mask=[False, True, False])
    with pytest.raises(ValueError, match="label of row 1 is masked"):
        as_batch(np.zeros((3, 1)), y)
    y.mask = False
    assert as_batch(np.zeros((3, 1)), y).y.tolist() == [1, 2, 1]


def test_a_column_of_labels_is_taken_with_a_warning():
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning):
        assert as_batch(X, [[0], [1]] and np.array([[0], [1]])).y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], "X has 2 rows but y has 1 labels"),
        (3, "one label per row, but it is 3"),
        ("ab", "one label per row, but it is 'ab'"),
        (np.zeros((2, 2)), "one label per row"),
        ([0.0, np.nan], r"label of row 1 is missing \(NaN\)"),
        ([0.0, np.inf], "label of row 1 is an infinity"),
        (["a", None], r"label of row 1 is missing \(None\)"),
        (pd.Series([1, None], dtype="Int64"), "label of row 1 is missing"),
        (pd.Series(["x", pd.NA], dtype=object), "label of row 1 is missing"),
        (np.array(["2026-01-01", "NaT"], "M8[D]"), "label of row 1 is missing"),
        (["a", np.inf], "label of row 1 is an infinity"),
        ([[1], {}], "label of row 0 is a list, which is not hashable"),
        ([np.zeros(2), np.zeros(2)], "label of row 0 is a ndarray, which is not hashable"),
        (np.array([1j, 2j]), "Complex data not supported"),
    ],
    ids=str,
)
def test_bad_labels_are_named(labels, message):
    with pytest.raises(ValueError, match=message):
        as_batch(X, labels)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], "2 rows but there are 1 sample weights"),
        ([1.0, -0.5], "weight of row 1 is -0.5"),
        ([np.nan, 1.0], "weight of row 0 is nan"),
        ([1.0, np.inf], "weight of row 1 is inf"),
        (["x", "y"], "must be numbers"),
        (["1", "2"], "must be numbers"),
        ([1j, 2], "must be numbers"),
        (np.zeros(2, "m8[s]"), "must be numbers"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "weight of row 1 is masked"),
        (np.ones((2, 1)), "must be 1D array or scalar"),
    ],
)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        as_batch(X, [0, 1], weight)


def test_a_scalar_weight_is_everyones():
    assert as_batch(X, [0, 1], 2).weight.tolist() == [2.0, 2.0]


def test_a_batch_passes_through_alone():
    batch = as_batch(X, [0, 1])
    assert as_batch(batch) is batch
    with pytest.raises(ValueError, match="brings its own labels"):
        as_batch(batch, [0, 1])


def test_wrong_number_of_names():
    with pytest.raises(ValueError, match="2 names were given for 3 columns"):
        as_batch(X, names=["a", "b"])


def test_names_are_plain_strings():
    names = as_batch(X, names=np.array(NAMES)).names
    assert names == NAMES
    assert {type(name) for name in names} == {str}


def test_infinities_are_found_wherever_they_are():
    for dtype, missing in itertools.product((np.float32, np.float64), (np.nan, 1)):
        for form in (np.asarray, sparse.csr_array):
            for row, column in ((0, 0), (5, 2), (6, 1)):
                values = np.ones((7, 3), dtype)
                values[3, 1] = missing
                values[row, column] = -np.inf
                with pytest.raises(
                    ValueError, match=f"column {column} holds an infinity in row {row} "
                ):
                    Batch(form(values)).refuse_infinities()
    Batch(np.full((2, 2), np.nan)).refuse_infinities()
    Batch(np.zeros((0, 2))).refuse_infinities()
    with pytest.raises(ValueError, match="too large"):
        Batch(np.array([[1e101]])).refuse_infinities()
