import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftsieve.streams.accepted import Intervals, Subsets
from driftsieve.streams.conditional import HELD, Conditional
from tests.naive import generators as naive
from tests.streams.laws import all_rows
from tests.streams.test_agrawal import SURE
from tests.streams.test_boolean_streams import assert_equals_twin

SHAPES = {
    "defaults": {},
    "many classes": {"n_classes": 6, "n_relevant": 3, "n_values": 4, "n_divisions": 2},
    "noise": {"noise": 0.3, "n_irrelevant": 1},
    "smallest": {"n_relevant": 1, "n_irrelevant": 0, "n_values": 2, "n_divisions": 1},
    "drifting": {"drift_every": 300, "noise": 0.1},
    "gradually": {"drift_every": 400, "width": 150, "n_classes": 3},
}


@pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES)
def test_equals_its_naive_twin(options):
    assert_equals_twin(Conditional(n_rows=1_100, seed=8, **options), naive.conditional_sample)


@pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES)
def test_every_row_has_values_that_its_class_accepts(options):
    stream = Conditional(n_rows=1_500, seed=1, **{**options, "noise": 0.0})
    batch, concepts = all_rows(stream), stream.concepts(0, 1_500)
    split = len(stream._scales)
    values = np.hstack([batch.X[:, :split] / stream._scales, batch.X[:, split:]])
    accepts = {c: naive.conditional_accepts(stream, c) for c in set(concepts.tolist())}
    for x, label, concept in zip(values, batch.y, concepts.tolist(), strict=True):
        for column, value in enumerate(x):
            assert accepts[concept](label, column, value)


def test_noise_leaves_as_many_rows_that_their_class_may_not_accept():
    stream = Conditional(n_rows=20_000, noise=0.4, n_relevant=6, seed=2)
    batch = all_rows(stream)
    accepts = naive.conditional_accepts(stream, 0)
    scales = np.append(stream._scales, np.ones(len(stream._scales)))
    fits = np.array([
        all(accepts(label, j, value) for j, value in enumerate(x))
        for x, label in zip(batch.X / scales, batch.y, strict=True)
    ])  # fmt: skip
    rng = np.random.default_rng(0)  # how many rows of noise fit by chance
    chance = []
    for label in range(2):
        free = np.hstack([rng.random((4_000, 16)), rng.integers(10, size=(4_000, 16))])
        chance.append(np.mean([all(accepts(label, j, v) for j, v in enumerate(x)) for x in free]))
    expected = 0.4 * (1 - np.mean(chance))
    assert abs(np.mean(~fits) - expected) < 0.02


def test_within_a_class_accepted_values_are_uniform_and_independent():
    stream = Conditional(n_rows=40_000, n_relevant=3, n_irrelevant=2, n_classes=3, seed=4)
    batch, held = all_rows(stream), stream._concept(0)
    split = len(stream._scales)
    assert stats.chisquare(np.bincount(batch.y)).pvalue > SURE
    for label in range(3):
        rows = batch.X[batch.y == label]
        for place, column in enumerate(held.numeric):
            parts = held.intervals.parts[label][place]
            total = sum(high - low for low, high in parts)
            x = rows[:, column] / stream._scales[column]
            share = sum(np.clip(x - low, 0, high - low) for low, high in parts) / total
            assert stats.kstest(share, "uniform").pvalue > SURE
        for place, column in enumerate(held.nominal):
            seen = np.bincount(rows[:, split + column].astype(int), minlength=10)
            accepted = held.subsets.accepted[label, place]
            assert seen[~accepted].sum() == 0
            assert len(seen[accepted]) == 1 or stats.chisquare(seen[accepted]).pvalue > SURE
        with np.errstate(invalid="ignore"):  # of a code that is the only one
            between = np.corrcoef(rows.T)[np.triu_indices(10, 1)]
        assert np.nanmax(np.abs(between)) < 5 / np.sqrt(len(rows))


