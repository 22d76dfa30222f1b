"""States of quantile summaries: sound after every step, exact round trips, forgeries refused."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Batch, Screening, load
from driftsieve.state import StateError, load_state, save_state
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles
from tests.naive.quantiles import Rows
from tests.summaries.guarantee import COMPILED, ENGINES, SmallLevels, assert_guarantee


class Twins:
    """A summary and all its rows, taken through the same steps."""

    def __init__(self, make, epsilon, seed):
        self.rng = np.random.default_rng(seed)
        self.make, self.epsilon = make, epsilon
        self.n = int(self.rng.integers(1, 5))
        self.summary, self.rows = self.begin()
        self.may_widen = True

    def begin(self):
        return self.make(self.n, epsilon=self.epsilon), Rows(self.n)

    def batch(self):
        """Rows of some shape: what a stream may bring."""
        rng, rows = self.rng, int(self.rng.integers(0, 90))
        X = rng.choice(
            [
                rng.standard_normal((rows, self.n)),
                np.sort(rng.standard_normal((rows, self.n)), axis=0),
                rng.integers(-3, 4, (rows, self.n)) * 0.5,
                np.full((rows, self.n), rng.standard_normal()),
            ]
        )
        X[rng.random(X.shape) < rng.choice([0, 0.5])] = 0.0
        X[rng.random(X.shape) < rng.choice([0, 0.2])] = np.nan
        y = rng.integers(0, rng.integers(1, 7), rows)
        weight = rng.choice([0.0, 1.0, 2.5], rows) if rng.random() < 0.3 else None
        return X, y, weight

    def update(self):
        X, y, weight = self.batch()
        fade = float(self.rng.choice([1.0, 1.0, 0.9, 1e-8]))
        self.rows.update(X, y, weight, fade)
        if self.rng.random() < 0.3:
            self.may_widen = False
            X = sparse.csr_array(X)
        elif self.rng.random() < 0.3:
            X = np.asfortranarray(X.astype(np.float32))
            self.rows.X[len(self.rows.X) - len(y) :] = X
        self.summary.update(Batch(X, y, weight), fade)

    def fade(self):
        factor = float(self.rng.choice([0.5, 1e-20]))
        self.summary.fade(factor)
        self.rows.fade(factor)

    def merge(self):
        other = copy.copy(self)
        other.summary, other.rows = other.begin()
        for _ in range(self.rng.integers(0, 4)):
            other.update()
        self.may_widen &= other.may_widen
        self.summary.merge(other.summary)
        self.rows.merge(other.rows)

    def merge_into_another(self):
        mine = self.summary, self.rows
        self.summary, self.rows = self.begin()
        self.update()
        self.summary.merge(mine[0])
        self.rows.merge(mine[1])

    def rearrange(self):
        wider = self.n + int(self.may_widen and self.rng.integers(0, 2))
        places = self.rng.permutation(wider)[: self.n]
        self.summary.rearrange(places, wider)
        X = np.full((len(self.rows.X), wider), np.nan)
        X[:, places] = self.rows.X
        self.rows.X, self.n = X, wider

    def round_trip(self):
        self.summary = self.make.from_state(copy.deepcopy(self.summary.to_state()))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(20 if COMPILED else 2))
def test_sound_and_within_the_bound_after_any_steps(engine, seed):
    """Seeded, so that what fails can be replayed."""
    twins = Twins(*ENGINES[engine], seed)
    verbs = ["update"] * 6 + ["fade", "merge", "merge_into_another", "rearrange", "round_trip"]
    for _ in range(30 if COMPILED else 12):
        getattr(twins, twins.rng.choice(verbs))()
        twins.summary.require_sound()
        assert_masses(twins.summary)
    if twins.rows.weight.sum() > 1e-60:  # less is forgotten
        assert_totals(twins.summary, twins.rows)
        if not twins.summary._sparse:
            assert_guarantee(twins.summary, twins.rows, twins.epsilon)


@pytest.mark.parametrize("make", [Quantiles, LevelQuantiles])
@pytest.mark.parametrize("seed", range(8))
def test_columns_may_come_while_rows_wait_whose_weights_are_odd_fractions(make, seed):
    rng = np.random.default_rng(seed)
    summary, rows = make(1), Rows(1)
    for _ in range(6):
        X, y, weight = rng.standard_normal((7, 1)), rng.permutation(7) % 2, rng.random(7)
        summary.update(Batch(X, y, weight))
        rows.update(X, y, weight)
    summary.rearrange(np.array([1]), 2)
    summary.require_sound()
    summary = make.from_state(summary.to_state())
    known, _ = rows.table(0, 2, 3)
    assert_allclose(summary.tables(3).table(1)[:, np.argsort(summary.classes)], known)
    assert summary._shards.is_empty  # nothing was absorbed, and so nothing is known to be missing


def assert_masses(summary):
    for entries, _, _ in summary._shards.lists(summary.n_features):
        for j in range(entries.n_features):
            of = slice(*entries.offsets[j : j + 2])
            known = ~np.isnan(entries.values[of])
            held = entries.weights[:, of][:, known].astype(float).sum()
            assert_allclose(held, entries.mass[j], rtol=1e-9)


def assert_totals(summary, rows):
    tables = summary.tables(3)
    for j in range(summary.n_features):
        present, _ = rows.by_class(j, 7)
        found = tables.table(j).sum(axis=0)
        assert_allclose(found, present[summary.classes], rtol=1e-8, atol=1e-8 * rows.weight.sum())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_going_on_from_a_state_is_never_having_stopped(engine, form, tmp_path):
    make, epsilon = ENGINES[engine]
    rng = np.random.default_rng(0)
    never, stopped = make(3, epsilon=epsilon), make(3, epsilon=epsilon)
    for step in range(12):
        X, y = rng.standard_normal((70, 3)).astype(np.float32), rng.integers(0, 2 + step // 4, 70)
        for summary in (never, stopped):
            summary.update(Batch(form(X), y), fade=0.9 if step > 6 else 1.0)
        save_state(tmp_path / "state", "test", stopped.to_state())
        stopped = make.from_state(load_state(tmp_path / "state")[1])
        assert_array_equal(stopped.tables().counts, never.tables().counts)
        assert_array_equal(stopped.tables().upper, never.tables().upper)
        assert stopped.nbytes == never.nbytes


KINDS = [make for make, _ in ENGINES.values()]


def learnt(kind):
    summary = kind(3, epsilon=0.1)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((1510, 2)), np.full(1510, np.nan)])
    summary.update(Batch(X, np.arange(1510) % 3))
    summary.update(Batch(sparse.csr_array(X[:9]), np.arange(9) % 3, np.full(9, 0.5)))
    return summary


def first_list(state):
    shard = state["shards"]["shards"][0]
    return shard if "values" in shard else next(s for s in shard["open"] if len(s["values"]))


def changed(array, **places):
    array = array.copy()
    for place, value in places.items():
        array.flat[int(place[1:])] = value
    return array


FORGERIES = {
    "offsets beyond the values": lambda s: {"offsets": s["offsets"] + 1},
    "offsets that fall": lambda s: {"offsets": changed(s["offsets"], _1=10**6)},
    "too few offsets": lambda s: {"offsets": s["offsets"][:-1]},
    "offsets of another type": lambda s: {"offsets": s["offsets"].astype(np.int32)},
    "values out of order": lambda s: {"values": changed(s["values"], _1=9e9)},
    "equal values": lambda s: {"values": changed(s["values"], _1=s["values"][0])},
    "missing values amid others": lambda s: {"values": changed(s["values"], _0=np.nan)},
    "infinite values": lambda s: {"values": changed(s["values"], _0=-np.inf)},
    "values that are whole": lambda s: {"values": np.nan_to_num(s["values"]).astype(int)},
    "fewer values": lambda s: {"values": s["values"][:-1]},
    "another class": lambda s: {"weights": np.vstack([s["weights"], s["weights"][:1]])},
    "a class less": lambda s: {"weights": s["weights"][1:]},
    "negative weights": lambda s: {"weights": s["weights"].astype(float) - 1.0},
    "weights of another type": lambda s: {"weights": s["weights"].astype(np.int64)},
    "weights the other way round": lambda s: {"weights": np.asfortranarray(s["weights"])},
    "uncertainties apart": lambda s: {"uncertainty": s["uncertainty"].astype(np.float32)},
    "uncertain missing values": lambda s: {"uncertainty": s["uncertainty"] + 1},
    "too few masses": lambda s: {"mass": s["mass"][:-1]},
    "a mass that is not a number": lambda s: {"mass": changed(s["mass"], _0=np.nan)},
    "flags that are numbers": lambda s: {"joined": s["joined"].astype(int)},
    "a list instead of an array": lambda s: {"values": s["values"].tolist()},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FORGERIES)
def test_forged_entries_are_refused(kind, name):
    """Kernels check nothing: what they read amiss, they would read and write anywhere."""
    state = copy.deepcopy(learnt(kind).to_state())
    kind.from_state(copy.deepcopy(state))
    entries = first_list(state)
    entries.update(FORGERIES[name](entries))
    with pytest.raises(ValueError, match="a quantile summary needs"):
        kind.from_state(state)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("dense_waiting", lambda w: w | {"rows": w["rows"] | {"codes": w["rows"]["codes"] + 1}}),
        ("dense_waiting", lambda w: w | {"rows": w["rows"] | {"codes": w["rows"]["codes"][1:]}}),
        ("dense_waiting", lambda w: w | {"rows": w["rows"] | {"X": w["rows"]["X"][:, 1:]}}),
        (
            "dense_waiting",
            lambda w: w | {"rows": w["rows"] | {"X": np.nan_to_num(w["rows"]["X"]).astype(int)}},
        ),
        ("dense_waiting", lambda w: w | {"rows": w["rows"] | {"weights": np.ones(2)}}),
        ("dense_waiting", lambda w: w | {"size": 0}),
        ("dense_waiting", lambda w: w | {"size": 2**70}),
        ("sparse_waiting", lambda w: w | {"codes": w["codes"] - 1}),
        ("sparse_waiting", lambda w: w | {"indices": w["indices"] + 1}),
        ("sparse_waiting", lambda w: w | {"indices": -w["indices"]}),
        ("sparse_waiting", lambda w: w | {"data": w["data"][1:]}),
        ("sparse_waiting", lambda w: w | {"weights": w["weights"][1:]}),
        ("rows", lambda rows: rows[1:]),
        ("rows", lambda rows: rows * np.nan),
        ("labels", lambda labels: labels[1:]),
        ("categories", lambda flags: flags[1:]),
        ("scale", lambda scale: 0.0),
        ("scale", lambda scale: float("nan")),
        ("n_features", lambda n: n + 1),
        ("n_features", lambda n: 10**6),
        ("epsilon", lambda epsilon: 0.0),
        ("shards", lambda shards: shards | {"bounds": [0, 2]}),
        ("shards", lambda shards: shards | {"bounds": [0, 2, 3]}),
        ("shards", lambda shards: shards | {"shards": []}),
    ],
)
def test_other_forged_parts_are_refused(kind, part, change):
    state = copy.deepcopy(learnt(kind).to_state())
    state[part] = change(state[part])
    with pytest.raises(ValueError):
        kind.from_state(state)


@pytest.mark.parametrize(("part", "value"), [("sub_stream", 10**9), ("blocks", -1), ("open", [])])
def test_forged_levels_are_refused(part, value):
    state = copy.deepcopy(learnt(SmallLevels).to_state())
    state["shards"]["shards"][0][part] = value
    with pytest.raises(ValueError, match="levels that cannot be"):
        SmallLevels.from_state(state)


def test_a_forged_file_is_refused_in_words(tmp_path):
    Screening("chi2", k=1).fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3).save(tmp_path / "sieve")
    kind, state = load_state(tmp_path / "sieve")
    state["learnt"]["summary"]["dense_waiting"]["rows"]["codes"] += 7
    save_state(tmp_path / "forged", kind, state)
    with pytest.raises(StateError, match="forged does not hold a valid Screening: a quantile"):
        load(tmp_path / "forged")
