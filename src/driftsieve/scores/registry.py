"""The scores by name, each with the summary that feeds it."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Registered:
    """A score, as selectors look it up."""

    name: str
    function: Callable[[Any], NDArray[np.float64]]
    summary: type
    larger_is_better: bool = True
    affine_invariant: bool = True
    """Whether the score stays as it is when a feature is shifted or scaled."""

    def __call__(self, summary: Any) -> NDArray[np.float64]:
        """Return the score turned so that larger is better."""
        raw = self.function(summary)
        return raw if self.larger_is_better else -raw


SCORES: dict[str, Registered] = {}


def register(
    name: str, summary: type, *, larger_is_better: bool = True, affine_invariant: bool = True
) -> Callable[[Callable[[Any], NDArray[np.float64]]], Callable[[Any], NDArray[np.float64]]]:
    """Enter a score function under a name, with the summary that it reads."""

    def enter(
        function: Callable[[Any], NDArray[np.float64]],
    ) -> Callable[[Any], NDArray[np.float64]]:
        SCORES[name] = Registered(name, function, summary, larger_is_better, affine_invariant)
        return function

    return enter


def score_named(name: str) -> Registered:
    """Look a score up."""
    if name not in list(SCORES):
        for module in iter_modules(import_module("driftsieve.scores").__path__):
            import_module(f"driftsieve.scores.{module.name}")  # which registers its scores
    if not isinstance(name, str) or name not in SCORES:
        known = ", ".join(sorted(SCORES))
        raise ValueError(f"there is no score {name!r}: the scores are {known}")
    return SCORES[name]
