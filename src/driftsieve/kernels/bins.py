"""Questions to the sorted entries of quantile summaries: bins with class counts, ranks.

The symbols are those of `kernels/quantiles.py`. `rows` is the weight of all rows by class, from
which that of the zeros follows which sparse rows do not hold (`zeros`): they enter here, between
the entries.
"""

import numpy as np

from driftsieve.kernels import kernel

SLACK = 1e-12
"""Ranks closer than this (relative to all weight) are equal: sums of fractions are not exact."""
NO_ZEROS = 1e-9
"""Zeros that weigh less than this (relative to their class) are but the rounding of sums."""
FORGOTTEN = 1e-100
"""Entries that weigh less than this have faded away."""


@kernel
def equal_frequency(offsets, v, u, w, scale, rows, zeros, fixed, starts, counts, upper, lowest):
    """Fill the bins of each feature, from `starts[j]` on: class counts, and the upper edges;
    `lowest` is the least value.

    A bin ends with the first value up to which the cumulative weight reaches the bin's share of
    all (Wang & Barbu 2021, Algorithm 3): a value that fills several bins leaves the next ones
    empty. A feature with no more values than bins, or a `fixed` one, has a bin for each value; and
    one of which a single value would fill all bins has one for that value and one for the others.
    Entries that are in doubt stand for more values than they are, and have no bins of their own.
    """
    widest = np.max(np.diff(offsets)) + 1
    x, doubt, size = np.empty((3, widest))
    weight = np.empty((len(w), widest))
    for j in range(len(offsets) - 1):
        n = _line_up(offsets[j], offsets[j + 1], v, u, w, scale, rows, zeros, x, doubt, weight)
        first, last = starts[j], starts[j + 1] - 1
        lowest[j] = x[0] if n else np.nan
        mass = 0.0
        highest = 0.0  # of the ranks of all values but the last
        in_doubt = 0.0
        for i in range(n):
            size[i] = 0.0
            for c in range(len(w)):
                size[i] += weight[c, i]
            mass += size[i]
            if i + 1 < n:
                highest = max(highest, mass + doubt[i + 1] / 2)
                in_doubt = max(in_doubt, doubt[i + 1])
        share = mass / (last + 1 - first)
        each = fixed[j] or (n <= last + 1 - first and in_doubt <= SLACK * mass)
        alone = n > 1 and highest + SLACK * mass < share
        b = first
        reached = 0.0
        for i in range(n):
            if alone and not each and i == n - 1:
                upper[first:last] = x[i - 1]
                b = last
            for c in range(len(w)):
                counts[b, c] += weight[c, i]
            upper[b] = x[i]
            reached += size[i]
            # Somewhere between the certain weight and that with all the uncertain: half-way.
            rank = reached + (doubt[i + 1] / 2 if i + 1 < n else 0.0) + SLACK * mass
            while b < last and (each or (not alone and rank >= (b + 1 - first) * share)):
                b += 1
                upper[b] = x[i]
                if each:
                    break
        for later in range(b + 1 if n else b, last + 1):
            upper[later] = x[n - 1] if n else np.nan


@kernel
def every_cut(offsets, v, u, w, scale, rows, zeros, starts, counts, upper, lowest):
    """Fill a bin for each value of each feature, from `starts[j]` on, as `equal_frequency` does.

    What weighs how much up to a value is answered as by `weight_below`, but never less than up to
    the value before it, and in the end it is all there is.
    """
    widest = np.max(np.diff(offsets)) + 1
    x, doubt = np.empty((2, widest))
    weight = np.empty((len(w), widest))
    certain, reached, total = np.empty((3, len(w)))
    for j in range(len(offsets) - 1):
        n = _line_up(offsets[j], offsets[j + 1], v, u, w, scale, rows, zeros, x, doubt, weight)
        lowest[j] = x[0] if n else np.nan
        for c in range(len(w)):
            certain[c] = reached[c] = total[c] = 0.0
            for i in range(n):
                total[c] += weight[c, i]
        for i in range(n):
            size = 0.0  # of the next one, if there is a doubt
            if i + 1 < n and doubt[i + 1] > 0:
                for c in range(len(w)):
                    size += weight[c, i + 1]
            for c in range(len(w)):
                certain[c] += weight[c, i]
                up = certain[c]
                if size > 0:
                    up = min(up + doubt[i + 1] / 2 * weight[c, i + 1] / size, total[c])
                counts[starts[j] + i, c] = max(up - reached[c], 0.0)
                reached[c] = max(up, reached[c])
            upper[starts[j] + i] = x[i]
        for later in range(starts[j] + n, starts[j + 1]):
            upper[later] = x[n - 1] if n else np.nan


