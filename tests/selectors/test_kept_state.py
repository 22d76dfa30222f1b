"""A state file that the first format wrote is read by every later version.

It was written once, by `learnt().save(KEPT)`, and is never written again: where a later version
keeps its state otherwise, it learns to read this one.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from driftsieve import Fading, Hysteresis, Screening, as_batch, load
from driftsieve.state import StateError, load_state, save_state

KEPT = Path(__file__).parents[1] / "data" / "screening-format-1.sieve"
NAMES = ("height", "Größe", "x y")
LABELS = ["yes", 1, (2, "b")]


def rows(start, stop):
    """Some rows by plain arithmetic, which no version of NumPy changes."""
    i = np.arange(start, stop)
    X = np.column_stack([i * 7 % 11 + i % 3, i * 5 % 13 * 0.5, i * i % 17 + 2 * (i % 3)])
    X[i % 10 == 4, 1] = np.nan
    return X, [LABELS[k % 3] for k in i]


def learnt():
    rule = Hysteresis(2, slack=1, every=25)
    sieve = Screening("t", k=rule, memory=Fading(0.97, every=5), features="closed")
    X, y = rows(0, 60)
    sieve.learn(as_batch(X, y, names=NAMES, position={"at": 60}))
    X, y = rows(60, 100)
    weight = 1 + np.arange(40) % 2
    csr = sparse.csr_array(np.nan_to_num(X))
    return sieve.learn(as_batch(csr, y, weight, names=NAMES, position={"at": 100}))


def test_the_kept_file_is_read_and_goes_on():
    kept, expected = load(KEPT), learnt()
    for _ in range(2):
        assert kept.get_params() == expected.get_params()
        assert kept.classes_ == LABELS
        assert kept.position_ == {"at": 100}
        assert kept.n_samples_seen_ == expected.n_samples_seen_
        assert kept.selection_.names == expected.selection_.names
        assert_allclose(kept.scores_, expected.scores_, rtol=1e-12)
        for sieve in (kept, expected):
            sieve.learn(as_batch(*rows(100, 130), names=NAMES))


@pytest.mark.parametrize(
    ("part", "value"),
    [("columns", {}), ("columns", None), ("count", 10**30), ("count", -1)],
)
def test_a_whole_file_with_a_state_that_cannot_be_is_refused(tmp_path, part, value):
    kind, state = load_state(KEPT)
    (state if part in state else state["columns"])[part] = value
    save_state(tmp_path / "forged.sieve", kind, state)
    with pytest.raises(StateError, match="does not hold a valid Screening"):
        load(tmp_path / "forged.sieve")
