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
        total = 0.0
        for p in range(starts[i], starts[i + 1]):
            x = np.float64(values[p])
            total += x * x
        lengths[i] = np.sqrt(total)
        if total < TINY:  # zeros, or numbers too small to be squared
            largest = 0.0
            for p in range(starts[i], starts[i + 1]):
                largest = max(largest, abs(np.float64(values[p])))
            if largest > 0.0:
                total = 0.0
                for p in range(starts[i], starts[i + 1]):
                    x = np.float64(values[p]) / largest
                    total += x * x
                lengths[i] = largest * np.sqrt(total)
