"""Which summary a selector keeps: by its name, or by its name and its options."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from driftsieve.summaries.counts import Counts
from driftsieve.summaries.quantiles import Quantiles

SUMMARIES: dict[str, str] = {
    "moments": "driftsieve.summaries.moments:Moments",
    "quantiles": "driftsieve.summaries.quantiles:Quantiles",
    "levels": "driftsieve.summaries.levels:LevelQuantiles",
    "exponential": "driftsieve.summaries.samplers:ExponentialFrequency",
    "equal_frequency": "driftsieve.summaries.samplers:EqualFrequency",
    "equal_width": "driftsieve.summaries.equal_width:EqualWidth",
    "exact": "driftsieve.summaries.exact:Exact",
}
"""The summaries by name, each as module:class. A class is imported when chosen."""

NOT_OPTIONS = ("n_features", "n_jobs", "categories")
"""What selectors see to."""


@dataclass(frozen=True, init=False)
class Keep:
    """A summary by its name, with options: `Keep("equal_width", bins=100)`.

    A name alone stands for the summary with its defaults.
    """

    name: str
    options: tuple[tuple[str, Any], ...]

    def __init__(self, name: str, **options: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", tuple(sorted(options.items())))

    def __repr__(self) -> str:
        options = (f", {name}={value!r}" for name, value in self.options)
        return f"Keep({self.name!r}{''.join(options)})"


def summary_class(name: Any) -> type:
    """Return the class of the summary of that name."""
    if not isinstance(name, str) or name not in SUMMARIES:
        known = ", ".join(["auto", *SUMMARIES])
        raise ValueError(f"there is no summary {name!r}: the summaries are {known}")
    module, _, kind = SUMMARIES[name].partition(":")
    found: type = getattr(import_module(module), kind)
    return found


def recommended(reads: type) -> type:
    """Return the summary that "auto" stands for, given what a score reads.

    `docs/summaries.md` shows why: no other one is as exact in as many bytes, whatever order the
    rows come in.
    """
    return Quantiles if reads is Counts else reads


def chosen_class(wish: Any, reads: type) -> type:
    """Return the class of the summary that somebody wishes for, given what a score reads."""
    name = wish.name if isinstance(wish, Keep) else wish
    return recommended(reads) if isinstance(name, str) and name == "auto" else summary_class(name)


def chosen(wish: Any, reads: type, score: str, epsilon: float | None = None) -> Callable[..., Any]:
    """Return what makes the summary that somebody wishes for: "auto", a name or a `Keep`.

    It has to be such that a score can read it. `epsilon` is that of quantile summaries, unless a
    `Keep` has another one.
    """
    keep = wish if isinstance(wish, Keep) else Keep(wish)
    kind = chosen_class(keep, reads)
    if not issubclass(kind, reads):
        raise ValueError(f"the score {score!r} cannot be had from {keep.name!r}")
    known = [name for name in signature(kind).parameters if name not in NOT_OPTIONS]
    own = dict(keep.options)
    odd = next((name for name in own if name not in known), None)
    if odd is not None:
        has = f"has {', '.join(known)}" if known else "has none"
        raise ValueError(f"the summary {keep.name!r} has no option {odd!r}: it {has}")
    if issubclass(kind, Quantiles) and "epsilon" in known:
        own = {"epsilon": epsilon} | own
    return partial(kind, **own) if own else kind


def to_state(wish: Any) -> Any:
    """Return the wish for a summary as JSON values."""
    if isinstance(wish, Keep):
        return {"name": wish.name, "options": dict(wish.options)}
    return wish


def from_state(state: Any) -> Any:
    """Undo `to_state`."""
    return Keep(state["name"], **state["options"]) if isinstance(state, dict) else state
