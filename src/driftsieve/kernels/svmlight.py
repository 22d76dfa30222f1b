"""Parsing svmlight text: lines of `label index:value index:value ... # comment`.

Decimals become the nearest double, as Python's `float` reads them. Up to 2**53 and with powers of
ten that are doubles themselves one division or product is exact (Clinger, "How to read floating
point numbers accurately", 1990, section 3). The rest goes by D. Lemire, "Number parsing at a
gigabyte per second" (2021), algorithm 1: a product with a 128-bit power of five.
*Deviations:* more than 18 digits, subnormal and infinite results and words (nan) are not decided
here; the caller gets their places and reads them itself.

Three things make it quick. `parse` decides plain short numbers only and leaves the others to
`settle`: with both in one function it takes three times as long. Places in the text are unsigned,
which saves the test for negative ones (a fifth). The loops over digits are written out, as a call
that returns several values costs as much as reading a number.
"""

import numpy as np

from driftsieve.kernels import kernel

FINE, BAD_INDEX, BAD_PAIR = range(3)
"""What came of a block."""

SPACE, NEWLINE, HASH, COLON = b" \n#:"
PLUS, MINUS, POINT, ZERO, ONE_DIGIT, NINE, SMALL_E, LARGE_E = b"+-.019eE"
SMALL_Q, SMALL_I, SMALL_D = b"qid"

LARGEST_INDEX = 2**31 - 2
MOST_DIGITS = 18
LARGEST_EXACT, LARGEST_TEN = 2**53, 22
SMALLEST_POWER, LARGEST_POWER = -342, 308  # as in kernels.powers

U = np.uint64
ONE = U(1)
LOW_HALF = U(0xFFFFFFFF)
ALL = U(0xFFFFFFFFFFFFFFFF)
NINE_BITS = ALL >> U(55)
HIDDEN_BIT = U(1 << 52)
INFINITE = 2047


@kernel
def _product(a, b):
    """Return the high and the low half of a product of 64-bit numbers."""
    a_low, a_high = a & LOW_HALF, a >> U(32)
    b_low, b_high = b & LOW_HALF, b >> U(32)
    low, one, other = a_low * b_low, a_low * b_high, a_high * b_low
    middle = (low >> U(32)) + (one & LOW_HALF) + (other & LOW_HALF)
    high = a_high * b_high + (one >> U(32)) + (other >> U(32)) + (middle >> U(32))
    return high, (middle << U(32)) | (low & LOW_HALF)


@kernel
def _nearest(digits, q, five_high, five_low):
    """Return the double nearest to digits * 10**q as its mantissa and biased exponent.

    The exponent is 0 if that is not decided.
    """
    w = U(digits)
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> U(64 - step) == U(0):
            w = w << U(step)
            zeros += step
    high, low = _product(w, five_high)
    if high & NINE_BITS == NINE_BITS:
        more, _ = _product(w, five_low)
        if low > ALL - more:  # low + more carries
            low = low - (ALL - more) - U(1)
            high = high + U(1)
        else:
            low = low + more
    upper = int(high >> U(63))
    mantissa = high >> U(upper + 9)
    exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023
    if exponent <= 0:
        return U(0), 0
    halfway = mantissa << U(upper + 9) == high
    if low <= ONE and -4 <= q <= 23 and mantissa & U(3) == ONE and halfway:
        mantissa = mantissa - ONE  # a tie goes to the even neighbour
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    if mantissa >= HIDDEN_BIT << ONE:
        mantissa = HIDDEN_BIT
        exponent += 1
    return mantissa, exponent if exponent < INFINITE else 0


@kernel
def _spaces(text, at):
    """Return the end of a run of spaces."""
    c = text[at]
    while c <= SPACE and c != NEWLINE:
        at += ONE
        c = text[at]
    return at


@kernel
def _word(text, at):
    """Return the end of a word."""
    c = text[at]
    while c > SPACE and c != HASH:
        at += ONE
        c = text[at]
    return at


@kernel
def _line(text, at):
    """Return where the next line begins."""
    while text[at] != NEWLINE:
        at += ONE
    return at + ONE


@kernel
def _is_query(text, at):
    return text[at] == SMALL_Q and text[at + ONE] == SMALL_I and text[at + U(2)] == SMALL_D


@kernel(inline="always")
def _decimal(text, at):
    """Read sign, digits and point; return also the numbers of digits and of those behind the point.

    The value of more than 18 digits overflows.
    """
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += ONE
    begin = at
    digits = 0
    c = text[at]
    while ZERO <= c <= NINE:
        digits = digits * 10 + (np.int64(c) - ZERO)
        at += ONE
        c = text[at]
    count, behind = np.int64(at - begin), np.int64(0)
    if c == POINT:
        at += ONE
        begin = at
        c = text[at]
        while ZERO <= c <= NINE:
            digits = digits * 10 + (np.int64(c) - ZERO)
            at += ONE
            c = text[at]
        behind = np.int64(at - begin)
        count += behind
    return negative, digits, count, behind, at


