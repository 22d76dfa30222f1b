import numpy as np
import pytest
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.agrawal import Agrawal
from driftsieve.streams.cursor import Cursor
from driftsieve.streams.drift import ConceptSwitch
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.scenarios import WithMissing
from driftsieve.streams.sea import SEA
from tests.naive import streams as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)


class Numbered:
    """A source whose rows say where they come from: (source, row). Positions are opaque."""

    def __init__(self, number, n_rows, batch=10, *, positions=True, **parts):
        self.number, self.n_rows, self.batch = number, n_rows, batch
        self.positions = positions
        self.parts = parts
        self.start = 0

    def seek(self, position):
        assert self.positions or position is None
        self.start = 0 if position is None else position["behind"]

    def __iter__(self):
        for start in range(self.start, self.n_rows, self.batch):
            rows = np.arange(start, min(start + self.batch, self.n_rows))
            yield Batch(
                np.column_stack([np.full(len(rows), self.number), rows]).astype(float),
                y=np.full(len(rows), self.number),
                position={"behind": int(rows[-1]) + 1} if self.positions else None,
                relevant=np.tile(np.arange(2) == self.number % 2, (len(rows), 1)),
                **{name: make(len(rows)) for name, make in self.parts.items()},
            )


def key_of(seed):
    return int(randomness._sequence(seed, "ConceptSwitch").generate_state(1, np.uint64)[0])


def origins(source):
    return [tuple(row) for row in all_rows(source).X.astype(int).tolist()]


SWITCHES = {
    "abrupt": ([300, 200], [120], 0),
    "sigmoid": ([300, 300], [150], 40),
    "wide": ([400, 400], [200], 500),
    "two": ([300, 300, 200], [100, 250], 30),
    "overlapping": ([300, 300, 300], [150, 170], 60),
    "three abrupt": ([50, 10, 1, 30], [50, 60, 61], 0),
    "at once": ([5, 50], [0], 0),
    "switch never reached": ([60, 5], [1_000], 0),
}


@pytest.fixture(params=SWITCHES.values(), ids=SWITCHES)
def switch(request):
    return request.param


def make_switch(switch, batch=10, inner=7, **options):
    lengths, at, width = switch
    concepts = [Numbered(i, n, inner, **options) for i, n in enumerate(lengths)]
    # A switch that is never reached cannot outlast its source.
    n_rows = 60 if at == [1_000] else None
    return ConceptSwitch(concepts, at, width=width, batch=batch, seed=6, n_rows=n_rows)


def test_is_a_source():
    assert isinstance(make_switch(SWITCHES["two"]), Source)


def test_equals_pulling_row_by_row(switch):
    lengths, at, width = switch
    stream = make_switch(switch)
    expected = naive.switched(lengths, at, width, key_of(6), stream.n_rows or sum(lengths))
    batch = all_rows(stream)
    assert [tuple(row) for row in batch.X.astype(int).tolist()] == expected
    np.testing.assert_array_equal(batch.y, [source for source, _ in expected])
    np.testing.assert_array_equal(batch.relevant[:, 1], [source % 2 == 1 for source, _ in expected])
    np.testing.assert_array_equal(
        stream.concept_of(0, len(expected)), [source for source, _ in expected]
    )


def test_batching_does_not_matter(switch):
    for inner in (1, 7, 1_000):
        assert_batching_does_not_matter(
            lambda batch, inner=inner: make_switch(switch, batch, inner)
        )
    assert_same_rows(all_rows(make_switch(switch, 10, 1)), all_rows(make_switch(switch, 10, 64)))


def test_seeking_is_exact(switch):
    assert_seek_is_exact(lambda: make_switch(switch, 9))


def test_seeking_is_exact_where_sources_give_no_positions(switch):
    assert_seek_is_exact(lambda: make_switch(switch, 9, positions=False))


def test_nominal_columns_are_those_of_all_sources():
    people, others = Agrawal(n_rows=9), Agrawal(n_rows=9, functions=3)
    assert ConceptSwitch([people, others], 4).categorical == (3, 4, 5)
    assert ConceptSwitch([people, SEA(n_features=9)], 4).categorical == ()
    assert ConceptSwitch([Numbered(0, 9), people], 4).categorical == ()


def test_an_abrupt_switch_is_at_its_row():
    stream = ConceptSwitch([Numbered(0, 100), Numbered(1, 100)], 37)
    assert stream.drift_points == (37,)
    rows = origins(stream)
    assert rows[:37] == [(0, i) for i in range(37)]
    assert rows[37:] == [(1, i) for i in range(100)]


