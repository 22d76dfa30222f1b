"""Where new values lie among the entries of quantile summaries.

The symbols are those of `kernels/quantiles.py`. Without branches that a processor would have to
guess: wrong guesses would take longer than all the rest.
"""

import numpy as np

from driftsieve.kernels import kernel

ONE = np.uint64(1)


@kernel
def places(S, segments, offsets, v, joined, fixed, capacity, place):
    """Fill `place[s, e + j]` with where the values of segment s from v[e] of feature j on begin.

    Behind the entries of each feature stands where its values end.
    S[segments[j, s]:segments[j, s + 1]] are the values of feature j. Features that stay exact, for
    which nobody asks, are left out; and so are missing values, which are the last.
    """
    now, last = np.empty((2, 8), np.uint64), np.empty((2, 8), np.uint64)
    for j in range(len(joined)):
        first, stop = offsets[j], offsets[j + 1]
        new = segments[j, -1] - segments[j, 0]
        if fixed[j] or new == 0 or (not joined[j] and stop - first + new <= capacity):
            continue
        while stop > first and np.isnan(v[stop - 1]):
            stop -= 1
        for s in range(len(place)):
            begin, end = segments[j, s], segments[j, s + 1]
            while end > begin and np.isnan(S[end - 1]):
                end -= 1
            p = place[s, first + j : stop + j]
            _places(S[begin:end], v[first:stop], p, now, last)
            for e in range(stop - first):
                p[e] += np.uint32(begin)
            place[s, stop + j] = end


@kernel
def _places(S, v, place, now, last):
    """Fill `place` with the number of values of S below each v; both are sorted.

    By bisection where there are few v. Otherwise by merging in eight stretches at once, whose
    chains of comparisons do not wait for each other: stretch c stands at v[now[0, c]] and
    S[now[1, c]], and ends before those of `last`.
    """
    n, m = len(S), len(v)
    if n == 0 or m < 64 or 6 * m < n:
        _bisect(S, v, place)
        return
    for c in range(8):
        now[0, c] = m * c // 8
        now[1, c] = _first_place(S, v[m * c // 8]) if c else 0
    last[0, 7], last[1, 7] = m, n
    last[:, :7] = now[:, 1:]
    rounds = n + m
    while rounds > 0:
        for c in range(8):
            for side in range(2):
                rounds = min(rounds, np.int64(last[side, c] - now[side, c]))
        _advance(S, v, place, now, rounds)
    for c in range(8):
        i, at = now[0, c], now[1, c]
        while i < last[0, c]:
            while at < last[1, c] and S[at] < v[i]:
                at += ONE
            place[i] = at
            i += ONE


@kernel
def _advance(S, v, place, now, rounds):
    i, at = now[0], now[1]
    i0, i1, i2, i3, i4, i5, i6, i7 = i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]
    a0, a1, a2, a3, a4, a5, a6, a7 = at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]
    for _ in range(rounds):
        i0, a0 = _step(S, v, place, i0, a0)
        i1, a1 = _step(S, v, place, i1, a1)
        i2, a2 = _step(S, v, place, i2, a2)
        i3, a3 = _step(S, v, place, i3, a3)
        i4, a4 = _step(S, v, place, i4, a4)
        i5, a5 = _step(S, v, place, i5, a5)
        i6, a6 = _step(S, v, place, i6, a6)
        i7, a7 = _step(S, v, place, i7, a7)
    i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7] = i0, i1, i2, i3, i4, i5, i6, i7
    at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7] = a0, a1, a2, a3, a4, a5, a6, a7


@kernel
def _step(S, v, place, i, at):
    place[i] = at
    below = np.uint64(S[at] < v[i])
    return i + ONE - below, at + below


@kernel
def _first_place(S, x):
    low, high = 0, len(S)
    while low < high:
        middle = (low + high) // 2
        if S[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _bisect(S, v, place):
    n = np.uint32(len(S))
    place[:] = 0
    while n > 1:
        half = n >> np.uint32(1)
        for i in range(len(v)):
            place[i] += half if S[place[i] + half - np.uint32(1)] < v[i] else np.uint32(0)
        n -= half
    for i in range(len(v) if n else 0):
        place[i] += S[place[i]] < v[i]
