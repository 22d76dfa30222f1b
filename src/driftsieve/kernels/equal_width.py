"""Equal-width bins by class, whose bounds are those of a feature's first values.

Feature j has the bounds low[j]..high[j] once it has had `first.shape[1]` values; until then these
wait in `first`, and `known[j]` says how many. counts: features by bins by classes.
"""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def take_in(X, codes, weights, lo, hi, low, high, least, most, known,
            first, first_codes, first_weights, counts):  # fmt: skip
    """Count the cells of the features lo..hi."""
    for r in range(len(X)):
        for j in range(lo, hi):
            x = np.float64(X[r, j])
            if np.isnan(x):
                continue
            if known[j] == first.shape[1]:
                if x < least[j]:
                    least[j] = x
                elif x > most[j]:
                    most[j] = x
                counts[j, _bin(x, low[j], high[j], counts.shape[1]), codes[r]] += weights[r]
            else:
                _wait(x, codes[r], weights[r], j, low, high, least, most, known,
                      first, first_codes, first_weights, counts)  # fmt: skip


@kernel
def take_over(into, gain, low, high, least, most, known, first, first_codes, first_weights, counts,
              _low, _high, _least, _most, _known, _first, _first_codes, _first_weights,
              _counts):  # fmt: skip
    """Count what another summary (its names begin with _) has counted.

    Its values that wait come after those seen here. Bins of other bounds are spread evenly over
    those that they overlap; whoever has no bounds yet takes those of the other.
    """
    bins = counts.shape[1]
    for j in range(len(known)):
        if _known[j] < _first.shape[1]:
            for i in range(_known[j]):
                x, c, w = _first[j, i], into[_first_codes[j, i]], _first_weights[j, i] * gain
                if known[j] == first.shape[1]:
                    least[j] = min(least[j], x)
                    most[j] = max(most[j], x)
                    counts[j, _bin(x, low[j], high[j], bins), c] += w
                else:
                    _wait(x, c, w, j, low, high, least, most, known,
                          first, first_codes, first_weights, counts)  # fmt: skip
            continue
        if known[j] < first.shape[1]:
            low[j], high[j] = _low[j], _high[j]
            least[j], most[j] = _least[j], _most[j]
            for i in range(known[j]):
                x = first[j, i]
                least[j] = min(least[j], x)
                most[j] = max(most[j], x)
                counts[j, _bin(x, low[j], high[j], bins), first_codes[j, i]] += first_weights[j, i]
            known[j] = first.shape[1]
        least[j] = min(least[j], _least[j])
        most[j] = max(most[j], _most[j])
        width, _width = (high[j] - low[j]) / bins, (_high[j] - _low[j]) / bins
        same = low[j] == _low[j] and high[j] == _high[j]
        for b in range(bins):
            left, right = _low[j] + b * _width, _low[j] + (b + 1) * _width
            if same:
                into_first = into_last = b
            else:
                into_first = _bin(left, low[j], high[j], bins)
                into_last = max(_bin(right, low[j], high[j], bins), into_first)
            for t in range(into_first, into_last + 1):
                share = 1.0
                if into_last > into_first:
                    begin = left if t == into_first else low[j] + t * width
                    end = right if t == into_last else low[j] + (t + 1) * width
                    share = max(end - begin, 0.0) / (right - left)
                for c in range(len(into)):
                    counts[j, t, into[c]] += share * gain * _counts[j, b, c]


@kernel
def cuts(lo, hi, low, high, least, most, known, first, first_codes, first_weights, counts,
         offsets, values, weights):  # fmt: skip
    """Lay out the bins of the features lo..hi that hold anything, each by its upper edge."""
    n = 0
    bins = counts.shape[1]
    for j in range(lo, hi):
        offsets[j - lo] = n
        begin = n
        if known[j] < first.shape[1]:
            order = np.argsort(first[j, : known[j]], kind="mergesort")
            for i in order:
                if n == begin or values[n - 1] != first[j, i]:
                    values[n] = first[j, i]
                    n += 1
                weights[first_codes[j, i], n - 1] += first_weights[j, i]
            continue
        width = (high[j] - low[j]) / bins
        for b in range(bins):
            if counts[j, b].sum() == 0:
                continue
            edge = most[j] if b == bins - 1 else max(low[j] + (b + 1) * width, least[j])
            if n > begin and edge <= values[n - 1]:  # bins narrower than numbers can tell
                n -= 1
            else:
                values[n] = edge
            for c in range(counts.shape[2]):
                weights[c, n] += counts[j, b, c]
            n += 1
        if n > begin:
            values[n - 1] = min(values[n - 1], most[j])
    offsets[hi - lo] = n


@kernel
def _wait(x, code, weight, j, low, high, least, most, known,
          first, first_codes, first_weights, counts):  # fmt: skip
    """Keep a value; the last of the first ones settles the bounds, and all are counted."""
    i = known[j]
    first[j, i], first_codes[j, i], first_weights[j, i] = x, code, weight
    known[j] += 1
    if known[j] < first.shape[1]:
        return
    low[j] = least[j] = first[j].min()
    high[j] = most[j] = first[j].max()
    for i in range(first.shape[1]):
        b = _bin(first[j, i], low[j], high[j], counts.shape[1])
        counts[j, b, first_codes[j, i]] += first_weights[j, i]


@kernel
def _bin(x, low, high, bins):
    """Bins end with their upper edge; the first has the lower bound and all below it, the last all
    above the upper one."""
    if x <= low:
        return 0
    if x >= high:
        return bins - 1
    return min(max(int(np.ceil((x - low) / (high - low) * bins)) - 1, 0), bins - 1)
