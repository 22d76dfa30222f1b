"""What class tables say of the features, one after the other.

n bins by classes; N the sums of the bins, M those of the classes, W all of it. A table with fewer
than two bins or two classes that hold anything says nothing: NaN.
"""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def mutual_information(starts, counts, found):
    """Wang & Barbu (2021), eq. 4, in nats."""
    for j in range(len(found)):
        n = counts[starts[j] : starts[j + 1]]
        N, M, W = _margins(n)
        found[j] = np.nan
        if _filled(N) > 1 and _filled(M) > 1:
            total = 0.0
            for b in range(len(N)):
                for c in range(len(M)):
                    if n[b, c] > 0:
                        total += n[b, c] / W * np.log(n[b, c] / N[b] * (W / M[c]))
            found[j] = max(total, 0.0)


@kernel
def chi_squared(starts, counts, found, freedom):
    """Wang & Barbu (2021), eq. 5; bins and classes that do not occur have no degree of freedom."""
    for j in range(len(found)):
        n = counts[starts[j] : starts[j + 1]]
        N, M, W = _margins(n)
        found[j] = np.nan
        freedom[j] = (_filled(N) - 1) * (_filled(M) - 1)
        if _filled(N) > 1 and _filled(M) > 1:
            total = 0.0
            for b in range(len(N)):
                for c in range(len(M)):
                    expected = N[b] * (M[c] / W)
                    if expected > 0:
                        total += (n[b, c] - expected) * ((n[b, c] - expected) / expected)
            found[j] = total


@kernel
def gini(starts, counts, impurity, decrease):
    """Wang & Barbu (2021), eq. 6: the least impurity of a split between two bins, and how much
    less that is than the impurity of the whole."""
    for j in range(len(impurity)):
        n = counts[starts[j] : starts[j + 1]]
        N, M, W = _margins(n)
        impurity[j] = np.nan
        decrease[j] = np.nan
        if _filled(N) < 2 or _filled(M) < 2:
            continue
        below = np.zeros(len(M))
        A = 0.0
        best = np.inf
        for b in range(len(N) - 1):
            A += N[b]
            B = 0.0
            for later in range(b + 1, len(N)):
                B += N[later]
            left, right = 0.0, 0.0
            for c in range(len(M)):
                below[c] += n[b, c]
                above = max(M[c] - below[c], 0.0)
                left += below[c] * (below[c] / A) if A > 0 else 0.0
                right += above * (above / B) if B > 0 else 0.0
            if A > 0 and B > 0:
                best = min(best, 1.0 - (left + right) / W)
        whole = 0.0
        for c in range(len(M)):
            whole += (M[c] / W) ** 2
        impurity[j] = max(best, 0.0)
        decrease[j] = max(1.0 - whole - best, 0.0)


@kernel
def information_gain(starts, counts, found, at):
    """Pawling et al. (2006), eq. 1, 2: how many bits of the classes' entropy the best split between
    two bins takes away; `at` is the bin that ends there, or -1."""
    for j in range(len(found)):
        n = counts[starts[j] : starts[j + 1]]
        N, M, W = _margins(n)
        found[j] = np.nan
        at[j] = -1
        if _filled(N) < 2 or _filled(M) < 2:
            continue
        below = np.zeros(len(M))
        whole = _disorder(M / W)
        best = -1.0
        for b in range(len(N) - 1):
            if N[b] == 0:
                continue
            left, right = 0.0, 0.0
            for c in range(len(M)):
                below[c] += n[b, c]
                left += _xlogx(below[c] / W)
                right += _xlogx(max(M[c] - below[c], 0.0) / W)
            A = below.sum() / W
            gain = whole - (_xlogx(A) - left) - (_xlogx(max(1.0 - A, 0.0)) - right)
            if A < 1 and gain > best:
                best = gain
                at[j] = starts[j] + b
        found[j] = max(best, 0.0) / np.log(2.0) if at[j] >= 0 else np.nan


@kernel
def entropies(starts, counts, of_bins, of_classes):
    """The entropy of the bins and that of the classes, in nats."""
    for j in range(len(of_bins)):
        N, M, W = _margins(counts[starts[j] : starts[j + 1]])
        of_bins[j] = _disorder(N / W) if W > 0 else np.nan
        of_classes[j] = _disorder(M / W) if W > 0 else np.nan


@kernel
def _disorder(shares):
    total = 0.0
    for share in shares:
        total -= _xlogx(share)
    return total


@kernel
def _xlogx(x):
    return x * np.log(x) if x > 0 else 0.0


@kernel
def _margins(n):
    N, M = np.zeros(n.shape[0]), np.zeros(n.shape[1])
    W = 0.0
    for b in range(n.shape[0]):
        for c in range(n.shape[1]):
            N[b] += n[b, c]
            M[c] += n[b, c]
            W += n[b, c]
    return N, M, W


@kernel
def _filled(sums):
    filled = 0
    for x in sums:
        filled += x > 0
    return filled
