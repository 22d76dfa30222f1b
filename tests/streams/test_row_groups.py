"""The number of rows in a Parquet file's row group, against pyarrow."""

import io

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftsieve.streams.row_groups import rows_per_group

TABLE = pa.table(
    {
        "number": pa.array(np.arange(100.0)),
        "text": pa.array(["a", None] * 50),
        "list": pa.array([[1, 2], []] * 50),
        "struct": pa.array([{"k": True}] * 100),
        "flag": pa.array([True, False] * 50),
    }
)


@pytest.mark.parametrize("group", [1, 9, 50, 100])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "zstd", "write_statistics": True, "write_page_index": True},
        {"version": "1.0", "use_dictionary": False},
        {"bloom_filter_options": {"number": {"ndv": 10}}},
    ],
)
def test_pyarrow_files(group, options, tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(TABLE, path, row_group_size=group, **options)
    assert rows_per_group(path) == group == pq.ParquetFile(path).metadata.row_group(0).num_rows


@pytest.mark.parametrize("columns", [1, 40])
def test_polars_files(columns, tmp_path):
    path = tmp_path / "f.parquet"
    frame = pl.DataFrame({f"column {i}": np.arange(1000) for i in range(columns)})
    frame.write_parquet(path, row_group_size=300, metadata={"key": "value"})
    assert rows_per_group(path) == pq.ParquetFile(path).metadata.row_group(0).num_rows


def test_an_empty_table_has_no_row_group(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(TABLE.slice(0, 0), path)
    assert rows_per_group(path) in (None, 0)


def test_no_parquet_is_no_error(tmp_path):
    path = tmp_path / "f.parquet"
    assert rows_per_group(path) is None
    for content in (b"", b"PAR1", b"ARROW1" * 10):
        path.write_bytes(content)
        assert rows_per_group(path) is None


@given(st.data())
def test_damaged_footers_neither_hang_nor_raise(tmp_path_factory, data):
    buffer = io.BytesIO()
    pq.write_table(TABLE, buffer, row_group_size=50)
    content = bytearray(buffer.getvalue())
    length = int.from_bytes(content[-8:-4], "little")
    for place in data.draw(st.lists(st.integers(len(content) - 8 - length, len(content) - 9))):
        content[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "f.parquet"
    path.write_bytes(content)
    found = rows_per_group(path)
    assert found is None or isinstance(found, int)
