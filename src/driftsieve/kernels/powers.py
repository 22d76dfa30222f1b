"""Powers of five, ten and two, as kernels that read decimals need them."""

import numpy as np

SMALLEST_POWER, LARGEST_POWER = -342, 308
"""Beyond these powers of ten a number of 64 bits is a zero or an infinity among the doubles."""

U = np.uint64


def tables():
    """Return 5**q as two 64-bit halves of 128 bits, q from -342 to 308; 10**k; 2**k from -1074."""
    fives = []
    for q in range(SMALLEST_POWER, LARGEST_POWER + 1):
        power = 5 ** abs(q)
        if q < 0:
            bits = power.bit_length() + 127 if q >= -27 else 2 * power.bit_length() + 128
            power = (1 << bits) // power + 1
        shift = power.bit_length() - 128
        fives.append(power >> shift if shift > 0 else power << -shift)
    high = np.array([five >> 64 for five in fives], dtype=U)
    low = np.array([five & (2**64 - 1) for five in fives], dtype=U)
    tens = np.array([float(10**k) for k in range(23)])
    twos = np.ldexp(1.0, np.arange(-1074, 972))
    return high, low, tens, twos