@kernel
def _scientific(text, at):
    """Read any decimal; return sign, digits, power of ten and whether that is all there is."""
    begin = at
    negative, digits, count, behind, at = _decimal(text, at)
    plain = count > 0
    if count > MOST_DIGITS:
        while begin < at and not ONE_DIGIT <= text[begin] <= NINE:  # zeros in front do not count
            count -= text[begin] == ZERO
            begin += ONE
        plain = count <= MOST_DIGITS
    power = -behind
    if text[at] == SMALL_E or text[at] == LARGE_E:
        at += ONE
        minus = text[at] == MINUS
        if minus or text[at] == PLUS:
            at += ONE
        begin = at
        exponent = 0
        while ZERO <= text[at] <= NINE:
            exponent = exponent * 10 + (np.int64(text[at]) - ZERO)
            at += ONE
        plain &= 0 < np.int64(at - begin) <= MOST_DIGITS
        power += -exponent if minus else exponent
    plain &= text[at] <= SPACE or text[at] == HASH
    return negative, digits, power, plain


@kernel
def settle(text, odd, odds, labels, values, five_high, five_low, tens, twos):
    """Decide the numbers that `parse` left over; return how many remain, at the front of `odd`."""
    left = 0
    for k in range(odds):
        entry, place = odd[k, 0], odd[k, 1]
        negative, digits, power, decided = _scientific(text, U(place))
        value = 0.0
        if not decided or digits == 0:
            pass
        elif digits <= LARGEST_EXACT and -LARGEST_TEN <= power <= LARGEST_TEN:
            value = digits * tens[power] if power >= 0 else digits / tens[-power]
        elif SMALLEST_POWER <= power <= LARGEST_POWER:
            five = power - SMALLEST_POWER
            mantissa, exponent = _nearest(digits, power, five_high[five], five_low[five])
            decided = exponent > 0
            value = float(mantissa) * twos[max(exponent - 1, 0)]
        else:
            decided = False
        value = -value if negative else value
        if not decided:
            odd[left, 0], odd[left, 1] = entry, place
            left += 1
        elif entry < 0:
            labels[-1 - entry] = value
        else:
            values[entry] = value
    return left


@kernel
def scan(text, found):
    """Let `found` = [rows, smallest index, largest index] take in a block (see `parse`)."""
    at, stop = U(0), U(len(text))
    rows, smallest, largest = found
    while at < stop:
        at = _spaces(text, at)
        if text[at] != NEWLINE and text[at] != HASH:
            rows += 1
            at = _spaces(text, _word(text, at))
            while text[at] != NEWLINE and text[at] != HASH:
                begin = at
                index = 0
                c = text[at]
                while ZERO <= c <= NINE:
                    index = index * 10 + (np.int64(c) - ZERO)
                    at += ONE
                    c = text[at]
                if c == COLON and at > begin:
                    if np.int64(at - begin) > MOST_DIGITS:
                        index = LARGEST_INDEX + 1
                    smallest = min(smallest, index)
                    largest = max(largest, index)
                at = _spaces(text, _word(text, at))
        at = _line(text, at)
    found[0], found[1], found[2] = rows, smallest, largest


@kernel
def parse(text, offset, n_features, labels, indptr, indices, values, odd, tens):
    """Parse a block of whole lines, the last of which must end in a newline, too, into CSR.

    `offset` is taken from all indices. `odd` takes the entry (labels: -1 - row) and the place of
    each number that is left to `settle`. Returns the status, the numbers of rows and of odd
    numbers, whether the indices ascend, and the place of what was wrong.
    """
    at, stop = U(0), U(len(text))
    row, entry, odds, ascending = 0, 0, 0, True
    indptr[0] = 0
    while at < stop:
        at = _spaces(text, at)
        if text[at] != NEWLINE and text[at] != HASH:
            begin = at
            negative, digits, count, behind, at = _decimal(text, at)
            if 0 < count < MOST_DIGITS and behind == 0 and text[at] <= SPACE:
                labels[row] = -digits if negative else digits
            else:
                at = _word(text, at)
                odd[odds, 0], odd[odds, 1] = -1 - row, np.int64(begin)
                odds += 1
            at = _spaces(text, at)
            if _is_query(text, at):
                at = _spaces(text, _word(text, at))
            last = -1
            while text[at] != NEWLINE and text[at] != HASH:
                begin = at
                index = 0
                c = text[at]
                while ZERO <= c <= NINE:
                    index = index * 10 + (np.int64(c) - ZERO)
                    at += ONE
                    c = text[at]
                if c != COLON or at == begin:
                    return BAD_PAIR, row, odds, ascending, begin
                index -= offset
                if not 0 <= index < n_features or np.int64(at - begin) > MOST_DIGITS:
                    return BAD_INDEX, row, odds, ascending, begin
                ascending &= index > last
                last = index
                indices[entry] = index
                at += ONE
                begin = at
                negative, digits, count, behind, at = _decimal(text, at)
                short = 0 < count <= MOST_DIGITS and digits <= LARGEST_EXACT
                if short and behind <= LARGEST_TEN and text[at] <= SPACE:
                    value = digits / tens[behind]
                    values[entry] = -value if negative else value
                else:
                    at = _word(text, at)
                    odd[odds, 0], odd[odds, 1] = entry, np.int64(begin)
                    odds += 1
                entry += 1
                at = _spaces(text, at)
            row += 1
            indptr[row] = entry
        at = _line(text, at)
    return FINE, row, odds, ascending, at
