"""The synthetic streams by name, as the command line knows them."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from driftsieve.contracts import Source
from driftsieve.streams.linear import DriftingLinear
from driftsieve.streams.random_tree import RandomTree
from driftsieve.streams.rbf import RandomRBF

GENERATORS: dict[str, Callable[..., Source]] = {
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
