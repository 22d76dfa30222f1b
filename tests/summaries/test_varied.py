"""Which features have varied, beside sets of the values that were seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.summaries.varied import Varied

FEATURES = 5
CELLS = st.sampled_from([0.0, -0.0, 1.0, 1.0, -2.5, np.nan, 1e-300, 1e100])
ROW = st.lists(CELLS, min_size=FEATURES, max_size=FEATURES)
BATCH = st.tuples(
    st.lists(st.tuples(ROW, st.sampled_from([0.0, 1.0, 0.5])), max_size=4),
    st.sampled_from(["dense", "sparse", "float32", "fortran"]),
)
FORMS = {
    "dense": np.array,
    "float32": lambda rows: np.array(rows, dtype=np.float32),
    "fortran": np.asfortranarray,
    "sparse": sparse.csr_array,
}


def batch_of(rows, form):
    X = np.array([row for row, _ in rows]).reshape(len(rows), FEATURES)
    if form == "float32":  # in which 1e100 is an infinity, that the border refuses
        X = np.where(X == 1e100, 1e30, X)
    return Batch(FORMS[form](X), weight=np.array([weight for _, weight in rows]))


def seen_values(batches):
    """The values of each feature, as sets."""
    values = [set() for _ in range(FEATURES)]
    for batch in batches:
        X = batch.X if isinstance(batch.X, np.ndarray) else batch.X.toarray()
        for row in X[batch.weight > 0]:
            for seen, value in zip(values, row):
                if value == value:
                    seen.add(float(value))
    return values


@given(st.lists(BATCH, max_size=5))
def test_a_feature_has_varied_once_it_has_had_two_values(parts):
    batches = [batch_of(*part) for part in parts]
    varied = Varied(FEATURES)
    for number, batch in enumerate(batches):
        varied.update(batch)
        expected = [len(values) > 1 for values in seen_values(batches[: number + 1])]
        assert_array_equal(varied.mask, expected)


@given(st.lists(BATCH, max_size=4), st.lists(BATCH, max_size=4), st.permutations(range(7)))
def test_merging_moving_and_storing(first, second, order):
    one, other, whole = Varied(FEATURES), Varied(FEATURES), Varied(FEATURES)
    for parts, part_of in ((first, one), (second, other)):
        for part in parts:
            part_of.update(batch_of(*part))
            whole.update(batch_of(*part))
    places = np.array(order[:FEATURES])
    one.rearrange(places, 7)
    other.rearrange(places, 7)
    one.merge(Varied.from_state(other.to_state(), 7))
    assert_array_equal(one.mask[places], whole.mask)
    assert one.mask.sum() == whole.mask.sum()
    assert one.nbytes == 24 * 7


@pytest.mark.parametrize("name", ["least", "most", "entries"])
def test_a_forged_state_is_refused(name):
    state = Varied(3).to_state()
    state[name] = state[name][:2]
    with pytest.raises(ValueError, match="another shape or type"):
        Varied.from_state(state, 3)


def test_what_is_given_is_neither_changed_nor_kept():
    X = np.array([[1.0, 2.0], [1.0, 3.0]])
    X.flags.writeable = False
    varied = Varied(2)
    varied.update(Batch(X))
    state = varied.to_state()
    resumed = Varied.from_state(state, 2)
    resumed.update(Batch(np.array([[5.0, 5.0]])))
    assert varied.mask.tolist() == [False, True]
    assert resumed.mask.tolist() == [True, True]
