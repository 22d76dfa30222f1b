"""The ASSETS stream: an agent that takes an interest in assets, for three reasons in turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.checks import number, several, whole
from driftsieve.streams.concepts import Drifting, alternating, flipped

AMOUNTS = ("very_low", "low", "normal", "high", "very_high", "quite_high", "enormous")
CATEGORIES = {
    "color": ("black", "blue", "cyan", "brown", "red", "green", "yellow", "magenta"),
    "price": (*AMOUNTS, "non_salable"),
    "payment": ("0", "30", "60", "90", "120", "150", "180", "210", "240"),
    "amount": (*AMOUNTS, "non_ensured"),
    "delivery_delay": AMOUNTS[:5],
}
"""The features and what their codes mean, from 0 on."""
SIZES = tuple(map(len, CATEGORIES.values()))

Columns: TypeAlias = dict[str, NDArray[np.intp]]


@dataclass(kw_only=True, eq=False)
class Assets(Drifting):
    """Five nominal features of an asset, and whether an agent is interested in it (class 1).

    Enembreck, Ávila, Scalabrin & Barthès (2007), Learning drifting negotiations; AssetNegotiation
    in MOA. There are three concepts: an asset is interesting if

    1. its price is normal and its amount high, or it is brown, of a very low price and of a high
       delay of delivery;
    2. its price is high, its amount very high and its delay high;
    3. its price is very low, its payment 0 and its amount high, or it is red, of a low price and
       a payment of 30.

    The classes alternate, and within each all assets are equally likely; then each label is the
    other one with probability `noise`. Concept i is number i of `functions`. Features hold codes,
    whose meanings are in `CATEGORIES`.
    """

    functions: int | Sequence[int] = 1
    noise: float = 0.05

    _functions: tuple[int, ...] = field(init=False, repr=False)
    _assets: dict[int, tuple[NDArray[np.intp], ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._functions = several(
            "functions", self.functions, lambda name, one: whole(name, one, 1, len(FUNCTIONS))
        )
        self.noise = number("noise", self.noise, 0, 1)
        every = dict(zip(CATEGORIES, np.indices(SIZES), strict=True))
        interesting = {one: FUNCTIONS[one - 1][0](every).ravel() for one in self._functions}
        self._assets = {
            one: (np.flatnonzero(~wanted), np.flatnonzero(wanted))
            for one, wanted in interesting.items()
        }

    @property
    def n_features(self) -> int:
        return len(CATEGORIES)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(CATEGORIES)

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(range(len(CATEGORIES)))

    @property
    def n_concepts(self) -> int:
        return len(self._functions)

    def relevant_in(self, concept: int) -> NDArray[np.intp]:
        return np.array(FUNCTIONS[self._functions[concept] - 1][1])

    def sample(
        self, concept: int, rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        y = alternating(rows)
        chosen = np.empty(rows, dtype=np.intp)
        for label, assets in enumerate(self._assets[self._functions[concept]]):
            chosen[label::2] = assets[rng.integers(len(assets), size=len(y[label::2]))]
        X = np.stack(np.unravel_index(chosen, SIZES), axis=1).astype(np.float64)
        return X, flipped(y, self.noise, rng)


def _are(asset: Columns, **wanted: str) -> NDArray[np.bool_]:
    """Tell which assets have all of these categories."""
    fits = [asset[name] == CATEGORIES[name].index(value) for name, value in wanted.items()]
    together: NDArray[np.bool_] = np.logical_and.reduce(fits)
    return together


def _function_1(asset: Columns) -> NDArray[np.bool_]:
    usual = _are(asset, price="normal", amount="high")
    return usual | _are(asset, color="brown", price="very_low", delivery_delay="high")


def _function_2(asset: Columns) -> NDArray[np.bool_]:
    return _are(asset, price="high", amount="very_high", delivery_delay="high")


def _function_3(asset: Columns) -> NDArray[np.bool_]:
    free = _are(asset, price="very_low", payment="0", amount="high")
    return free | _are(asset, color="red", price="low", payment="30")


FUNCTIONS: tuple[tuple[Callable[[Columns], NDArray[np.bool_]], tuple[int, ...]], ...] = (
    (_function_1, (0, 1, 3, 4)),
    (_function_2, (1, 3, 4)),
    (_function_3, (0, 1, 2, 3)),
)
"""What is interesting, and the features that decide it."""
