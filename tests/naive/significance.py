"""Ranks and statistics of Demšar (2006), one stream and one pair at a time."""

import math


def rank(values, smaller_is_better):
    """The rank of each value: how many are better, and half of those that are equal."""
    ranks = []
    for value in values:
        better = sum((other < value) if smaller_is_better else (other > value) for other in values)
        equal = sum(other == value for other in values)
        ranks.append(better + (equal + 1) / 2)
    return ranks


def friedman(table, smaller_is_better):
    """χ² and F of section 3.2.2."""
    n, k = len(table), len(table[0])
    ranks = [rank(line, smaller_is_better) for line in table]
    means = [math.fsum(line[j] for line in ranks) / n for j in range(k)]
    spread = math.fsum(mean**2 for mean in means) - k * (k + 1) ** 2 / 4
    chi2 = 12 * n / (k * (k + 1)) * spread
    left = n * (k - 1) - chi2
    return means, chi2, (n - 1) * chi2 / left if left > 1e-9 else math.inf


def signed_ranks(one, other):
    """The smaller sum of signed ranks of section 3.1.3; of zeros, either side has half."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    ranks = rank([abs(difference) for difference in differences], True)
    zeros = math.fsum(r for r, d in zip(ranks, differences) if d == 0) / 2
    above = math.fsum(r for r, d in zip(ranks, differences) if d > 0)
    below = math.fsum(r for r, d in zip(ranks, differences) if d < 0)
    return min(above, below) + zeros
