"""Obvious and slow: one sample list for each level and side, of one feature in one class."""

import numpy as np

from driftsieve.streams import randomness

LEVELS = 32


def levels_of(weights, seed=0, start=0):
    """The highest level that takes each row: level l does with probability 1 - exp(-w 2^(-l/32)),
    which is what min(u, ...) of w uniform draws comes to."""
    rows = np.arange(start, start + len(weights), dtype=np.uint64)
    u = randomness.uniforms(seed, "samplers", rows)
    return np.floor(LEVELS * np.log2(weights / np.maximum(-np.log1p(-u), 2.0**-54))).astype(int)


def kept(values, levels, size, floor=None):
    """The rows that any sampler keeps: of each level, the `size` least and largest values."""
    found = set()
    order = sorted(range(len(values)), key=lambda i: values[i])  # equal ones in order of arrival
    for level in set(levels.tolist()):
        if floor is not None and level < floor:
            continue
        taken = [i for i in order if levels[i] >= level]
        found |= set(taken[:size]) | set(taken[::-1][:size])
    return [i for i in order if i in found]


def ranks(values, levels, weights, size):
    """What all rows up to each value weigh, estimated from the left: a row that is kept stands for
    its weight over the probability of that, given the rows before it."""
    total, found = 0.0, []
    order = sorted(range(len(values)), key=lambda i: values[i])
    for place, i in enumerate(order):
        before = sorted((levels[k] for k in order[:place]), reverse=True)
        if len(before) < size:
            total += weights[i]
        elif levels[i] > before[size - 1]:
            lowest = before[size - 1] + 1
            total += weights[i] / (1 - np.exp(-weights[i] * 2.0 ** (-lowest / LEVELS)))
        found.append(total)
    return np.array(values)[order], np.array(found)