def test_irrelevant_columns_tell_nothing_and_relevant_ones_differ():
    stream = Conditional(n_rows=30_000, n_relevant=4, n_irrelevant=4, n_classes=2, seed=5)
    batch, split = all_rows(stream), 8
    relevant = set(stream.relevant_at(0).tolist())
    for j in range(stream.n_features):
        one, other = (batch.X[batch.y == label, j] for label in (0, 1))
        if j < split:
            p = stats.ks_2samp(one, other).pvalue
        else:
            counts = np.array([np.bincount(x.astype(int), minlength=10) for x in (one, other)])
            p = stats.chi2_contingency(counts[:, counts.any(axis=0)]).pvalue
        assert (p < SURE) == (j in relevant), j


def test_every_class_has_constraints_and_every_relevant_column_has_some():
    sizes = set()
    for seed in range(60):
        stream = Conditional(n_relevant=3, n_classes=3, seed=seed)
        held = stream._concept(0)
        assert len(set(held.numeric)) == len(set(held.nominal)) == 3
        free = [[(0.0, 1.0)]] * 3
        constrained = np.array(
            [[one != [(0.0, 1.0)] for one in line] for line in held.intervals.parts]
        )
        constrained = np.hstack([constrained, ~held.subsets.accepted.all(axis=2)])
        assert held.intervals.parts[-1] == free and not constrained[-1].any()
        assert constrained[:-1].any(axis=0).all() and constrained[:-1].any(axis=1).all()
        sizes |= set(constrained[:-1].sum(axis=1).tolist())
    assert sizes == {1, 2, 3, 4, 5, 6}


def test_types_and_scales_stay_when_the_concept_changes():
    stream = Conditional(n_rows=6_000, drift_every=2_000, seed=3)
    first, second, third = (all_rows(stream).take(slice(a, a + 2_000)) for a in (0, 2_000, 4_000))
    assert stream.categorical == tuple(range(15, 30))
    for run in (first, second, third):
        assert (run.X[:, :15].max(axis=0) <= stream._scales).all()
        assert (run.X[:, :15].max(axis=0) > 0.5 * stream._scales).all()
    sets = [frozenset(stream.relevant_in(c).tolist()) for c in range(3)]
    assert len(set(sets)) == 3


def test_only_some_concepts_are_held():
    stream = Conditional(drift_every=10)
    before = [stream.relevant_in(c).tolist() for c in range(3 * HELD)]
    assert len(stream._held_concepts) <= HELD
    assert [stream.relevant_in(c).tolist() for c in range(3 * HELD)] == before


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 10**6), n_divisions=st.integers(1, 8), n_values=st.integers(2, 6))
def test_values_lie_where_a_share_of_what_is_accepted_lies(seed, n_divisions, n_values):
    rng = np.random.default_rng(seed)
    constrained = rng.random((3, 2)) < 0.6
    intervals = Intervals.drawn(constrained, n_divisions, rng)
    subsets = Subsets.drawn(constrained, n_values, rng)
    classes = rng.integers(3, size=20)
    shares = rng.random((20, 2))
    shares[0], shares[1] = 0.0, np.nextafter(1.0, 0.0)
    found, codes = intervals.values(classes, shares), subsets.values(classes, shares)
    for row, label in enumerate(classes):
        for place in range(2):
            parts = intervals.parts[label][place]
            assert (parts == [(0.0, 1.0)]) == (not constrained[label, place])
            assert all(a < b for a, b in parts)
            value = naive.inside(parts, shares[row, place])
            assert any(low <= found[row, place] <= high for low, high in parts)
            # At a border, the end of one interval may be the beginning of the next.
            ends = {end for part in parts for end in part}
            near = min(abs(value - end) for end in ends) < 1e-9
            assert near or abs(found[row, place] - value) < 1e-9
            accepted = np.flatnonzero(subsets.accepted[label, place])
            assert codes[row, place] == accepted[int(shares[row, place] * len(accepted))]
            assert (len(accepted) == n_values) == (not constrained[label, place])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_relevant": 0}, "n_relevant must be a whole number of at least 1, not 0"),
        ({"n_irrelevant": -1}, "n_irrelevant must be a whole number of at least 0, not -1"),
        ({"n_classes": 1}, "n_classes must be a whole number of at least 2, not 1"),
        ({"n_values": 1}, "n_values must be a whole number of at least 2, not 1"),
        ({"n_divisions": 0}, "n_divisions must be a whole number of at least 1, not 0"),
        ({"noise": 1.5}, "noise must be a finite number from 0 to 1, not 1.5"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Conditional(**options)
