"""State files of quantile summaries that an earlier version wrote are read by every later one.

They were written by `write()`, and are never written again: where a later version keeps its state
otherwise, it learns to read these. Beyond what waits, a state depends on where blocks end, which a
later version may change: so answers are compared with all rows, within the bound.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Fading, Screening, as_batch, load
from tests.naive.quantiles import Rows, chi2

FOLDER = Path(__file__).parents[1] / "data"
NAMES = ("few", "many", "town", "Größe")
LABELS = ["yes", 1, (2, "b")]
EPSILON = 0.05
STOP, ALPHA = 8400, 0.999


def rows(start, stop):
    """Some rows by plain arithmetic, which no version of NumPy changes."""
    i = np.arange(start, stop)
    many = (i * 7919 % 10007) / 64 - 50 + i % 3
    X = np.column_stack([i * 5 % 7 * (1 + i % 3), many, i * 11 % 97, np.where(i % 4, 0, i % 13)])
    X[i % 10 == 4, 1] = np.nan
    return X, [LABELS[k % 3] for k in i]


def learnt(summary, until):
    sieve = Screening(
        "chi2", k=2, epsilon=EPSILON, memory=Fading(ALPHA), categorical=("town",), summary=summary
    )
    return go_on(sieve, 0, until)


def go_on(sieve, start, until):
    """Learn batches of 300 rows, of which a late one is sparse."""
    for lo in range(start, until, 300):
        X, y = rows(lo, lo + 300)
        form = sparse.csr_array if lo == 8100 else np.asarray
        matrix = form(X.astype(np.float32))
        sieve.learn(as_batch(matrix, y, names=NAMES, position={"at": lo + 300}))
    return sieve


def write():
    """Write the files. Not for files that are there: those stay as they are."""
    for summary in ("quantiles", "levels"):
        path = FOLDER / f"screening-{summary}-1.sieve"
        assert not path.exists()
        learnt(summary, STOP).save(path)


@cache
def all_rows(until):
    seen = Rows(len(NAMES))
    X, _ = rows(0, until)
    seen.update(X, np.arange(until) % 3, ALPHA ** np.arange(until - 1.0, -1, -1))
    return seen


@pytest.mark.parametrize("summary", ["quantiles", "levels"])
def test_the_kept_file_is_read_and_goes_on(summary):
    kept = load(FOLDER / f"screening-{summary}-1.sieve")
    parameters = learnt(summary, 300).get_params()
    for until in (STOP, STOP + 1200):
        seen = all_rows(until)
        assert kept.get_params() == parameters
        assert kept.classes_ == LABELS
        assert kept.position_ == {"at": until}
        assert kept.n_samples_seen_ == until
        tables = kept.tables_
        for j in (0, 2, 3):  # exact
            expected, _ = seen.table(j, 3, categorical=j == 2)
            found = tables.table(j)
            assert_allclose(found[found.any(axis=1)], expected[expected.any(axis=1)], rtol=1e-9)
            assert_allclose(kept.scores_[j], chi2(expected), rtol=1e-9)
        summary_of = kept._remembered.summary
        found = summary_of.below(1, np.linspace(-50, 108, 40)).sum(axis=1)
        _, expected = seen.ranks(1, np.linspace(-50, 108, 40))
        assert np.abs(found - expected).max() <= EPSILON * seen.mass(1) * (1 + 1e-9)
        assert_array_equal(kept.selection_.indices, np.argsort(-kept.scores_)[:2])
        go_on(kept, until, until + 1200)
