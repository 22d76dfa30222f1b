"""The guarantee of quantile summaries, over what arrives, in which order, how it weighs and fades.

Every distribution and order is a column, so that one summary is put to all of them.
"""

import copy
from itertools import pairwise

import numpy as np
import pytest

from driftsieve import Batch
from tests.naive.quantiles import Rows
from tests.summaries.guarantee import COMPILED, ENGINES, assert_guarantee
from tests.summaries.orders import columns

N, LEAVES = (3000, 16) if COMPILED else (300, 4)
X = columns(N)[:, :: 1 if COMPILED else 5]
FEATURES = X.shape[1]
Y = np.random.default_rng(1).integers(0, 3, N)
RNG = np.random.default_rng(2)
WEIGHTS = {
    "unit": None,
    "whole": RNG.integers(0, 4, N).astype(float),
    "fractions": RNG.random(N) + 0.01,
    "wild": 10.0 ** RNG.uniform(-6, 6, N),
}
FADING = {"none": (1.0, 1), "alpha": (0.99, 1), "every": (0.5, 70), "fast": (0.5, 1)}
PIECE = 35
"""Rows to a batch: blocks end amid batches."""


def learn(summary, rows, start, stop, weight=None, alpha=1.0, every=1):
    """Let both see the same rows, `every` of them to a tick."""
    for lo in range(start, stop, PIECE):
        part = slice(lo, min(lo + PIECE, stop))
        w = None if weight is None else weight[part]
        n = part.stop - lo
        if alpha == 1:
            fade = 1.0
        else:
            tick = np.arange(lo, part.stop) // every
            fade = alpha ** (tick[-1] - (lo - 1) // every) if lo > start else 1.0
            w = alpha ** (tick[-1] - tick) * (np.ones(n) if w is None else w)
        summary.update(Batch(X[part], Y[part], w), fade)
        rows.update(X[part], Y[part], w, fade)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("fading", FADING)
def test_holds_at_every_prefix(engine, weight, fading):
    make, epsilon = ENGINES[engine]
    summary, rows = make(FEATURES, epsilon=epsilon), Rows(FEATURES)
    edges = [0, 30, 100, 150, N // 2, N]
    for start, stop in pairwise(edges):
        learn(summary, rows, start, stop, WEIGHTS[weight], *FADING[fading])
        assert_guarantee(summary, rows, epsilon)
        if weight == "unit":
            assert summary.nbytes <= summary.most_bytes(rows.weight.sum())
    assert any(shard.n_entries for shard in summary._shards.shards), "nothing was absorbed"


def left_deep(parts):
    first, *others = parts
    for other in others:
        merge(first, other)
    return first


def right_deep(parts):
    *others, last = parts
    for other in reversed(others):
        merge(other, last)
        last = other
    return last


def balanced(parts):
    while len(parts) > 1:
        for one, other in zip(parts[::2], parts[1::2]):
            merge(one, other)
        parts = parts[::2]
    return parts[0]


def merge(one, other):
    """Merge summaries and rows alike; what is merged stays as it was."""
    before = copy.deepcopy(other[0].to_state())
    one[0].merge(other[0])
    one[1].merge(other[1])
    assert same(before, other[0].to_state())


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("tree", [left_deep, right_deep, balanced])
@pytest.mark.parametrize("parts", ["equal", "unequal", "shuffled", "faded", "weighted"])
def test_holds_after_merging(engine, tree, parts):
    make, epsilon = ENGINES[engine]
    edges = np.linspace(0, N, LEAVES + 1).astype(int)
    if parts == "unequal":
        edges = (N * np.linspace(0, 1, LEAVES + 1) ** 3).astype(int)
    leaves = []
    for number, (start, stop) in enumerate(pairwise(edges)):
        summary, rows = make(FEATURES, epsilon=epsilon), Rows(FEATURES)
        weight = WEIGHTS["wild"] if parts == "weighted" and number % 2 else None
        learn(summary, rows, start, stop, weight, 0.99 if parts == "faded" else 1.0)
        if parts == "faded":
            summary.fade(0.8**number)
            rows.fade(0.8**number)
        leaves.append((summary, rows))
    if parts == "shuffled":
        leaves = [leaves[i] for i in np.random.default_rng(0).permutation(len(leaves))]
    summary, rows = tree(leaves)
    assert_guarantee(summary, rows, epsilon)
    learn(summary, rows, 0, N // 4)
    assert_guarantee(summary, rows, epsilon)


@pytest.mark.parametrize("size", [16, 100])
@pytest.mark.parametrize("weight", ["unit", "fractions"])
def test_nothing_is_left_that_could_be_joined(size, weight):
    """Which the bound on the number of entries rests on."""
    make, epsilon = ENGINES["compact"]
    summary = make(FEATURES, epsilon=epsilon)
    summary._dense_waiting.size = size
    w = WEIGHTS[weight]
    for lo in range(0, N, size):
        rows = slice(lo, lo + size)
        summary.update(Batch(X[rows], Y[rows], None if w is None else w[rows]))
        (entries,) = (entries for entries, _, _ in summary._shards.lists(FEATURES))
        for j in np.flatnonzero(entries.joined):
            of = slice(*entries.offsets[j : j + 2])
            held = ~np.isnan(entries.values[of])
            weights = entries.weights[:, of].sum(axis=0)[held]
            together = weights[1:-1] + entries.uncertainty[of][held][2:].astype(float)
            assert (together > 2 * epsilon * entries.mass[j] * (1 - 1e-9)).all()


@pytest.mark.parametrize("parts", [2, 16])
def test_merging_takes_little_more_than_having_seen_all(parts):
    """Entries that can be joined are joined as summaries are merged: they do not pile up."""
    make, epsilon = ENGINES["compact"]
    whole, pieces = make(FEATURES, epsilon=epsilon), []
    whole.update(Batch(X, Y))
    for rows in np.array_split(np.arange(N), parts):
        pieces.append(make(FEATURES, epsilon=epsilon))
        pieces[-1].update(Batch(X[rows], Y[rows]))
    first, *others = pieces
    for other in others:
        first.merge(other)
    assert first.nbytes <= first.most_bytes(N)
    assert first._shards.n_entries <= 1.5 * whole._shards.n_entries
