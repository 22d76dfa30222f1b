"""Laws of merging."""

import numpy as np
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve.testing.data import stream
from driftsieve.testing.subjects import Subject


def merging_continues(subject: Subject) -> None:
    """Law 2: merging equals having seen the one's rows and then the other's, in no more bytes.

    Where that holds within a bound, the bytes stay within their formula. What cannot be merged
    says so, and stays as it is.
    """
    if not subject.merges:
        _assert_merging_is_refused(subject)
        return
    for form in (np.asarray, sparse.csr_array):
        a, b, c = (stream(seed, rows=80, missing=subject.share_missing) for seed in (1, 2, 3))
        a, b, c = (batch.replace(X=form(batch.X)) for batch in (a, b, c))
        expected = subject.after(a, b, c)
        left, right = subject.after(a), subject.after(b)
        before = subject.answers(right).copy()
        subject.merge(left, right)
        assert_array_equal(subject.answers(right), before)
        subject.merge(left, subject.after(c))
        subject.assert_alike(left, expected)
        assert left.nbytes <= (subject.most_bytes(left, 240) if subject.within else expected.nbytes)
        inner = subject.after(b)
        subject.merge(inner, subject.after(c))
        outer = subject.after(a)
        subject.merge(outer, inner)
        subject.assert_alike(outer, expected)


def merging_nothing_changes_nothing(subject: Subject) -> None:
    """Law 2: one that has learnt nothing is the identity of merging, on either side."""
    expected = subject.after(stream())
    one = subject.after(stream())
    subject.merge(one, subject.begin())
    assert_array_equal(subject.answers(one), subject.answers(expected))
    other = subject.begin()
    subject.merge(other, subject.after(stream()))
    subject.assert_alike(other, expected, rtol=0)


def _assert_merging_is_refused(subject: Subject) -> None:
    one, other = subject.after(stream(1)), subject.after(stream(2))
    before = [subject.answers(learner).copy() for learner in (one, other)]
    try:
        subject.merge(one, other)
    except ValueError:
        assert_array_equal([subject.answers(learner) for learner in (one, other)], before)
    else:
        raise AssertionError("what says that it cannot be merged was merged")
