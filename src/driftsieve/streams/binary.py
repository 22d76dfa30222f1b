"""The BG streams: binary features, and classes that depend on a few of them together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.checks import number, several, truth_value, whole
from driftsieve.streams.concepts import Drifting, alternating, flipped
from driftsieve.streams.randomness import bits

RULES: dict[str, Callable[[NDArray[Any]], Any]] = {
    "all": lambda values: values.all(axis=1),
    "majority": lambda values: 2 * values.sum(axis=1) > values.shape[1],
    "equal": lambda values: values.all(axis=1) | ~values.any(axis=1),
}
"""Which values of the relevant features belong to class 1."""

MOST_RELEVANT = 16
"""All combinations of the relevant features are held."""


@dataclass(kw_only=True, eq=False)
class BinaryGenerator(Drifting):
    """Binary features of which a few decide about the class together: BG, BG2 and BG3.

    Barddal, Gomes, Enembreck & Pfahringer (2017), A survey on feature drift adaptation. A row is of
    class 1 if, by `rule`, its relevant features are

    - "all" true (BG);
    - true in their "majority" (BG2);
    - all "equal" (BG3): then none of them tells anything alone.

    All values are equally likely. With `balanced` the classes alternate, and it is all values that
    belong to the class. Then each label is the other one with probability `noise`.

    `relevant` is how many features matter, or the columns that do in each concept. A number of
    columns moves on at each drift, in an order of the columns that is drawn once: none of them is
    relevant in the concept before, if there are enough.
    """

    n_features: int = 10
    relevant: int | Sequence[Sequence[int]] = 3
    rule: str = "all"
    balanced: bool = False
    noise: float = 0.1

    _sets: NDArray[np.intp] = field(init=False, repr=False)
    _values: tuple[NDArray[np.float64], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_features = whole("n_features", self.n_features, 1)
        if not isinstance(self.rule, str) or self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, not {self.rule!r}")
        self.balanced = truth_value("balanced", self.balanced)
        self.noise = number("noise", self.noise, 0, 1)
        given = isinstance(self.relevant, Iterable) and not isinstance(self.relevant, str)
        self._sets = self._given_sets() if given else self._drawn_sets()
        k = self._sets.shape[1]
        every = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
        of_class_1 = RULES[self.rule](every)
        self._values = every[~of_class_1].astype(float), every[of_class_1].astype(float)
        if not len(self._values[0]):
            raise ValueError(f"rule={self.rule!r} needs two relevant features: one is always equal")

    @property
    def names(self) -> None:
        return None

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(range(self.n_features))

    @property
    def n_concepts(self) -> int:
        return len(self._sets)

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        return np.sort(self._sets[concept])

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        columns = self._sets[concept]
        X = bits(rng, rows, self.n_features).astype(np.float64)
        if self.balanced:
            y = alternating(rows)
            for label, values in enumerate(self._values):
                chosen = rng.integers(len(values), size=len(y[label::2]))
                X[label::2, columns] = values[chosen]
        else:
            y = RULES[self.rule](X[:, columns] > 0).astype(np.int64)
        return X, flipped(y, self.noise, rng)

    def _drawn_sets(self) -> NDArray[np.intp]:
        k = self.relevant = whole("relevant", self.relevant, 1, min(self.n_features, MOST_RELEVANT))
        order = self.rng("relevant").permutation(self.n_features)
        concepts = np.arange(self.n_features // gcd(self.n_features, k))
        sets: NDArray[np.intp] = order[(concepts[:, None] * k + np.arange(k)) % self.n_features]
        return sets

    def _given_sets(self) -> NDArray[np.intp]:
        def column(name: str, value: Any) -> int:
            return whole(name, value, 0, self.n_features - 1)

        def columns(name: str, values: Any) -> tuple[int, ...]:
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise ValueError(
                    f"{name} must name columns, as in ((0, 1), (2, 3)), not {values!r}"
                )
            checked = several(name, values, column)
            if len(set(checked)) < len(checked):
                raise ValueError(f"{name} names a column twice: {checked}")
            return checked

        sets = several("relevant", self.relevant, columns)
        if len({len(one) for one in sets}) > 1 or len(sets[0]) > MOST_RELEVANT:
            raise ValueError(
                f"relevant must name equally many columns for each concept, up to {MOST_RELEVANT}"
            )
        return np.array(sets, dtype=np.intp)
