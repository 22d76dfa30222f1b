"""The lengths of rows."""

import numpy as np

from driftsieve.kernels import kernel

TINY = 1e-200  # a sum of squares below this has lost digits, or everything, to underflow


@kernel
def row_lengths(values, starts, lengths):
    """Fill in the Euclidean length of each row, whose values begin at starts[i].

    A row with a missing value has the length NaN.
    """
    for i in range(len(lengths)):
        lo, hi = starts[i], starts[i + 1]
        a = b = c = d = 0.0  # four sums, which do not wait for one another
        for p in range(lo, hi - 3, 4):
            w, x = np.float64(values[p]), np.float64(values[p + 1])
            y, z = np.float64(values[p + 2]), np.float64(values[p + 3])
            a += w * w
            b += x * x
            c += y * y
            d += z * z
        for p in range(hi - (hi - lo) % 4, hi):
            w = np.float64(values[p])
            a += w * w
        total = (a + b) + (c + d)
        lengths[i] = np.sqrt(total)
        if total < TINY:  # zeros, or numbers too small to be squared
            largest = 0.0
            for p in range(lo, hi):
                largest = max(largest, abs(np.float64(values[p])))
            if largest > 0.0:
                total = 0.0
                for p in range(lo, hi):
                    x = np.float64(values[p]) / largest
                    total += x * x
                lengths[i] = largest * np.sqrt(total)
