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


def uniform(key, place):
    return (splitmix(key, place) >> 11) / 2**53


def switched(concepts, at, width, key, n_rows):
    """Which (source, row of that source) each row comes from: pulled one at a time.

    `concepts` are the lengths of the sources. The stream ends with the last of them.
    """
    taken = [0] * len(concepts)
    rows = []
    for t in range(n_rows):
        u = uniform(key, t)
        which = 0
        for i, point in enumerate(at):
            if width == 0:
                beyond = t >= point
            else:
                exponent = -4 * (t - point) / width
                beyond = u < (1 / (1 + math.exp(exponent)) if exponent < 700 else 0)
            if beyond:
                which = i + 1
        if taken[which] == concepts[which]:
            assert which == len(concepts) - 1, "an earlier source has ended"
            break
        rows.append((which, taken[which]))
        taken[which] += 1
    return rows


def with_missing(X, share, key):
    """Cell by cell: row and column decide."""
    X = X.copy()
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if uniform(key, i * X.shape[1] + j) < share:
                X[i, j] = math.nan
    return X


def by_class(y, first, lead):
    """The rows that arrive: some of one class, then one of each class in turn."""
    classes = list(dict.fromkeys(y))
    waiting = {label: [i for i, other in enumerate(y) if other == label] for label in classes}
    rows = [waiting[first].pop(0) for _ in range(lead)]
    while all(waiting.values()):
        rows += [waiting[label].pop(0) for label in classes]
    return rows
