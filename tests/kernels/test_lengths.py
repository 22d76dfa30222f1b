"""The kernel that measures rows, beside NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from driftsieve.kernels.lengths import row_lengths

VALUES = st.one_of(st.floats(-1e100, 1e100), st.sampled_from([0.0, 1e-310, -3e-200, 1e100, np.nan]))


def found(rows, dtype=np.float64):
    values = np.array([x for row in rows for x in row], dtype=dtype)
    lengths = np.empty(len(rows))
    row_lengths(values, np.cumsum([0, *map(len, rows)]), lengths)
    return lengths


@given(st.lists(st.lists(VALUES, max_size=11), max_size=5))
def test_rows_of_any_length_and_size(rows):
    expected = []
    for row in rows:
        largest = max((abs(x) for x in row), default=0.0)
        if any(np.isnan(row)):
            expected.append(np.nan)
        elif largest == 0:
            expected.append(0.0)
        else:  # in units of 2**k, which round nothing
            unit = 2.0 ** np.floor(np.log2(max(largest, 1e-300)))
            expected.append(unit * np.sqrt(sum((x / unit) ** 2 for x in row)))
    assert_allclose(found(rows), expected, rtol=1e-12, atol=1e-315)


def test_float32_is_summed_in_double():
    row = np.full(10_001, 0.1, dtype=np.float32)
    exact = np.sqrt(len(row)) * float(row[0])
    assert found([row], np.float32)[0] == pytest.approx(exact, rel=1e-14)
    assert found([[3e30, 4e30]], np.float32)[0] == pytest.approx(5e30, rel=1e-6)
    assert found([[np.inf]])[0] == np.inf
