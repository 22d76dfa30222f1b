"""From rows to columns, dense and sparse, and the sorting of sparse ones."""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def places_by_class(codes, starts, places):
    """Find the place of each row if rows are sorted by class; class c is at starts[c] and on.

    `starts` holds zeros, one more than there are classes.
    """
    for i in range(len(codes)):
        starts[codes[i] + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    at = starts[:-1].copy()
    for i in range(len(codes)):
        places[i] = at[codes[i]]
        at[codes[i]] += 1


@kernel
def columns(X, places, lo, hi, cols):
    """Lay out the columns lo..hi, row i of X at `places[i]`; -0.0 becomes 0.0.

    Indices are unsigned, so that nobody has to look for negative ones: twice as fast.
    """
    for j0 in range(lo, hi, 16):  # a cache line of float32 at a time
        j1 = min(hi, j0 + 16)
        for i in range(len(X)):
            row, k = np.uint64(i), np.uint64(places[i])
            for j in range(j0, j1):
                cols[np.uint64(j - lo), k] = X[row, np.uint64(j)] + 0


@kernel
def group_columns(indices, starts, order):
    """Sort entries by column into `order`; column j is order[starts[j]:starts[j + 1]].

    `starts` holds zeros, one more than there are columns.
    """
    for k in range(len(indices)):
        starts[indices[k] + 1] += 1
    for j in range(len(starts) - 1):
        starts[j + 1] += starts[j]
    at = starts[:-1].copy()
    for k in range(len(indices)):
        order[at[indices[k]]] = k
        at[indices[k]] += 1


@kernel
def sort_columns(values, order, starts):
    """Put `order` in the order of the values within each column; NaN last."""
    for j in range(len(starts) - 1):
        part = order[starts[j] : starts[j + 1]]
        n = len(part)
        if n > 32:
            keys = np.empty(n, values.dtype)
            for i in range(n):
                keys[i] = values[part[i]]
            turn = 0
            for i in range(1, n):
                turn += not (keys[i - 1] <= keys[i])
            if turn:
                part[:] = part[np.argsort(keys)]
            continue
        for i in range(1, n):
            k = part[i]
            x = values[k]
            h = i - 1
            while h >= 0 and (
                values[part[h]] > x or (np.isnan(values[part[h]]) and not np.isnan(x))
            ):
                part[h + 1] = part[h]
                h -= 1
            part[h + 1] = k