def test_the_sigmoid_law():
    point, width, rows = 5_000, 2_000, 10_000
    counts = np.zeros(rows)
    runs = 60
    for seed in range(runs):
        stream = ConceptSwitch(
            [Numbered(0, rows), Numbered(1, rows)], point, width=width, seed=seed
        )
        counts += stream.concept_of(0, rows)
    for start in range(0, rows, 250):
        t = np.arange(start, start + 250)
        expected = 1 / (1 + np.exp(-4 * (t - point) / width))
        sd = np.sqrt(runs * (expected * (1 - expected)).sum())
        assert abs(counts[t].sum() - runs * expected.sum()) < 5 * sd + 1e-9 * runs
    # The share of the transition that the width holds, as the docstring says.
    inside = 1 / (1 + np.exp(-2)) - 1 / (1 + np.exp(2))
    assert inside == pytest.approx(0.76, abs=0.005)


def test_each_of_close_switches_keeps_its_own_probability():
    stream = ConceptSwitch(
        [Numbered(i, 10**6) for i in range(3)], [20_000, 21_000], width=20_000, seed=1
    )
    t = np.arange(40_000)
    which = stream.concept_of(0, 40_000)
    for beyond, point in ((1, 20_000), (2, 21_000)):
        expected = 1 / (1 + np.exp(-4 * (t - point) / 20_000))
        sd = np.sqrt((expected * (1 - expected)).sum())
        assert abs((which >= beyond).sum() - expected.sum()) < 5 * sd


def test_the_papers_three_concepts():
    def concept(seed):
        return DriftingLinear(
            n_rows=None, n_features=5, k=1, shift_every=None, seed=seed, batch=1_000
        )

    stream = ConceptSwitch(
        [concept(1), concept(2), concept(3)],
        [200_000, 400_000],
        width=1_000,
        n_rows=500_000,
        batch=10_000,
    )
    assert not stream.endless
    assert stream.drift_points == (200_000, 400_000)
    stream.seek(None)
    rows = 0
    for batch in stream:
        rows += len(batch)
    assert rows == 500_000
    which = stream.concept_of(0, 500_000)
    changes = np.flatnonzero(np.diff(which))
    assert np.all(np.minimum(abs(changes - 200_000), abs(changes - 400_000)) < 10_000)
    np.testing.assert_array_equal(which[[0, 300_000, 499_999]], [0, 1, 2])


def test_switches_nest_and_wrap():
    def make(batch):
        inner = ConceptSwitch([Numbered(0, 90), Numbered(1, 90)], 40, width=20, batch=8, seed=1)
        return ConceptSwitch([inner, Numbered(2, 50)], 80, width=10, batch=batch, seed=2)

    assert_batching_does_not_matter(make)
    assert_seek_is_exact(lambda: make(11))
    assert_seek_is_exact(lambda: WithMissing(make(11), 0.4))


def test_two_iterations_at_once_do_not_disturb_each_other():
    stream = make_switch(SWITCHES["two"])
    alone = origins(stream)
    pairs = list(zip(stream, stream, strict=True))
    for one, other in pairs:
        assert_same_rows(one, other)
    assert sum(len(one) for one, _ in pairs) == len(alone)


def test_n_rows_cuts_and_endlessness_is_known():
    endless = [DriftingLinear(n_rows=None, n_features=2, k=1, seed=seed) for seed in (1, 2)]
    assert ConceptSwitch(endless, 10).endless
    stream = ConceptSwitch(endless, 10, n_rows=25, batch=10)
    assert [len(batch) for batch in stream] == [10, 10, 5]
    assert list(ConceptSwitch(endless, 10, n_rows=0)) == []


def test_weights_and_labels_of_mixed_rows():
    weighted = Numbered(1, 50, weight=lambda n: np.full(n, 3.0))
    batch = all_rows(ConceptSwitch([Numbered(0, 50), weighted], 20, width=10, batch=100))
    np.testing.assert_array_equal(batch.weight, np.where(batch.y == 1, 3.0, 1.0))


def test_sparse_sources():
    class Sparse(Numbered):
        def __iter__(self):
            for batch in super().__iter__():
                yield batch.replace(X=sparse.csr_array(batch.X))

    concepts = [[kind(i, 80) for i in range(2)] for kind in (Numbered, Sparse)]
    plain, thin = (all_rows(ConceptSwitch(pair, 40, width=30)) for pair in concepts)
    assert thin.is_sparse
    np.testing.assert_array_equal(thin.X.toarray(), plain.X)


