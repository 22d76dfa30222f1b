import random

import numpy as np
import pytest
from river.datasets import synth
from scipy import stats

from driftsieve.streams import agrawal, randomness
from driftsieve.streams.agrawal import NAMES, Agrawal
from tests.naive import generators as naive
from tests.streams.laws import all_rows
from tests.streams.test_generators import key_of

SURE = 1e-6
"""How unlikely a difference must be by chance."""


def block_rng(stream):
    kind = type(stream).__name__
    return lambda block: randomness.generator(stream.seed, f"{kind}.rows", block)


@pytest.mark.parametrize(
    "options",
    [
        {"functions": 3},
        {"functions": (1, 4, 8), "balanced": True, "perturbation": 0.05, "drift_every": 400},
        {"functions": (2, 9), "perturbation": 0.7, "drift_every": 300, "width": 200},
        {"functions": (7, 6, 5), "balanced": True, "drift_every": 350, "width": 100},
    ],
)
def test_equals_its_naive_twin(options):
    stream = Agrawal(n_rows=1_100, seed=3, **options)
    X, y, _ = naive.drifting_rows(
        stream, 1_100, key_of(stream), block_rng(stream), naive.agrawal_sample
    )
    batch = all_rows(stream)
    np.testing.assert_allclose(batch.X, X, rtol=1e-12)
    np.testing.assert_array_equal(batch.y, y)


@pytest.mark.parametrize("function", range(1, 11))
def test_labels_are_those_of_the_paper_and_mostly_of_river(function):
    batch = all_rows(Agrawal(n_rows=6_000, functions=function, seed=function))
    people = batch.X.tolist()
    assert batch.y.tolist() == [naive.agrawal_class(function, person) for person in people]
    of_river = getattr(synth.Agrawal, f"_classification_function_{function - 1}")
    theirs = np.array([of_river(*person) for person in people])
    if function <= 6:
        theirs = 1 - theirs
    # Our docstring says of which function river reads another column.
    assert np.array_equal(batch.y, theirs) == (function != 5)


@pytest.mark.parametrize("function", range(1, 11))
def test_a_feature_is_relevant_if_it_alone_can_change_the_group(function):
    in_group_a, relevant = agrawal.FUNCTIONS[function - 1]
    rng = np.random.default_rng(function)
    people = agrawal._people(300_000, rng)
    others = agrawal._people(300_000, rng)
    group = in_group_a(people)
    assert 0 < group.mean() < 1
    for column in range(len(NAMES)):
        changed = people.copy()
        changed[column] = others[column]
        assert (in_group_a(changed) != group).any() == (column in relevant), NAMES[column]
    np.testing.assert_array_equal(Agrawal(functions=function).relevant_in(0), relevant)


@pytest.mark.parametrize("perturbation", [0.0, 0.05])
def test_people_are_distributed_as_those_of_river(perturbation):
    ours = all_rows(Agrawal(n_rows=8_000, perturbation=perturbation, seed=1)).X
    rows = synth.Agrawal(0, seed=2, perturbation=perturbation).take(8_000)
    theirs = np.array([list(x.values()) for x, _ in rows], dtype=float)
    for j, name in enumerate(NAMES):
        mine, other = ours[:, j], theirs[:, j]
        if name == "hvalue" and perturbation:  # river draws it anew from the zipcode
            continue
        if name == "hvalue":  # river has zipcodes that are worth less by one
            mine, other = mine / (9 - ours[:, 5]), other[theirs[:, 5] < 8]
            other = other / (8 - theirs[theirs[:, 5] < 8, 5])
        if name == "commission" and perturbation:  # river lets none exceed 75,000
            mine = np.minimum(mine, 75_000)
        assert stats.ks_2samp(mine, other).pvalue > SURE, name


def test_balanced_classes_alternate_and_are_those_that_were_drawn():
    for function in range(1, 11):
        stream = Agrawal(n_rows=2_000, functions=function, balanced=True)
        batch = all_rows(stream)
        np.testing.assert_array_equal(batch.y, np.arange(2_000) % 2)
        group = agrawal.FUNCTIONS[function - 1][0](batch.X.T)
        np.testing.assert_array_equal(batch.y == 0, group)
    plain = all_rows(Agrawal(n_rows=20_000, functions=4, seed=5))
    equal = all_rows(Agrawal(n_rows=20_000, functions=4, seed=6, balanced=True))
    for label in (0, 1):  # within a class, people are as they would be without
        for j in range(9):
            mine, other = (run.X[run.y == label, j] for run in (equal, plain))
            assert stats.ks_2samp(mine, other).pvalue > SURE


def test_perturbed_values_stay_near_and_within_their_ranges():
    plain = all_rows(Agrawal(n_rows=3_000, seed=4)).X
    moved = all_rows(Agrawal(n_rows=3_000, seed=4, perturbation=0.2)).X
    np.testing.assert_array_equal(plain[:, 3:6], moved[:, 3:6])
    assert ((plain[:, 1] == 0) == (moved[:, 1] == 0)).all()
    for column, (low, high) in agrawal.PERTURBED.items():
        values = moved[:, column]
        assert values.max() <= high and (values.min() >= low or column == 1)
        width = 900_000 if column == 6 else high - low
        distance = np.abs(values - plain[:, column])
        assert 0.15 * (high - low if column != 6 else 0) < distance.max() <= 0.2 * width + 0.5


def test_a_tree_learns_what_rivers_tree_of_random_rows_learns():
    """The share of group A, by function, is that of river's rows (whose classes are exchanged in
    functions 1 to 6)."""
    rng = random.Random(3)
    for function in (1, 2, 3, 4, 6, 7, 8, 9):
        mine = all_rows(Agrawal(n_rows=5_000, functions=function, seed=2)).y.mean()
        drawn = synth.Agrawal(function - 1, seed=rng.randrange(10**6)).take(5_000)
        other = np.mean([y for _, y in drawn])
        other = 1 - other if function <= 6 else other
        assert abs(mine - other) < 5 * np.sqrt(2 * 0.25 / 5_000), function


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"functions": 11}, "each of functions must be a whole number from 1 to 10, not 11"),
        ({"functions": (1, 0)}, "each of functions must be a whole number from 1 to 10, not 0"),
        ({"functions": ()}, "functions must name at least one"),
        ({"functions": "1,2"}, "each of functions must be a whole number from 1 to 10, not '1,2'"),
        ({"perturbation": 1.1}, "perturbation must be a finite number from 0 to 1, not 1.1"),
        ({"balanced": 1}, "balanced must be True or False, not 1"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Agrawal(**options)
