"""What quantile summaries promise, as assertions, and small blocks to put it to the test."""

import numpy as np
from numba import config
from numpy.testing import assert_allclose

from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles

COMPILED = not config.DISABLE_JIT
ROUNDING = 1e-9


class SmallBlocks(Quantiles):
    """So small that hundreds of rows are many blocks."""

    def _block_rows(self):
        return 100

    def _sparse_block(self):
        return 100


class SmallLevels(LevelQuantiles):
    """The same in levels, whose blocks of dense rows are small where epsilon is large."""

    def _sparse_block(self):
        return 100


ENGINES = {"compact": (SmallBlocks, 0.02), "levels": (SmallLevels, 0.04)}


def entries_of(summary):
    """The entries that answers come from, rows that wait included, feature after feature."""
    return [
        (entries, j, lo + j)
        for entries, lo in summary._visit(lambda entries, lo, hi: (entries, lo))
        for j in range(entries.n_features)
    ]


def assert_guarantee(summary, rows, epsilon):
    """Put each entry, class total, rank and quantile beside those of all rows (eq. 15)."""
    n_classes = len(summary.classes)
    for entries, j, feature in entries_of(summary):
        of = slice(*entries.offsets[j : j + 2])
        v, u, w = entries.values[of], entries.uncertainty[of], entries.weights[:, of]
        u, w = u.astype(float), w.astype(float)
        known = ~np.isnan(v)
        assert known[:-1].all()
        assert (np.diff(v[known]) > 0).all()
        scale = summary._scale
        W = rows.mass(feature)
        tolerance = ROUNDING * W
        present, missing = rows.by_class(feature, max(summary.classes, default=0) + 1)
        for held, expected in ((known, present), (~known, missing)):
            found = scale * w[:, held].sum(axis=1)
            assert_allclose(found, expected[summary.classes], rtol=1e-9, atol=tolerance * 1e-3)
        assert_allclose(scale * entries.mass[j], W, rtol=1e-9)
        v, u, w = v[known], scale * u[known], scale * w[:, known].sum(axis=0)
        if not len(v):
            continue
        assert (u >= 0).all() and (w >= 0).all()
        assert u[0] == 0
        assert u.max() <= 2 * epsilon * W + tolerance
        L = np.concatenate([[0.0], np.cumsum(w)[:-1]])
        below, upto = rows.ranks(feature, v)
        assert (below >= L - tolerance).all() and (below <= L + u + tolerance).all()
        assert (upto >= L + w - tolerance).all()
        _assert_answers(summary, rows, feature, epsilon * W + tolerance, n_classes)


def _assert_answers(summary, rows, feature, error, n_classes):
    values = rows.column(feature)[0]
    probes = np.quantile(values, np.linspace(0, 1, 23))
    probes = np.concatenate([probes, probes[:-1] + np.diff(probes) / 2, [values.min() - 1]])
    found = summary.below(feature, probes)
    assert found.shape == (len(probes), n_classes)
    assert (np.abs(found.sum(axis=1) - rows.ranks(feature, probes)[1]) <= error).all()
    q = np.linspace(0, 1, 41)
    below, upto = rows.ranks(feature, summary.quantiles(feature, q))
    wanted = q * rows.mass(feature)
    assert (below <= wanted + error).all() and (upto >= wanted - error).all()
