"""Storing a stream by the features that may still be selected: beside the paper's own way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve import GFW, Batch, Screening
from driftsieve.selectors.shortlist import Shortlist, read_shortlist
from driftsieve.state import StateError, load_state, save_state


def stream(seed=0, rows=200, features=30, batch=20, form=np.asarray):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, features)) + y[:, None] * np.linspace(0, 1, features)
    return [Batch(form(X[i : i + batch]), y[i : i + batch]) for i in range(0, rows, batch)]


def naive(batches, h, g):
    """Section 5.5: keep each batch by its top g·h; the final features are those in all of them."""
    sieve, tops = Screening("fisher"), []
    for batch in batches:
        sieve.learn(batch)
        tops.append(set(np.argsort(-sieve.scores_, kind="stable")[: g * h].tolist()))
    always = set.intersection(*tops)
    best = [j for j in np.argsort(-sieve.scores_, kind="stable").tolist() if j in always]
    return best[:h], sum(len(top) * batch.n_rows * 8 for top, batch in zip(tops, batches))


@given(st.integers(0, 100), st.integers(1, 8), st.integers(1, 4))
def test_final_features_are_those_of_the_paper_in_fewer_bytes(tmp_path_factory, seed, h, g):
    folder = tmp_path_factory.mktemp("parts")
    batches = stream(seed)
    store = Shortlist(folder, Screening("fisher"), h, g=g)
    for number, batch in enumerate(batches, 1):
        store.append(batch)
        best, whole = naive(batches[:number], h, g)
        assert store.final.tolist() == best
        values = sum(part.X.nbytes for part in _stored(folder))
        assert values <= whole
    X = np.vstack([batch.X for batch in batches])
    assert store.whole_bytes == X.nbytes + 8 * len(X)
    assert store.nbytes == values + 8 * len(X)  # the labels are kept, too
    read = list(store.batches())
    assert_array_equal(np.vstack([batch.X for batch in read]), X[:, best])
    assert_array_equal(
        np.concatenate([batch.y for batch in read]), np.concatenate([batch.y for batch in batches])
    )
    assert read[0].names == tuple(f"x{j}" for j in best)


def _stored(folder):
    from driftsieve.selectors.shortlist import _parts, _read

    return [_read(path).batch for path in _parts(folder)]


def test_with_room_for_all_features_everything_is_kept(tmp_path):
    store = Shortlist(tmp_path, Screening("fisher"), 30)
    for batch in stream():
        store.append(batch)
    assert len(store.final) == 30
    assert store.nbytes == store.whole_bytes


def test_sparse_rows_and_weights_and_selectors_without_labels(tmp_path):
    store = Shortlist(tmp_path, GFW(directions=2), 5, g=2)
    for batch in stream(form=sparse.csr_array):
        store.append(Batch(batch.X, weight=np.arange(20.0)))
    (first, *_) = read_shortlist(tmp_path, 5)
    assert first.is_sparse
    assert first.y is None
    assert_array_equal(first.weight, np.arange(20.0))
    assert store.nbytes < store.whole_bytes


def test_it_goes_on_where_it_stopped_with_the_selector_that_belongs_to_it(tmp_path):
    batches = stream()
    never = Shortlist(tmp_path / "never", Screening("fisher"), 4, g=2)
    for batch in batches:
        never.append(batch)
    sieve = Screening("fisher")
    stopped = Shortlist(tmp_path / "stopped", sieve, 4, g=2)
    for batch in batches[:5]:
        stopped.append(batch)
    resumed = Shortlist(tmp_path / "stopped", sieve, 4, g=2)
    assert (resumed.nbytes, resumed.rows) == (stopped.nbytes, 100)
    for batch in batches[5:]:
        resumed.append(batch)
    assert_array_equal(resumed.final, never.final)
    assert resumed.nbytes == never.nbytes
    for a, b in zip(resumed.batches(), never.batches(), strict=True):
        assert_array_equal(a.X, b.X)
    with pytest.raises(ValueError, match="holds 200 rows and the selector has seen 0"):
        Shortlist(tmp_path / "stopped", Screening("fisher"), 4)
    sieve.learn(batches[0])
    with pytest.raises(ValueError, match="holds 200 rows and the selector has seen 220"):
        resumed.append(batches[0])


def test_a_refused_batch_is_not_stored(tmp_path):
    store = Shortlist(tmp_path, Screening("fisher"), 4)
    store.append(stream()[0])
    with pytest.raises(ValueError, match="infinity"):
        store.append(Batch(np.full((2, 30), np.inf), np.array([0, 1])))
    store.append(stream()[1])
    assert store.rows == 40


def test_a_batch_without_rows_is_no_reason_to_drop_features(tmp_path):
    store = Shortlist(tmp_path, Screening("fisher"), 4)
    store.append(stream()[0])
    before = store.final.tolist()
    store.append(stream()[1].take(slice(0, 0)))
    assert store.final.tolist() == before
    assert len(list(store.batches())) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [({"h": 0}, "h must be a whole number"), ({"h": 2, "g": 0}, "g must be a whole number")],
)
def test_numbers_that_make_no_sense_are_refused(tmp_path, options, said):
    with pytest.raises(ValueError, match=said):
        Shortlist(tmp_path, Screening(), **options)


def test_columns_keep_their_names_and_open_ones_are_refused(tmp_path):
    store = Shortlist(tmp_path, Screening("fisher"), 2)
    names = tuple(f"word {j}" for j in range(30))
    for batch in stream():
        store.append(batch.replace(names=names))
    assert next(store.batches()).names == tuple(f"word {j}" for j in store.final)
    with pytest.raises(ValueError, match="tells columns by their numbers"):
        Shortlist(tmp_path / "open", Screening(features="open"), 2)


def test_before_the_first_batch_there_is_nothing(tmp_path):
    store = Shortlist(tmp_path / "new", Screening("fisher"), 2)
    assert store.features is None
    assert store.final.tolist() == []
    with pytest.raises(ValueError, match="there is no shortlist in"):
        list(store.batches())
    with pytest.raises(ValueError, match="h must be a whole number"):
        list(read_shortlist(tmp_path, 0))


FORGERIES = {
    "negative": lambda s: s.update(features=s["features"] - 30),
    "twice": lambda s: s.update(features=np.zeros_like(s["features"])),
    "type": lambda s: s.update(features=s["features"].astype(float)),
    "beyond": lambda s: s.update(of=1),
    "columns": lambda s: s["rows"].update(X=s["rows"]["X"][:, 1:].copy()),
    "missing": lambda s: s.pop("rows"),
    "names": lambda s: s.update(names=["a"]),
    "a name twice": lambda s: s.update(names=["a"] * len(s["features"])),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_part_is_refused(tmp_path, forge):
    store = Shortlist(tmp_path, Screening("fisher"), 4, g=2)
    for batch in stream():
        store.append(batch)
    path = tmp_path / "part-00000003.sieve"
    kind, state = load_state(path)
    forge(state)
    save_state(path, kind, state)
    with pytest.raises(StateError, match=r"part-00000003\.sieve does not hold a valid part"):
        list(store.batches())


def test_parts_that_do_not_belong_together_are_noticed(tmp_path):
    for name, turned in (("one", slice(None)), ("two", slice(None, None, -1))):
        store = Shortlist(tmp_path / name, Screening("fisher"), 3, g=2)
        for batch in stream(features=60):
            store.append(Batch(batch.X[:, turned], batch.y))
    part = "part-00000004.sieve"
    (tmp_path / "two" / part).write_bytes((tmp_path / "one" / part).read_bytes())
    with pytest.raises(StateError, match=r"part-00000004\.sieve lacks feature"):
        list(read_shortlist(tmp_path / "two", 3))
    Screening("fisher").fit(*stream()[0]).save(tmp_path / "one" / part)
    with pytest.raises(StateError, match="holds a 'Screening', not a part of a shortlist"):
        list(read_shortlist(tmp_path / "one", 3))
