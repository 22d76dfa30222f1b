"""What nested samplers say of ranks: cut points with the weight of each class between them.

The lists are those of `kernels/samplers.py`. Up to the middle of a class, a rank is estimated from
the left: each value that was kept stands for the inverse of the probability with which it was,
which the values before it decide; that makes the sum unbiased (Cohen 2015). From the middle on, it
is estimated from the right.
"""

import numpy as np

from driftsieve.kernels import kernel

LEVELS = 32
NONE = -32768


@kernel
def cut_points(lo, hi, base, T, factor, bins, offsets, values, levels, weights, weighted, totals,
               floors, out_offsets, out_values, out_weights):  # fmt: skip
    """Fill the cut points of the features lo..hi.

    Cut points are the values of each class whose ranks (from the nearer end) grow by `factor`, or,
    with `bins` > 0, by that part of the class; all values, where none was dropped.
    """
    C = totals.shape[1]
    n = 0
    for j in range(lo, hi):
        out_offsets[j - lo] = n
        a, b = offsets[j * C], offsets[(j + 1) * C]
        size = b - a
        up, take = np.empty(size), np.zeros(size, np.bool_)
        points = np.empty(size)
        m = 0
        for c in range(C):
            start, stop = offsets[j * C + c], offsets[j * C + c + 1]
            _ranks(
                start, stop, values, levels, weights, weighted, base, T, floors[j, c],
                totals[j, c], factor, bins, up[start - a : stop - a], take[start - a : stop - a]
            )  # fmt: skip
            for i in range(start, stop):
                if take[i - a]:
                    points[m] = values[i]
                    m += 1
        ordered = np.sort(points[:m])
        m = 0
        for i in range(len(ordered)):
            if i == 0 or ordered[i] != ordered[m - 1]:
                ordered[m] = ordered[i]
                m += 1
        for c in range(C):
            i, stop = offsets[j * C + c], offsets[j * C + c + 1]
            before, reached = 0.0, 0.0
            for t in range(m):
                while i < stop and values[i] <= ordered[t]:
                    reached = up[i - a]
                    i += 1
                out_weights[c, n + t] = reached - before
                before = reached
        for t in range(m):
            out_values[n + t] = ordered[t]
        n += m
    out_offsets[hi - lo] = n


@kernel
def _ranks(start, stop, values, levels, weights, weighted, base, T, floor, total, factor, bins,
           up, take):  # fmt: skip
    """Fill what all rows up to each value weigh, and which values are cut points."""
    size = stop - start
    if size == 0:
        return
    highest = base
    for i in range(start, stop):
        highest = max(highest, int(levels[i]))
    seen = np.zeros(highest - base + 2, np.int64)
    down = np.zeros(size + 1)  # from the right: what all rows from each value on weigh
    exact = True
    for side in range(2):
        open_ = max(floor, base) - base
        above = 0
        reached = 0.0
        some = floor != NONE
        for k in range(size):
            i = k if side == 0 else size - 1 - k
            at = int(levels[start + i]) - base
            if at >= open_:
                w = weights[start + i] if weighted else 1.0
                taken = 1.0
                if some:
                    taken = -np.expm1(-w * 2.0 ** (-(open_ + base) / LEVELS))
                reached += w / taken if taken > 0 else 0.0
                seen[at] += 1
                above += 1
                while above >= T:
                    above -= seen[open_]
                    open_ += 1
                    some = True
            if side == 0:
                up[i] = reached
            else:
                down[i] = reached
        exact = exact and not some
        seen[:] = 0
    for i in range(size):
        if up[i] <= down[i + 1]:
            up[i] = min(up[i], total / 2)
        else:
            up[i] = max(total - down[i + 1], total / 2)
        if i > 0:
            up[i] = max(up[i], up[i - 1])
    up[size - 1] = total
    last = 0.0
    for i in range(size):
        if i + 1 < size and values[start + i + 1] == values[start + i]:
            continue  # only the last of equal values has all of them up to it
        if exact or i + 1 == size:
            far = True
        elif bins > 0:
            far = up[i] >= last + total / bins
        elif up[i] <= total / 2:
            far = up[i] >= factor * last
        else:
            far = (total - up[i]) * factor <= total - last
        if far:
            take[i] = True
            last = up[i]