@kernel
def weight_below(offsets, v, u, w, scale, rows, zeros, j, values, found):
    """Fill `found` with the weight by class of the rows whose feature j is at most each value.

    Of the uncertain rows between two entries half are counted, in the proportions of the later one.
    """
    n_entries = offsets[j + 1] - offsets[j] + 1
    x, doubt = np.empty((2, n_entries))
    weight = np.empty((len(w), n_entries))
    n = _line_up(offsets[j], offsets[j + 1], v, u, w, scale, rows, zeros, x, doubt, weight)
    for q in range(len(values)):
        for c in range(len(w)):
            found[q, c] = 0.0
        i = 0
        while i < n and x[i] <= values[q]:
            for c in range(len(w)):
                found[q, c] += weight[c, i]
            i += 1
        if i < n and doubt[i] > 0:
            size = 0.0
            for c in range(len(w)):
                size += weight[c, i]
            for c in range(len(w)):
                found[q, c] += doubt[i] / 2 * weight[c, i] / size


@kernel
def values_at(offsets, v, u, w, scale, rows, zeros, j, q, found):
    """Fill `found` with the values of feature j at the ranks `q`, parts of all weight."""
    n_entries = offsets[j + 1] - offsets[j] + 1
    x, doubt = np.empty((2, n_entries))
    weight = np.empty((len(w), n_entries))
    n = _line_up(offsets[j], offsets[j + 1], v, u, w, scale, rows, zeros, x, doubt, weight)
    mass = weight[:, :n].sum()
    for k in range(len(q)):
        reached = 0.0
        for i in range(n):
            for c in range(len(w)):
                reached += weight[c, i]
            found[k] = x[i]
            if reached + (doubt[i + 1] / 2 if i + 1 < n else 0.0) >= (q[k] - SLACK) * mass:
                break


@kernel
def _line_up(first, stop, v, u, w, scale, rows, zeros, x, doubt, weight):
    """Lay out a feature's entries with all zeros, and without missing values and what has faded
    away; return how many."""
    n_classes = len(w)
    real = stop - 1 if stop > first and np.isnan(v[stop - 1]) else stop
    n = 0
    bare = False  # the lowest value, faded away, but a bound of uncertain rows above it
    for e in range(first, real):
        size = 0.0
        for c in range(n_classes):
            size += w[c, e] * scale
        if size < FORGOTTEN and n > 0:
            continue
        if bare and n == 1 and u[e] == 0:
            n = 0
        if n == 0:
            bare = size < FORGOTTEN
        x[n] = v[e]
        doubt[n] = u[e] * scale
        for c in range(n_classes):
            weight[c, n] = w[c, e] * scale
        n += 1
    if bare and n == 1:
        n = 0
    if not zeros:
        return n
    zero = np.zeros(n_classes)
    any_zero = False
    for c in range(n_classes):
        zero[c] = rows[c]
        for e in range(first, stop):
            zero[c] -= w[c, e] * scale
        if zero[c] <= NO_ZEROS * rows[c]:
            zero[c] = 0.0
        else:
            any_zero = True
    if not any_zero:
        return n
    at = 0
    while at < n and x[at] < 0:
        at += 1
    if at == n or x[at] != 0:
        for i in range(n, at, -1):
            x[i] = x[i - 1]
            doubt[i] = doubt[i - 1]
            for c in range(n_classes):
                weight[c, i] = weight[c, i - 1]
        x[at] = 0.0
        doubt[at] = doubt[at + 1] if at < n else 0.0
        for c in range(n_classes):
            weight[c, at] = 0.0
        n += 1
    for c in range(n_classes):
        weight[c, at] += zero[c]
    return n
