"""Quantile summaries with class weights: taking rows in, and joining neighbours.

Symbols, per entry of a feature: v value; w weight by class of the rows that the entry stands for,
none of which exceeds v; u uncertainty: of the rows of this and later entries, at most u (in
weight) lie below v. The rows below v therefore weigh between L and L + u, where L is the weight
of all earlier entries. T is what u may reach. S holds the new values, sorted within segments.

A missing value is an entry of value NaN, the last of its feature, apart from all ranks.
"""

import numpy as np

from driftsieve.kernels import kernel

NO_LIMIT = np.iinfo(np.int64).max


@kernel
def absorb(S, segments, classes, by_class, codes, weights, weighted, place, offsets, v, u, w, mass,
           joined, fixed, twice_epsilon, capacity, ov, ou, ow, lengths):  # fmt: skip
    """Merge sorted rows into the entries of each feature; write them to `ov`, `ou`, `ow`.

    S[segments[j, s]:segments[j, s + 1]] are sorted values of feature j, NaN last. If `by_class`,
    all of segment s are of the class `classes[s]` and weigh 1; otherwise `codes` and `weights` (if
    `weighted`) belong to the values. `place` is what `kernels/places.py` finds. A feature is exact
    until it exceeds `capacity`, and for ever if it is `fixed`.
    """
    n_classes = len(ow)
    n_segments = segments.shape[1] - 1
    at, end = np.empty((2, n_segments), np.int64)
    widest = np.max(np.diff(offsets)) + 1
    gain, odd = np.empty((n_classes, widest), ow.dtype), np.empty(widest, np.uint8)
    gap, size = np.empty(widest, ow.dtype), np.empty(widest, ow.dtype)
    missing = np.empty(n_classes)
    out = 0
    for j in range(len(lengths)):
        first, stop = offsets[j], offsets[j + 1]
        missing[:] = 0.0
        lacks = False
        if stop > first and np.isnan(v[stop - 1]):
            stop -= 1
            lacks = True
            for c in range(n_classes):
                missing[c] = w[c, stop]
        for s in range(n_segments):
            k = segments[j, s + 1]
            while k > segments[j, s] and np.isnan(S[k - 1]):
                k -= 1
                lacks = True
                if by_class:
                    missing[classes[s]] += 1.0
                else:
                    missing[codes[k]] += weights[k] if weighted else 1.0
            end[s] = k
            if by_class or not weighted:
                mass[j] += k - segments[j, s]
            else:
                for i in range(segments[j, s], k):
                    mass[j] += weights[i]
        start, out = out, -1
        at[:] = segments[j, :-1]
        if fixed[j] or not joined[j] or not (end > at).any():
            limit = NO_LIMIT if fixed[j] or joined[j] else capacity
            out = _merge_exactly(
                S, at, end, classes, by_class, codes, weights, weighted,
                v[first:stop], u[first:stop], w[:, first:stop],
                limit, ov, ou, ow, start)  # fmt: skip
        if out < 0:
            joined[j] = True
            at[:] = segments[j, :-1]
            T = twice_epsilon * mass[j]
            out = _merge_and_join(
                S, at, end, classes, by_class, codes, weights, weighted,
                place[:, first + j : stop + j + 1], gain, gap, size, odd,
                v[first:stop], u[first:stop], w[:, first:stop], T, ov, ou, ow, start)  # fmt: skip
        if lacks:
            ov[out] = np.nan
            ou[out] = 0
            for c in range(n_classes):
                ow[c, out] = missing[c]
            out += 1
        lengths[j] = out - start


@kernel
def _merge_exactly(S, at, end, classes, by_class, codes, weights, weighted, v, u, w, limit,
                   ov, ou, ow, out):  # fmt: skip
    """Merge one feature's rows and entries as they are. Returns the end, or -1 beyond `limit`."""
    begin = out
    i = 0
    while True:
        y = np.inf
        new = False
        for s in range(len(at)):
            if at[s] < end[s] and S[at[s]] <= y:
                y = np.float64(S[at[s]])
                new = True
        if i < len(v) and v[i] <= y:
            y = np.float64(v[i])
        elif not new:
            return out
        if out - begin >= limit:
            return -1
        ov[out] = y
        ou[out] = u[i] if i < len(v) else 0
        held = i < len(v) and v[i] == y
        for c in range(len(w)):
            ow[c, out] = w[c, i] if held else 0
        i += held
        for s in range(len(at)):
            while at[s] < end[s] and S[at[s]] == y:
                weight = weights[at[s]] if weighted else 1.0
                ow[classes[s] if by_class else codes[at[s]], out] += weight
                at[s] += 1
        out += 1


