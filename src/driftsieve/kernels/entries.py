"""Sorted entries of a feature: merging two summaries, and pruning one.

The symbols are those of `kernels/quantiles.py`.
"""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def combine(offsets, v, u, w, other_offsets, other_v, other_u, other_w, into, gain, mass, joined,
            fixed, twice_epsilon, capacity, ov, ou, ow, lengths):  # fmt: skip
    """Merge two summaries of the same features; the second's class i is the first's `into[i]`.

    `mass` and `joined` are already those of both. What is uncertain about the rank of a value adds
    up: in each summary it is the uncertainty of the first entry that is not below that value.
    """
    out = 0
    for j in range(len(lengths)):
        start = out
        ends = offsets[j], offsets[j + 1], other_offsets[j], other_offsets[j + 1]
        exact = fixed[j] or not joined[j]
        T = -1.0 if exact else twice_epsilon * mass[j]
        out = _combine_one(
            ends, v, u, w, other_v, other_u, other_w, into, gain, T, ov, ou, ow, start
        )
        lacks = out > start and np.isnan(ov[out - 1])
        if exact and not fixed[j] and out - start - lacks > capacity:
            joined[j] = True
            T = twice_epsilon * mass[j]
            out = _combine_one(
                ends, v, u, w, other_v, other_u, other_w, into, gain, T, ov, ou, ow, start
            )
        lengths[j] = out - start


@kernel
def _combine_one(ends, v, u, w, other_v, other_u, other_w, into, gain, T, ov, ou, ow, out):
    a, a_end, b, b_end = ends
    begin = out
    out -= 1
    total = np.inf
    while a < a_end or b < b_end:
        # NaN, the entry of missing values, is greater than everything and equals itself here.
        left, right = a < a_end, b < b_end
        if left and right:
            x, y = np.float64(v[a]), np.float64(other_v[b])
            left, right = x <= y or np.isnan(y), y <= x or np.isnan(x)
        value = np.float64(v[a]) if left else np.float64(other_v[b])
        doubt = 0.0
        if not np.isnan(value):
            doubt += u[a] if a < a_end else 0.0
            doubt += gain * other_u[b] if b < b_end else 0.0
        if total + doubt > T or out <= begin or np.isnan(value):
            out += 1
            total = 0.0
            for c in range(len(ow)):
                ow[c, out] = 0
        ov[out] = value
        ou[out] = doubt + total
        if left:
            for c in range(len(w)):
                ow[c, out] += w[c, a]
                total += w[c, a]
            a += 1
        if right:
            for c in range(len(other_w)):
                weight = gain * other_w[c, b]
                ow[into[c], out] += weight
                total += weight
            b += 1
    return out + 1


@kernel
def prune(offsets, v, u, w, most, fixed, ov, ou, ow, lengths):
    """Keep the entries that answer `most` + 1 evenly spaced ranks; each takes in those before it.

    PRUNE of Wang & Barbu (2021), section 2.2.2, with the exact weight update of 2.2.3. `fixed`
    features, and those with no more entries than that, stay as they are.
    """
    out = 0
    for j in range(len(lengths)):
        start = out
        first, stop = offsets[j], offsets[j + 1]
        if stop > first and np.isnan(v[stop - 1]):
            stop -= 1
        mass = 0.0
        for e in range(first, stop):
            for c in range(len(w)):
                mass += w[c, e]
        step = mass / most
        all_stay = fixed[j] or stop - first <= most + 1
        reached = 0.0  # the weight of all entries up to this one
        skipped = 0.0  # the weight of those that the next one kept takes in
        wanted = 0.0
        for e in range(first, stop):
            if skipped == 0.0:
                for c in range(len(ow)):
                    ow[c, out] = 0
            size = 0.0
            for c in range(len(w)):
                size += w[c, e]
                ow[c, out] += w[c, e]
            ov[out] = v[e]
            ou[out] = u[e] + skipped
            reached += size
            # Between this entry and the next, ranks belong to the one that they are closer to.
            border = reached + (u[e + 1] if e + 1 < stop else 0.0) / 2
            if all_stay or wanted < border or e + 1 == stop:
                skipped = 0.0
                out += 1
                while wanted < border and not all_stay:
                    wanted += step
            else:
                skipped += size
        if stop < offsets[j + 1]:
            ov[out] = np.nan
            ou[out] = 0
            for c in range(len(w)):
                ow[c, out] = w[c, stop]
            out += 1
        lengths[j] = out - start