def test_global_seed_is_untouched():
    assert_global_seed_untouched(lambda: all_rows(make_switch(SWITCHES["two"])))


def test_seeds_repeat_and_differ():
    one, again, other = (
        ConceptSwitch([Numbered(0, 900), Numbered(1, 900)], 200, width=200, seed=seed).concept_of(
            0, 400
        )
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert np.any(one != other)


def test_a_source_that_ends_too_early_is_an_error():
    stream = ConceptSwitch([Numbered(0, 30), Numbered(1, 50)], 40)
    with pytest.raises(ValueError, match="source 0 of the concept switch has ended, but row 30 "):
        list(stream)


class Unlike(Numbered):
    """A source that differs from the others in something."""

    def __init__(self, change):
        super().__init__(1, 50)
        self.change = change

    def __iter__(self):
        for batch in super().__iter__():
            yield batch.replace(**self.change(batch))


@pytest.mark.parametrize("width", [0, 30])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: {"X": b.X[:, :1], "relevant": None}, "2 features and 1|1 features and 2"),
        (lambda b: {"names": ("a", "b")}, "different names"),
        (lambda b: {"X": sparse.csr_array(b.X)}, "only one of them is sparse"),
        (lambda b: {"y": None}, "only one of them has labels"),
    ],
)
def test_sources_that_do_not_fit_are_refused(change, message, width):
    stream = ConceptSwitch([Numbered(0, 50), Unlike(change)], 20, width=width)
    with pytest.raises(ValueError, match=message):
        list(stream)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"at": [5, 7]}, "2 switches join 3 sources, but there are 2"),
        ({"at": -1}, "a switch must be a whole number of at least 0"),
        ({"at": 2.5}, "a switch must be a whole number"),
        ({"at": 5, "width": -1}, "width must be a finite number of at least 0"),
        ({"at": 5, "width": float("nan")}, "width must be"),
        ({"at": 5, "batch": 0}, "batch must be"),
        ({"at": 5, "n_rows": -1}, "n_rows must be"),
        ({"at": 5, "seed": "x"}, "seed must be"),
    ],
)
def test_bad_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ConceptSwitch([Numbered(0, 50), Numbered(1, 50)], **arguments)


def test_descending_switches_and_one_source_twice_are_refused():
    one, two, three = (Numbered(i, 50) for i in range(3))
    with pytest.raises(ValueError, match="must ascend, but 5 follows 9"):
        ConceptSwitch([one, two, three], [9, 5])
    with pytest.raises(ValueError, match="the same source is given twice"):
        ConceptSwitch([one, two, one], [5, 9])


@pytest.mark.parametrize(
    "position", [5, "x", [], [1], [-1, [[None, 0], [None, 0]]], [3, [None, None]], [3, 4], {}]
)
def test_bad_positions_are_refused(position):
    with pytest.raises(ValueError, match="is not a position in a concept switch"):
        make_switch(SWITCHES["abrupt"]).seek(position)


def test_a_position_of_another_switch_is_refused():
    with pytest.raises(ValueError, match="between 3 sources, not of this one"):
        make_switch(SWITCHES["abrupt"]).seek([0, [[None, 0]] * 3])


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("inner", [1, 4, 100])
def test_a_cursor_takes_any_number_of_rows_and_comes_back(inner, positions):
    for take in (1, 3, 4, 9, 40):
        cursor = Cursor(Numbered(0, 23, inner, positions=positions))
        seen = 0
        while (part := cursor.take(take)) is not None:
            np.testing.assert_array_equal(part.X[:, 1], np.arange(seen, seen + len(part)))
            seen += len(part)
            again = Cursor(Numbered(0, 23, inner, positions=positions), cursor.place)
            rest = again.take(100)
            assert (0 if rest is None else len(rest)) == 23 - seen
            assert rest is None or rest.X[0, 1] == seen
        assert seen == 23
    assert Cursor(Numbered(0, 5), [None, 99]).take(1) is None
    assert Cursor(Numbered(0, 0)).take(1) is None


def test_a_bad_place_is_refused():
    with pytest.raises(ValueError, match="a pair of position and rows, not 7"):
        Cursor(Numbered(0, 5), 7)
