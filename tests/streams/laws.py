"""What every stream must obey, whatever it yields."""

import json

import numpy as np

from driftsieve.batch import concatenate, dense


def all_rows(source):
    return concatenate(list(source))


def assert_same_rows(one, other):
    assert one.is_sparse == other.is_sparse
    assert one.names == other.names
    np.testing.assert_array_equal(dense(one.X), dense(other.X))
    for name in ("y", "weight", "relevant"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def assert_batching_does_not_matter(make, sizes=(1, 7, 64, 10_000)):
    """`make(batch)` makes the same stream in batches of another size."""
    whole = all_rows(make(10_000))
    for size in sizes:
        batches = list(make(size))
        assert all(len(batch) == size for batch in batches[:-1])
        assert 0 < len(batches[-1]) <= size
        assert_same_rows(concatenate(batches), whole)


def assert_seek_is_exact(make):
    """Going on from any position gives what an uninterrupted run gives from there on."""
    batches = list(make())
    positions = json.loads(json.dumps([batch.position for batch in batches]))
    for done in range(len(batches) + 1):
        source = make()
        source.seek(None if done == 0 else positions[done - 1])
        rest = list(source)
        assert len(rest) == len(batches) - done
        for one, other in zip(rest, batches[done:]):
            assert_same_rows(one, other)
            assert json.dumps(one.position) == json.dumps(other.position)
    # The same source may be sent to and fro.
    source = make()
    for done in (len(batches) // 2, 0, len(batches) - 1):
        source.seek(positions[done - 1] if done else None)
        assert_same_rows(next(iter(source)), batches[done])


def assert_global_seed_untouched(act):
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    act()
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002
