"""Row-by-row twins of the synthetic streams: the equations, one number at a time."""

import math

import numpy as np


def linear_relevant(i, n_features, k, shift_every, step):
    """Eq. 22: the non-zero coefficients of row i."""
    first = 0 if shift_every is None else step * (i // shift_every)
    return {(first + j) % n_features for j in range(k)}


def linear_rows(stream, n_rows, block_rows, block_rng):
    """Eq. 20 and 21, from the random numbers of each block in the order they are drawn."""
    rows, labels = [], []
    for i in range(n_rows):
        if i % block_rows == 0:
            rng = block_rng(i // block_rows)
            z = rng.standard_normal((block_rows, 1))[:, 0]
            e = rng.standard_normal(block_rows)
            epsilon = rng.standard_normal((block_rows, stream.n_features))
        r = i % block_rows
        x = [stream.nu * z[r] + epsilon[r, j] for j in range(stream.n_features)]
        relevant = linear_relevant(i, stream.n_features, stream.k, stream.shift_every, stream.step)
        target = math.fsum(stream.signal * x[j] for j in relevant)
        target += stream.intercept + stream.noise * e[r]
        rows.append(x)
        labels.append(int(target > 0))
    return np.array(rows), np.array(labels)


def splitmix(key, place):
    """The place-th output of SplitMix64, in Python's whole numbers."""
    mask = 2**64 - 1
    z = (key + place * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)
