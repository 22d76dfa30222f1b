"""The scores by name, each with the summary that feeds it."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

import numpy as np
from numpy.typing import NDArray

ScoreFunction = Callable[..., NDArray[np.float64]]


@dataclass(frozen=True)
class Registered:
    """A score, as selectors look it up."""

    name: str
    function: ScoreFunction
    summary: type
    """What the score reads: a summary, or what several of them have in common."""
    larger_is_better: bool = True
    affine_invariant: bool = True
    """Whether the score stays as it is when a feature is shifted or scaled."""
    mirror_invariant: bool = True
    """Whether it stays as it is when a feature changes its sign."""
    raw: ScoreFunction | None = None
    """What the literature calls the score, where that is not the same."""
    pvalue: ScoreFunction | None = None
    """How likely such a score is for a feature that does not matter, where that is known."""
    threshold: ScoreFunction | None = None
    """Where the split is that the score is the worth of, where it is that of a split."""

    def __call__(self, summary: Any, **options: Any) -> NDArray[np.float64]:
        """Return the score turned so that larger is better."""
        score = self._asked(self.function, summary, options)
        return score if self.larger_is_better else -score

    def raw_of(self, summary: Any, **options: Any) -> NDArray[np.float64]:
        """Return the score as the literature has it."""
        return self._asked(self.raw or self.function, summary, options)

    def pvalue_of(self, summary: Any, **options: Any) -> NDArray[np.float64]:
        """Return the p-value of each feature."""
        if self.pvalue is None:
            raise AttributeError(f"the score {self.name!r} has no p-values")
        return self._asked(self.pvalue, summary, options)

    def threshold_of(self, summary: Any, **options: Any) -> NDArray[np.float64]:
        """Return the value at which each feature is split."""
        if self.threshold is None:
            raise AttributeError(f"the score {self.name!r} has no thresholds")
        return self._asked(self.threshold, summary, options)

    def _asked(self, function: ScoreFunction, summary: Any, options: Any) -> NDArray[np.float64]:
        """Call a function with those of the options that it takes."""
        taken = signature(function).parameters
        return function(summary, **{name: options[name] for name in options if name in taken})


SCORES: dict[str, Registered] = {}


def register(name: str, summary: type, **traits: Any) -> Callable[[ScoreFunction], ScoreFunction]:
    """Enter a score function under a name, with the summary that it reads.

    `traits` are the further fields of `Registered`. A parameter of the function that bears the name
    of one of the selector's is passed on.
    """

    def enter(function: ScoreFunction) -> ScoreFunction:
        SCORES[name] = Registered(name, function, summary, **traits)
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