@kernel
def _merge_and_join(S, at, end, classes, by_class, codes, weights, weighted, place, gain, gap, size,
                    odd, v, u, w, T, ov, ou, ow, out):  # fmt: skip
    """Merge one feature's rows and entries, and join neighbours. Returns the end of the output.

    The entry at `out`, of weight `total`, is still growing: it is joined with the next value while
    the uncertainty of that stays within T. The lowest value is never joined, so that rows below it
    are certain. Nearly all entries are neither joined nor split, but just take in the new values
    right below them: these go in runs, by loops without branches; the odd ones, one by one.
    """
    n_classes = len(w)
    m = len(v)
    _look_ahead(S, at, end, classes, by_class, codes, weights, weighted, place, gain, gap, size,
                odd, v, u, w, T)  # fmt: skip
    begin = out
    out -= 1
    total = np.inf  # what is not there is not joined with anything
    tied = True  # values that equal v[i] are in the gap of v[i + 1], too
    i = 0
    while i < m:
        apart = total + gap[i] + u[i] > T or out == begin
        if apart and not tied and not odd[i]:
            first, out = i, out + 1
            while i < m and not odd[i]:
                i += 1
            for k in range(i - first):  # unsigned, so that nobody has to look for negative ones
                a, b = np.uint64(out + k), np.uint64(first + k)
                ov[a] = v[b]
                ou[a] = u[b] + gap[b]
            for c in range(n_classes):
                for k in range(i - first):
                    a, b = np.uint64(out + k), np.uint64(first + k)
                    ow[c, a] = w[c, b] + gain[c, b]
            for s in range(len(at)):
                at[s] = place[s, i - 1]
            out += i - first - 1
            total = size[i - 1] + gap[i - 1]
            continue
        ue = np.float64(u[i])
        if gap[i] > 0:
            out, total = _one_by_one(S, at, place, i, classes, by_class, codes, weights,
                                     weighted, ue, T, begin, total, ov, ou, ow, out)  # fmt: skip
        if total + ue > T or out <= begin:
            out, total = out + 1, 0.0
            for c in range(n_classes):
                ow[c, out] = 0
        ov[out] = v[i]
        ou[out] = ue + total
        for c in range(n_classes):
            ow[c, out] += w[c, i]
        total += size[i]
        tied = False
        for s in range(len(at)):
            while at[s] < end[s] and S[at[s]] == v[i]:
                weight = weights[at[s]] if weighted else 1.0
                ow[classes[s] if by_class else codes[at[s]], out] += weight
                total += weight
                at[s] += 1
                tied = True
        i += 1
    out, total = _one_by_one(S, at, place, m, classes, by_class, codes, weights, weighted,
                             0.0, T, begin, total, ov, ou, ow, out)  # fmt: skip
    return out + 1


@kernel
def _look_ahead(S, at, end, classes, by_class, codes, weights, weighted, place, gain, gap, size,
                odd, v, u, w, T):  # fmt: skip
    """Find out what falls right below each entry, and which entries are odd.

    `place[s, i]` is where the values of segment s from v[i] on begin (behind the last v, where all
    end). Those below v[i] (and from v[i - 1] on) weigh `gap[i]`, `gain[:, i]` by class; and
    `size[i]` is what the entry weighs.
    """
    m = len(v)
    gain[:, :m], gap[:m], size[:m], odd[:m] = 0, 0, 0, 0
    for s in range(len(at)):
        p = place[s]
        inner = m
        while inner and p[inner - 1] >= end[s]:
            inner -= 1
        ties = 0
        for i in range(inner):
            ties += S[p[i]] == v[i]
        for i in range(inner if ties else 0):
            odd[i] |= S[p[i]] == v[i]
        if by_class and m:
            row = gain[classes[s]]
            row[0] = p[0] - np.uint32(at[s])
            for i in range(1, m):
                row[i] = p[i] - p[i - 1]
        elif m:
            k = at[s]
            for i in range(m):
                while k < p[i]:
                    gain[codes[k], i] += weights[k] if weighted else 1.0
                    k += 1
    for c in range(len(w)):
        more, held = gain[c], w[c]
        for i in range(m):
            gap[i] += more[i]
            size[i] += held[i]
    whole = np.empty(1, u.dtype)
    whole[0] = T
    most = whole[0]  # of the type of u: whole numbers are compared as such
    for i in range(1, m):
        reach = gap[i] + u[i]
        odd[i] |= (reach > most) | (size[i - 1] + gap[i - 1] + reach <= most)


@kernel
def _one_by_one(S, at, place, i, classes, by_class, codes, weights, weighted, ue, T, begin, total,
                ov, ou, ow, out):  # fmt: skip
    """Take in the values before `place[:, i]`, whose uncertainty is ue before any is joined.

    Returns which entry is growing then, and its weight.
    """
    while True:
        nearest = -1
        y = np.inf
        for s in range(len(at)):
            if at[s] < place[s, i] and (nearest < 0 or S[at[s]] < y):
                nearest = s
                y = S[at[s]]
        if nearest < 0:
            return out, total
        if total + ue > T or out <= begin:
            out, total = out + 1, 0.0
            for c in range(len(ow)):
                ow[c, out] = 0
        ov[out] = y
        ou[out] = ue + total
        for s in range(nearest, len(at)):
            while at[s] < place[s, i] and S[at[s]] == y:
                weight = weights[at[s]] if weighted else 1.0
                ow[classes[s] if by_class else codes[at[s]], out] += weight
                total += weight
                at[s] += 1
