"""The kernel that looks for values that are too large."""

import numpy as np
import pytest

from driftsieve.kernels.extremes import any_beyond


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("odd", [np.inf, -np.inf, 11.0, -11.0])
def test_one_value_beyond_the_limit_is_found_wherever_it_is(dtype, odd):
    values = np.linspace(-10, 10, 100).astype(dtype)
    values[::7] = np.nan
    limit = dtype(10)
    assert not any_beyond(values, limit)
    for place in (0, 1, 50, 99):
        worse = values.copy()
        worse[place] = odd
        assert any_beyond(worse, limit)


def test_nothing_and_nothing_but_missing_values():
    assert not any_beyond(np.empty(0), 1.0)
    assert not any_beyond(np.full(9, np.nan), 1.0)
