"""Rows that are kept are the rows that came, at every moment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.summaries.rows import Rows

FORMS = {
    "dense": lambda X: X,
    "narrow": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
}


def toarray(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


batches = st.lists(st.tuples(st.sampled_from(sorted(FORMS)), st.integers(0, 9), st.booleans()))


@given(batches, st.integers(0, 1000))
def test_at_every_prefix_they_are_all_there_in_order(plan, seed):
    rng = np.random.default_rng(seed)
    rows, naive = Rows(4), np.zeros((0, 4))
    for form, n, weighted in plan:
        X = np.round(rng.standard_normal((n, 4)), 1) * (rng.random((n, 4)) < 0.6)
        X = X.astype(np.float32).astype(float)  # so that every form holds the same
        weight = rng.integers(0, 3, n).astype(float) if weighted else None
        rows.update(Batch(FORMS[form](X), weight=weight))
        repeats = np.ones(n, int) if weight is None else weight.astype(int)
        naive = np.vstack([naive, *(np.tile(x, (r, 1)) for x, r in zip(X, repeats))])
        sizes = [chunk.n_rows for chunk in rows._chunks]
        assert sizes == sorted(set(sizes), reverse=True)
        assert rows.n_rows == len(naive)
        assert rows.nbytes <= rows.most_bytes(len(naive))
    assert_array_equal(toarray(rows.matrix()), naive)
    spread = [len(np.unique(column)) > 1 for column in naive.T]
    assert_array_equal(rows.varied(), spread)
    again = Rows.from_state(rows.to_state())
    assert_array_equal(toarray(again.matrix()), naive)
    assert again.nbytes == rows.nbytes


def test_sparse_rows_stay_sparse_even_among_dense_ones():
    rows = Rows(1000)
    X = sparse.random_array((300, 1000), density=0.01, format="csr", rng=np.random.default_rng(0))
    for i in range(0, 300, 10):
        rows.update(Batch(X[i : i + 10]))
    assert sparse.issparse(rows.matrix())
    assert rows.nbytes < 2 * 12 * X.nnz
    rows.update(Batch(np.eye(1000)[:1]))
    assert sparse.issparse(rows.matrix())


def test_a_stream_of_single_rows_is_a_few_chunks():
    rows = Rows(2)
    for x in np.random.default_rng(0).standard_normal((1000, 1, 2)):
        rows.update(Batch(x))
        assert len(rows._chunks) <= 10
    assert rows.n_rows == 1000


def test_rows_may_change_places_but_not_gain_cells():
    rows = Rows(3)
    rows.rearrange(np.array([2, 0, 1]), 4)  # nothing is there yet
    rows = Rows(3)
    rows.update(Batch(np.array([[1.0, 2.0, 3.0]])))
    rows.rearrange(np.array([2, 0, 1]), 3)
    assert_array_equal(rows.matrix(), [[2.0, 3.0, 1.0]])
    with pytest.raises(ValueError, match="miss the cells of columns that came later"):
        rows.rearrange(np.arange(3), 4)


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (Batch(np.zeros((2, 4))), "the batch has 4 features, not 3"),
        (Batch(np.array([[1.0, np.nan, 1.0]])), r"column 1 is missing \(NaN\) in row 0"),
        (Batch(sparse.csr_array([[0.0, 0, np.nan]])), r"column 2 is missing \(NaN\) in row 0"),
        (Batch(np.array([[1.0, np.inf, 1.0]])), "column 1 holds an infinity in row 0"),
        (Batch(np.ones((2, 3)), weight=np.array([1.0, 0.5])), "the sample weight of row 1 is 0.5"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(batch, said):
    rows = Rows(3)
    rows.update(Batch(np.ones((2, 3))))
    with pytest.raises(ValueError, match=said):
        rows.update(batch)
    assert_array_equal(rows.matrix(), np.ones((2, 3)))
