"""Every decimal is read as Python reads it, compiled or not."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driftsieve.kernels import powers
from driftsieve.kernels import svmlight as kernels

TABLES = powers.tables()


@np.errstate(over="ignore")
def read(tokens):
    """Return the values of one row, with the tokens that are left to the caller as None."""
    pairs = "".join(f" {j}:{token}" for j, token in enumerate(tokens))
    text = np.frombuffer(f"1{pairs}\n".encode(), dtype=np.uint8)
    labels, indptr = np.empty(1), np.empty(2, dtype=np.int32)
    indices, values = np.empty(len(tokens), dtype=np.int32), np.empty(len(tokens))
    odd = np.empty((len(tokens) + 1, 2), dtype=np.int64)
    status, rows, odds, ascending, _ = kernels.parse(
        text, 0, len(tokens), labels, indptr, indices, values, odd, TABLES[2]
    )
    assert (status, rows, ascending) == (kernels.FINE, 1, True)
    left = kernels.settle(text, odd, odds, labels, values, *TABLES)
    assert indptr.tolist() == [0, len(tokens)]
    assert indices.tolist() == list(range(len(tokens)))
    result = values.tolist()
    for entry, place in odd[:left].tolist():
        result[entry] = None
        assert text[place:].tobytes().startswith(tokens[entry].encode())
    return result


def same(token):
    """Whether a token is read to the last bit, or left to the caller."""
    (value,) = read([token])
    return value is None or np.float64(value).tobytes() == np.float64(token).tobytes()


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(-0.0)
def test_shortest_decimals(value):
    assert same(repr(value))
    assert same(f"{value:.16e}")
    if 1e-300 < abs(value) < 1e300:
        assert read([repr(value)]) == [value]  # and it is decided here


decimals = st.tuples(
    st.sampled_from(["", "+", "-"]),
    st.from_regex(r"[0-9]{0,25}", fullmatch=True),
    st.from_regex(r"(\.[0-9]{0,25})?", fullmatch=True),
    st.from_regex(r"([eE][+-]?[0-9]{1,4})?", fullmatch=True),
)


@given(decimals)
@example(("", "9007199254740993", "", ""))  # halfway between two doubles
@example(("", "9007199254740995", "", ""))
@example(("", "900719925474099300000000", "", "e-8"))
@example(("", "1", "", "e23"))
@example(("", "8", ".5", "e22"))
@example(("", "000000000000000000000000001", ".", ""))
@example(("", "0", ".000000000000000000000000012", ""))
@example(("-", "0", ".0000000000000000000000000", ""))
@example(("", "179769313486231580", "", "e291"))  # rounds to infinity
def test_any_decimal(parts):
    token = "".join(parts)
    try:
        float(token)
    except ValueError:
        assert read([token]) == [None]
    else:
        assert same(token)


@given(st.integers(2**53, 2**59), st.integers(-60, 60))
def test_ties_and_their_neighbours(number, power):
    for near in (number - 1, number, number + 1):
        assert same(f"{near}e{power}")


def test_powers_of_ten():
    tokens = [f"{digit}e{power}" for power in range(-300, 300, 3) for digit in (1, 7)]
    assert read(tokens) == [float(token) for token in tokens]


@pytest.mark.parametrize(
    "token", ["", "-", ".", "+.", "e5", "1e", "1e+", "1.2.3", "1_0", "nan", "inf", "0x1", "1,2"]
)
def test_words_are_left_to_the_caller(token):
    assert read(["1.5", token, "2"]) == [1.5, None, 2]


def test_the_table_of_powers_of_five():
    high, low, tens, twos = TABLES
    for q in (0, 1, 27, 55):
        five = (int(high[q + 342]) << 64) + int(low[q + 342])
        assert five == 5**q << (128 - (5**q).bit_length())
    assert high.min() >= 2**63  # all of them begin with a one
    assert tens.tolist() == [float(f"1e{k}") for k in range(23)]
    assert twos[0] == 5e-324
    assert twos[1074] == 1
