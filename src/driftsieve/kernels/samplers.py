"""Nested Gupta-Zane samplers: for each feature and class, a list of values in ascending order.

A sampler of level l takes a row of weight w with probability 1 - exp(-w 2^(-l / LEVELS)), and keeps
the T least (or largest) values that it took. One draw serves the samplers of all levels: it is the
highest level that takes the row. A value stays in the list while any sampler keeps it, on the left
side or on the right one: while fewer than T values before it have as high a level.

List p = j C + c, of feature j and class c, has the places offsets[p]..offsets[p + 1] in values,
levels and weights (empty, if all rows weigh 1). floors[p] is the lowest level that there is, or
NONE if there are all.
"""

import numpy as np

from driftsieve.kernels import kernel

LEVELS = 32
"""Levels to a factor of 2 in probability."""
HIGHEST = 32_000
"""Levels stay within this: draws that ask for more do not occur, and weights hardly."""
NONE = -32768
CELL = 4
"""Levels that are looked up together."""
FADED = 2.0**-40
"""What weighs so much less than the heaviest value of its list is dropped."""


@kernel
def absorb(X, codes, row_levels, row_weights, weighted, lo, hi, base, T, bins,
           offsets, values, levels, weights, totals, floors,
           lengths, out_values, out_levels, out_weights):  # fmt: skip
    """Take rows into the lists of the features lo..hi, and write these side by side.

    No level lies below `base`. With `bins` > 0, levels whose samplers would tell of ranks below a
    bin-th part of all weight are given up.
    """
    C = totals.shape[1]
    first = offsets[lo * C]
    longest = 0
    for p in range(lo * C, hi * C):
        longest = max(longest, offsets[p + 1] - offsets[p])
    x, level, w, keep = _room(longest + len(X), weighted)
    highest = max(_highest(row_levels, 0, len(X)), _highest(levels, first, offsets[hi * C]))
    seen = np.zeros(highest - base + 2, np.int64)
    left, right = np.empty((2, C, (highest - base) // CELL + 1))
    rows, starts = np.empty(len(X), np.int64), np.zeros(C + 1, np.int64)
    n = 0
    for j in range(lo, hi):
        for c in range(C):
            p = j * C + c
            _thresholds(offsets[p], offsets[p + 1], values, levels, base, T, floors[j, c], seen,
                        left[c], right[c])  # fmt: skip
        _survivors(X, codes, row_levels, row_weights, j, base, left, right, totals, rows, starts)
        for c in range(C):
            p = j * C + c
            m = _merged(
                X, j, rows[starts[c] : starts[c + 1]], row_levels, row_weights, weighted,
                offsets[p], offsets[p + 1], values, levels, weights, x, level, w
            )  # fmt: skip
            if bins > 0:
                floors[j, c] = max(floors[j, c], _floor(totals[j, c], m, w, weighted, T, bins))
            n0 = n
            _scan(m, level, w, weighted, base, T, floors[j, c], seen, keep)
            for i in range(m):
                if keep[i]:
                    out_values[n], out_levels[n] = x[i], level[i]
                    if weighted:
                        out_weights[n] = w[i]
                    n += 1
            lengths[(j - lo) * C + c] = n - n0


@kernel
def combine(lo, hi, base, T, bins, weighted, into, shift, gain,
            offsets, values, levels, weights, totals, floors,
            _offsets, _values, _levels, _weights, _totals, _floors,
            lengths, out_values, out_levels, out_weights):  # fmt: skip
    """Merge the lists of another summary (its names begin with _) into those of features lo..hi.

    The other's class c is into[c] here, its weights count `gain` times and its levels are `shift`
    higher.
    """
    C, _C = totals.shape[1], _totals.shape[1]
    n = 0
    source = np.full(C, -1)
    for c in range(_C):
        source[into[c]] = c
    for j in range(lo, hi):
        for c in range(C):
            a, b = offsets[j * C + c], offsets[j * C + c + 1]
            _a, _b = 0, 0
            floor = floors[j, c]
            if source[c] >= 0:
                _p = j * _C + source[c]
                _a, _b = _offsets[_p], _offsets[_p + 1]
                totals[j, c] += gain * _totals[j, source[c]]
                if _floors[j, source[c]] != NONE:
                    floor = max(floor, _floors[j, source[c]] + shift)
            m = b - a + _b - _a
            x, level, w, keep = _room(m, weighted)
            i, _i = a, _a
            for t in range(m):
                if i < b and (_i == _b or values[i] <= _values[_i]):
                    x[t], level[t] = values[i], levels[i]
                    if weighted:
                        w[t] = weights[i]
                    i += 1
                else:
                    x[t] = _values[_i]
                    level[t] = min(max(int(_levels[_i]) + shift, base), HIGHEST)
                    if weighted:
                        w[t] = gain * _weights[_i]
                    _i += 1
            if bins > 0:
                floor = max(floor, _floor(totals[j, c], m, w, weighted, T, bins))
            floors[j, c] = floor
            seen = np.zeros(max(_highest(level, 0, m), base) - base + 2, np.int64)
            _scan(m, level, w, weighted, base, T, floor, seen, keep)
            n0 = n
            for t in range(m):
                if keep[t]:
                    out_values[n], out_levels[n] = x[t], level[t]
                    if weighted:
                        out_weights[n] = w[t]
                    n += 1
            lengths[(j - lo) * C + c] = n - n0


@kernel
def _room(n, weighted):
    return np.empty(n), np.empty(n, np.int64), np.empty(n if weighted else 0), np.empty(n, np.bool_)


@kernel
def _highest(levels, start, stop):
    highest = NONE
    for i in range(start, stop):
        highest = max(highest, int(levels[i]))
    return highest


@kernel
def _floor(total, n, w, weighted, T, bins):
    """The level of which a value's sampler tells the rank total / bins: none, while there are few
    rows."""
    heaviest = 1.0
    if weighted:
        heaviest = 0.0
        for i in range(n):
            heaviest = max(heaviest, w[i])
    if total <= T * bins * heaviest:
        return NONE
    return int(np.floor(LEVELS * np.log2(total / (T * bins))))


@kernel
def _scan(n, level, w, weighted, base, T, floor, seen, keep):
    """Flag what any sampler keeps. `seen` is all zeros before and after."""
    bound = 0.0
    if weighted:
        for i in range(n):
            bound = max(bound, w[i] * FADED)
    for i in range(n):
        keep[i] = False
    for side in range(2):
        open_ = max(floor, base) - base
        above = 0
        for k in range(n):
            i = k if side == 0 else n - 1 - k
            at = level[i] - base
            if at < open_ or (weighted and w[i] < bound):
                continue
            keep[i] = True
            seen[at] += 1
            above += 1
            while above >= T:
                above -= seen[open_]
                open_ += 1
        for i in range(n):
            seen[level[i] - base] = 0


@kernel
def _thresholds(start, stop, values, levels, base, T, floor, seen, left, right):
    """For each cell of levels, the value from which on (down to which) no sampler takes any."""
    left[:] = np.inf
    right[:] = -np.inf
    for side in range(2):
        open_ = max(floor, base) - base
        above, done = 0, 0
        for k in range(stop - start):
            i = start + k if side == 0 else stop - 1 - k
            at = int(levels[i]) - base
            if at < open_:
                continue
            seen[at] += 1
            above += 1
            while above >= T:
                above -= seen[open_]
                open_ += 1
            while (done + 1) * CELL <= open_ and done < len(left):
                if side == 0:
                    left[done] = values[i]
                else:
                    right[done] = values[i]
                done += 1
        for i in range(start, stop):
            seen[int(levels[i]) - base] = 0


@kernel
def _survivors(X, codes, row_levels, row_weights, j, base, left, right, totals, rows, starts):
    """Add up what the rows weigh by class, and group by class those that a sampler may take."""
    C = totals.shape[1]
    starts[:] = 0
    some = np.empty(len(X), np.int64)
    n = 0
    for r in range(len(X)):
        x = X[r, j]
        if np.isnan(x):
            continue
        c = codes[r]
        totals[j, c] += row_weights[r]
        cell = (row_levels[r] - base) // CELL
        if x < left[c, cell] or x >= right[c, cell]:
            some[n] = r
            n += 1
            starts[c + 1] += 1
    for c in range(C):
        starts[c + 1] += starts[c]
    place = starts[:-1].copy()
    for i in range(n):
        c = codes[some[i]]
        rows[place[c]] = some[i]
        place[c] += 1


@kernel
def _merged(X, j, rows, row_levels, row_weights, weighted, start, stop, values, levels, weights,
            x, level, w):  # fmt: skip
    """Write a list and the new rows into one; of equal values, the older ones come first."""
    new = np.empty(len(rows))
    for k in range(len(rows)):
        new[k] = X[rows[k], j]
    order = np.argsort(new, kind="mergesort")
    n, i, k = 0, start, 0
    while i < stop or k < len(rows):
        if k == len(rows) or (i < stop and values[i] <= new[order[k]]):
            x[n], level[n] = values[i], levels[i]
            if weighted:
                w[n] = weights[i]
            i += 1
        else:
            r = rows[order[k]]
            x[n], level[n] = new[order[k]], row_levels[r]
            if weighted:
                w[n] = row_weights[r]
            k += 1
        n += 1
    return n
