"""The synthetic streams by name, as the command line knows them."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from driftsieve.contracts import Source
from driftsieve.streams.agrawal import Agrawal
from driftsieve.streams.assets import Assets
from driftsieve.streams.binary import BinaryGenerator
from driftsieve.streams.conditional import Conditional
from driftsieve.streams.hyperplane import Hyperplane
from driftsieve.streams.led import LED
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.random_tree import RandomTree
from driftsieve.streams.rbf import RandomRBF
from driftsieve.streams.sea import SEA

LONG: dict[str, Any] = {"n_rows": 500_000}
GRADUAL: dict[str, Any] = {**LONG, "drift_every": 200_000, "width": 1_000}
BG: dict[str, Any] = {**GRADUAL, "n_features": 18}
FY_A: dict[str, Any] = {**LONG, "n_relevant": 10, "n_classes": 4, "n_divisions": 5, "noise": 0.1}
FY_B: dict[str, Any] = {**FY_A, "n_irrelevant": 50}
FY_D: dict[str, Any] = {**FY_B, "n_classes": 10, "n_values": 25, "n_divisions": 25}

ISS: dict[str, Callable[..., Source]] = {
    "agrawal": partial(Agrawal, functions=(1, 4, 8), balanced=True, perturbation=0.05, **GRADUAL),
    "assets": partial(Assets, functions=(1, 3, 2), **GRADUAL),
    "bg": partial(
        BinaryGenerator, relevant=((0, 1, 2), (4, 5, 6), (0, 1, 4)), balanced=True, **GRADUAL
    ),
    "bg2": partial(BinaryGenerator, rule="majority", **BG),
    "bg3": partial(BinaryGenerator, rule="equal", **BG),
    "conditional": partial(Conditional, drift_every=200_000, **LONG),
    "fy-a": partial(Conditional, **FY_A),
    "fy-b": partial(Conditional, **FY_B),
    "fy-c": partial(Conditional, drift_every=250_000, **{**FY_D, "n_relevant": 3}),
    "fy-d": partial(Conditional, drift_every=200_000, **FY_D),
    "fy-a-drift": partial(Conditional, drift_every=250_000, **FY_A),
    "fy-b-drift": partial(Conditional, drift_every=250_000, **FY_B),
    "led": partial(LED, **{**GRADUAL, "drift_every": 250_000}),
    "sea": partial(SEA, n_features=12, thresholds=(5.0, 9.0, 7.0, 9.5), **GRADUAL),
}
"""The fourteen streams of Yuan, Pfahringer & Barddal (2018), Iterative subset selection for feature
drifting data streams, section 6, with their drifts. The paper says of FY A and B alone that a tenth
of the rows is noise; FY C and D are taken to be like them, and CONDITIONAL to have none."""

GENERATORS: dict[str, Callable[..., Source]] = {
    **ISS,
    "hyperplane": Hyperplane,
    "linear": DriftingLinear,
    "rbf": RandomRBF,
    "tree": RandomTree,
}
"""Whatever makes a source from options alone: a class, or a function that wraps several."""


def generator_names() -> list[str]:
    return sorted(GENERATORS)


def generator(name: str, **options: Any) -> Source:
    """Make the synthetic stream of this name; the options are those of its class."""
    make = GENERATORS.get(name)
    if make is None:
        raise ValueError(
            f"there is no generator {name!r}: choose one of {', '.join(generator_names())}"
        )
    known = [option for option in signature(make).parameters if not option.startswith("_")]
    for option in options:
        if option not in known:
            raise ValueError(
                f"the generator {name!r} has no option {option!r}: it has {', '.join(known)}"
            )
    return make(**options)
