"""The laws that every synthetic stream obeys, and those of streams whose concepts change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.concepts import Drifting
from driftsieve.streams.drift import ConceptSwitch
from driftsieve.streams.led import LED
from driftsieve.streams.registry import GENERATORS, ISS, generator
from driftsieve.streams.sea import SEA
from tests.naive import generators as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)

SMALL = {"linear": {"n_features": 20, "k": 3, "shift_every": 500}}
GRADUAL = {name: {"drift_every": 600, "width": 300} for name in ISS}
VARIANTS = {
    **{name: (name, SMALL.get(name, {})) for name in GENERATORS},
    **{f"{name} drifting": (name, GRADUAL[name]) for name in ISS},
    "agrawal, not balanced": ("agrawal", {"balanced": False, "functions": 10}),
    "bg, noiseless": ("bg", {"noise": 0.0, "drift_every": 90, "width": 0}),
    "led, narrow": ("led", {"n_features": 7, "drift_every": None}),
    "hyperplane, moving": ("hyperplane", {"step": 0.01, "n_moving": 4, "n_irrelevant": 5}),
}


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS)
def make(request):
    name, options = request.param
    return lambda **more: generator(name, **{**options, **more})


def test_is_a_source_whose_batches_know_what_matters(make):
    stream = make(n_rows=1_250, batch=500)
    assert isinstance(stream, Source)
    batches = list(stream)
    assert [batch.position for batch in batches] == [500, 1_000, 1_250]
    run = all_rows(make(n_rows=1_250))
    assert run.X.shape == run.relevant.shape == (1_250, stream.n_features)
    assert run.X.dtype == np.float64 and run.y.dtype == np.int64
    assert stream.names is None or len(stream.names) == len(set(stream.names)) == run.n_features
    for row in (0, 599, 600, 700, 1_249):
        np.testing.assert_array_equal(np.flatnonzero(run.relevant[row]), stream.relevant_at(row))


def test_batching_does_not_matter(make):
    assert_batching_does_not_matter(lambda batch: make(n_rows=1_300, batch=batch))


def test_seeking_is_exact(make):
    assert_seek_is_exact(lambda: make(n_rows=1_300, batch=170))


def test_seeds_repeat_and_differ_and_the_global_one_is_untouched(make):
    first, again, other = (all_rows(make(n_rows=300, seed=seed)) for seed in (4, 4, 5))
    assert_same_rows(first, again)
    assert np.any(first.X != other.X)
    assert_global_seed_untouched(lambda: all_rows(make(n_rows=100)))


def test_a_longer_stream_begins_with_the_shorter(make):
    short, long = (make(n_rows=n) for n in (1_150, 2_500))
    assert_same_rows(all_rows(short), all_rows(long).take(slice(0, 1_150)))


def test_whoever_writes_into_a_batch_does_not_change_the_stream(make):
    stream = make(n_rows=40)
    kept = stream.rows(0, 40)
    expected = kept.X.copy(), kept.y.copy()
    stream.rows(0, 20).X[:] = -1
    stream.rows(0, 20).y[:] = -1
    again = stream.rows(0, 40)
    np.testing.assert_array_equal(again.X, expected[0])
    np.testing.assert_array_equal(again.y, expected[1])


def test_nominal_columns_hold_codes_and_others_do_not(make):
    stream = make(n_rows=2_000)
    X = all_rows(stream).X
    for j in range(stream.n_features):
        whole = np.array_equal(X[:, j], np.rint(X[:, j])) and len(np.unique(X[:, j])) <= 30
        counted = stream.names is not None and stream.names[j] in ("age", "hyears")
        assert whole == (j in stream.categorical) or counted
    assert list(stream.categorical) == sorted(set(stream.categorical))


def test_every_stream_of_the_paper_is_there_with_its_drifts():
    assert len(ISS) == 14
    points = {name: list(generator(name).drift_points) for name in ISS}
    twice, once, never = [200_000, 400_000], [250_000], []
    assert points == {
        **dict.fromkeys(["agrawal", "assets", "bg", "bg2", "bg3", "conditional"], twice),
        **dict.fromkeys(["fy-d", "sea"], twice),
        **dict.fromkeys(["fy-c", "fy-a-drift", "fy-b-drift", "led"], once),
        **dict.fromkeys(["fy-a", "fy-b"], never),
    }
    assert {generator(name).n_rows for name in ISS} == {500_000}
    widths = {name: generator(name).width for name in ISS}
    assert {name for name in ISS if widths[name] == 0} == {
        "conditional", *(name for name in ISS if name.startswith("fy"))
    }  # fmt: skip
    assert set(widths.values()) == {0.0, 1_000.0}
    features = {name: generator(name).n_features for name in ISS}
    assert features == {
        "agrawal": 9, "assets": 5, "bg": 10, "bg2": 18, "bg3": 18, "conditional": 30, "fy-a": 40,
        "fy-b": 120, "fy-c": 106, "fy-d": 120, "fy-a-drift": 40, "fy-b-drift": 120, "led": 24,
        "sea": 12,
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name in ISS if generator(name).drift_points])
def test_a_drift_changes_what_matters(name):
    stream = generator(name)
    for point in stream.drift_points:
        before, after = (
            set(stream.relevant_at(row).tolist()) for row in (point - 9_000, point + 9_000)
        )
        assert after - before, point
        assert set(stream.relevant_at(point - 50_000).tolist()) == before


def key_of(stream):
    sequence = randomness._sequence(stream.seed, f"{type(stream).__name__}.concepts")
    return int(sequence.generate_state(1, np.uint64)[0])


@settings(deadline=None, max_examples=60)
@given(
    every=st.integers(1, 40),
    share=st.floats(0, 1),
    start=st.integers(0, 500),
    rows=st.integers(1, 60),
    seed=st.integers(0, 5),
    endless=st.booleans(),
)
def test_the_concept_of_a_row_is_that_of_the_naive_twin(every, share, start, rows, seed, endless):
    make = LED if endless else SEA
    stream = make(drift_every=every, width=share * every, seed=seed)
    expected = [
        naive.concept_of(t, every, stream.width, key_of(stream), stream.n_concepts)
        for t in range(start, start + rows)
    ]
    np.testing.assert_array_equal(stream.concepts(start, start + rows), expected)


def test_the_sigmoid_law():
    point, width, runs = 5_000, 1_000, 60
    t = np.arange(2 * point)
    counts = sum(
        LED(drift_every=point, width=width, seed=seed).concepts(0, 9_000) > 0
        for seed in range(runs)
    )
    for start in range(0, 9_000, 250):
        here = t[start : start + 250]
        expected = 1 / (1 + np.exp(-4 * (here - point) / width))
        sd = np.sqrt(runs * (expected * (1 - expected)).sum())
        assert abs(counts[here].sum() - runs * expected.sum()) < 5 * sd + 1e-3


def test_a_concept_switch_of_two_concepts_is_distributed_as_the_stream_that_drifts():
    inside = SEA(n_rows=14_000, n_features=6, drift_every=10_000, width=1_000, noise=0)
    parts = [
        SEA(n_rows=None, n_features=6, noise=0, thresholds=t, seed=s)
        for s, t in ((1, 8.0), (2, 9.0))
    ]
    outside = ConceptSwitch(parts, 10_000, width=1_000, n_rows=14_000)
    mine, other = all_rows(inside), all_rows(outside)
    share = [run.y.reshape(-1, 1_000).mean(axis=1) for run in (mine, other)]
    assert np.abs(share[0] - share[1]).max() < 5 * np.sqrt(0.5 / 1_000)
    switched = [np.mean(inside.concepts(a, a + 500) != outside.concept_of(a, a + 500))
                for a in (0, 9_750, 13_500)]  # fmt: skip
    assert switched[0] == switched[2] == 0 < switched[1]


def test_around_a_gradual_drift_every_row_knows_its_own_features():
    stream = LED(n_rows=3_000, drift_every=1_500, width=400, noise=0)
    run, concepts = all_rows(stream), stream.concepts(0, 3_000)
    assert np.count_nonzero(np.diff(concepts)) > 100
    for concept in (0, 1):
        rows = run.take(np.flatnonzero(concepts == concept))
        assert (rows.relevant == rows.relevant[0]).all()
        np.testing.assert_array_equal(np.flatnonzero(rows.relevant[0]), stream.relevant_in(concept))
        for digit in range(10):  # without noise, relevant features are certain
            assert len(np.unique(rows.X[rows.y == digit][:, stream._layout(concept)], axis=0)) == 1


def test_one_concept_never_drifts():
    for stream in (SEA(n_features=2, thresholds=5, drift_every=100), LED(swapped=0, drift_every=5)):
        assert stream.n_concepts == 1
        assert stream.drift_points == ()
        assert not stream.concepts(0, 1_000).any()


def test_endless_streams_drift_for_ever():
    stream = LED(n_rows=None, drift_every=100)
    assert stream.endless and stream.drift_points[10**6] == 100 * (10**6 + 1)
    assert isinstance(stream, Drifting)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drift_every": 0}, "drift_every must be a whole number of at least 1, not 0"),
        ({"drift_every": 1.5}, "drift_every must be a whole number of at least 1, not 1.5"),
        ({"width": -1}, "width must be a finite number of at least 0, not -1"),
        ({"width": float("nan")}, "width must be a finite number of at least 0, not nan"),
        (
            {"drift_every": 100, "width": 101},
            "width must be a finite number from 0 to 100, not 101",
        ),
        ({"seed": None}, "seed must be a whole number of at least 0, not None"),
    ],
)
@pytest.mark.parametrize("name", ["sea", "led", "agrawal"])
def test_bad_drifts_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        type(generator(name))(**options)
