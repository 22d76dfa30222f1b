"""The AGRAWAL stream: people who ask for a loan, and ten functions that part them into groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.checks import number, several, truth_value, whole
from driftsieve.streams.concepts import Drifting, alternating

NAMES = ["salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"]
SALARY, COMMISSION, AGE, ELEVEL, CAR, ZIPCODE, HVALUE, HYEARS, LOAN = range(9)

PERTURBED: dict[int, tuple[Any, Any]] = {
    SALARY: (20_000.0, 150_000.0),
    COMMISSION: (10_000.0, 85_000.0),
    AGE: (20.0, 80.0),
    HVALUE: (0.0, 1_350_000.0),
    HYEARS: (1.0, 30.0),
    LOAN: (0.0, 500_000.0),
}
"""What perturbation changes, and the least and largest values."""

FEW = 64
"""Candidates are drawn at least so many at a time."""
MOST_CANDIDATES = 2**16

People: TypeAlias = NDArray[np.float64]
"""Columns by people: each column is contiguous."""
Wanted: TypeAlias = Any
"""For each person, whether she is in group A."""


@dataclass(kw_only=True, eq=False)
class Agrawal(Drifting):
    """The generator of Agrawal, Imielinski & Swami (1993), Database mining: a performance
    perspective, section 4; AGRAWAL in MOA and river.

    Six numeric and three nominal features (`elevel`, `car` and `zipcode`, codes) describe a person.
    One of ten functions decides whether she belongs to group A (class 0) or not (class 1), and
    `perturbation` then moves each numeric value by up to that share of its range, within it. With
    `balanced`, the classes alternate. Concept i is number i of `functions`, counted from 1.

    Relevant are the features that the function reads.

    Deviations: ranges, functions and classes are those of MOA, where the price of a house is
    100,000 to 900,000 times 0.5 to 1.5 by `zipcode`. But MOA perturbs it into the range up to
    135,000, of which we take ten times as much. In river it is nothing in the last zipcode, it is
    drawn from `zipcode` anew when perturbed, function 5 reads the salary where the paper has
    the loan, and classes are exchanged in functions 1 to 6.
    """

    functions: int | Sequence[int] = 1
    perturbation: float = 0.0
    balanced: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._functions = several(
            "functions", self.functions, lambda name, one: whole(name, one, 1, 10)
        )
        self.perturbation = number("perturbation", self.perturbation, 0, 1)
        self.balanced = truth_value("balanced", self.balanced)

    @property
    def n_features(self) -> int:
        return len(NAMES)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(NAMES)

    @property
    def categorical(self) -> tuple[int, ...]:
        return (ELEVEL, CAR, ZIPCODE)

    @property
    def n_concepts(self) -> int:
        return len(self._functions)

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        return np.array(FUNCTIONS[self._functions[concept] - 1][1])

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        in_group_a = FUNCTIONS[self._functions[concept] - 1][0]
        if self.balanced:
            y = alternating(rows)
            drawn = _of_both(in_group_a, rows, rng)
        else:
            drawn = _people(rows, rng)
            y = 1 - in_group_a(drawn).astype(np.int64)
        if self.perturbation:
            self._perturb(drawn, rng)
        return drawn.T, y

    def _perturb(self, people: People, rng: np.random.Generator) -> None:
        moves = rng.random((len(PERTURBED), people.shape[1]))
        moves *= 2 * self.perturbation
        moves -= self.perturbation
        for (column, limits), move in zip(PERTURBED.items(), moves, strict=True):
            values, low, high = people[column], *limits
            width = high - low
            if column == COMMISSION:  # who has none gets none
                low, width = np.where(values > 0, [[low], [width]], 0.0)
            if column == HVALUE:
                width = (9 - people[ZIPCODE]) * 100_000
            values += width * move
            np.clip(values, low, high, out=values)
            if column in (AGE, HYEARS):
                np.rint(values, out=values)


def _people(rows: int, rng: np.random.Generator) -> People:
    people = np.empty((len(NAMES), rows))
    people[SALARY] = 20_000 + 130_000 * rng.random(rows)
    people[COMMISSION] = (10_000 + 75_000 * rng.random(rows)) * (people[SALARY] < 75_000)
    people[AGE] = rng.integers(20, 81, rows)
    people[ELEVEL] = rng.integers(5, size=rows)
    people[CAR] = rng.integers(1, 21, rows)
    people[ZIPCODE] = rng.integers(9, size=rows)
    people[HVALUE] = (9 - people[ZIPCODE]) * 100_000 * (0.5 + rng.random(rows))
    people[HYEARS] = rng.integers(1, 31, rows)
    people[LOAN] = 500_000 * rng.random(rows)
    return people


def _of_both(in_group_a: Callable[[People], Wanted], rows: int, rng: np.random.Generator) -> People:
    """Draw people until there are enough of either group, and let the groups alternate."""
    chosen = np.empty((len(NAMES), rows))
    missing = [(rows + 1) // 2, rows // 2]
    at_a_time = 2 * rows
    while any(missing):
        at_a_time = min(max(at_a_time, FEW), MOST_CANDIDATES)
        people = _people(at_a_time, rng)
        group = in_group_a(people)
        for label, members in enumerate((group, ~group)):
            places = np.arange(label, rows, 2)
            places = places[len(places) - missing[label] :]
            found = np.flatnonzero(members)[: len(places)]
            chosen[:, places[: len(found)]] = people[:, found]
            missing[label] -= len(found)
        at_a_time *= 4
    return chosen


def _within(values: NDArray[np.float64], low: Any, high: Any) -> Wanted:
    return (low <= values) & (values <= high)


def _by_age(people: People, young: Any, middle: Any, old: Any) -> Any:
    """Choose by age: below 40, below 60, and from there on."""
    age = people[AGE]
    return np.where(age < 40, young, np.where(age < 60, middle, old))


def _salary_by_age(people: People, salary: NDArray[np.float64]) -> Wanted:
    low = _by_age(people, 50_000, 75_000, 25_000)
    return _within(salary, low, low + 50_000)


def _function_1(people: People) -> Wanted:
    return (people[AGE] < 40) | (people[AGE] >= 60)


def _function_2(people: People) -> Wanted:
    return _salary_by_age(people, people[SALARY])


def _schooled(people: People) -> Wanted:
    """Tell whose level of education is the one that goes with her age."""
    low, high = _by_age(people, 0, 1, 2), _by_age(people, 1, 3, 4)
    return _within(people[ELEVEL], low, high)


def _function_3(people: People) -> Wanted:
    return _schooled(people)


def _function_4(people: People) -> Wanted:
    schooled = _schooled(people)
    with_it, without = (
        _by_age(people, 25_000, 50_000, 50_000),
        _by_age(people, 50_000, 75_000, 25_000),
    )
    low = np.where(schooled, with_it, without)
    return _within(people[SALARY], low, low + 50_000)


def _function_5(people: People) -> Wanted:
    fits = _salary_by_age(people, people[SALARY])
    low = np.where(
        fits, _by_age(people, 100_000, 200_000, 300_000), _by_age(people, 200_000, 300_000, 75_000)
    )
    high = np.where(
        fits, _by_age(people, 300_000, 400_000, 500_000), _by_age(people, 400_000, 500_000, 300_000)
    )
    return _within(people[LOAN], low, high)


def _function_6(people: People) -> Wanted:
    return _salary_by_age(people, people[SALARY] + people[COMMISSION])


def _income(people: People) -> NDArray[np.float64]:
    income: NDArray[np.float64] = (2 / 3) * (people[SALARY] + people[COMMISSION])
    return income


def _function_7(people: People) -> Wanted:
    return _income(people) - people[LOAN] / 5 - 20_000 > 0


def _function_8(people: People) -> Wanted:
    return _income(people) - 5_000 * people[ELEVEL] - 20_000 > 0


def _function_9(people: People) -> Wanted:
    return _income(people) - 5_000 * people[ELEVEL] - people[LOAN] / 5 - 10_000 > 0


def _function_10(people: People) -> Wanted:
    equity = people[HVALUE] * np.maximum(people[HYEARS] - 20, 0) / 10
    return _income(people) - 5_000 * people[ELEVEL] + equity / 5 - 10_000 > 0


FUNCTIONS: tuple[tuple[Callable[[People], Wanted], tuple[int, ...]], ...] = (
    (_function_1, (AGE,)),
    (_function_2, (SALARY, AGE)),
    (_function_3, (AGE, ELEVEL)),
    (_function_4, (SALARY, AGE, ELEVEL)),
    (_function_5, (SALARY, AGE, LOAN)),
    (_function_6, (SALARY, COMMISSION, AGE)),
    (_function_7, (SALARY, COMMISSION, LOAN)),
    (_function_8, (SALARY, COMMISSION, ELEVEL)),
    (_function_9, (SALARY, COMMISSION, ELEVEL, LOAN)),
    (_function_10, (SALARY, COMMISSION, ELEVEL, HVALUE, HYEARS)),
)
"""Who is in group A, and the features that decide it."""
