"""A selection, and the rules that make one from scores."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Selection:
    """Some features of a stream, best first, as they stood after `step` rows."""

    indices: NDArray[np.intp]
    scores: NDArray[np.float64]
    names: tuple[str, ...]
    step: int

    def __post_init__(self) -> None:
        for name in ("indices", "scores"):  # a frozen selection has frozen arrays
            array = np.asarray(getattr(self, name)).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.indices)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Selection)
            and self.step == other.step
            and self.names == other.names
            and np.array_equal(self.indices, other.indices)
            and np.array_equal(self.scores, other.scores, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]


def best_first(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Order the features from best to worst; ties by column, undefined scores (NaN) last."""
    return np.argsort(-scores, kind="stable")


def ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rank of each feature; 1 is the best."""
    order = best_first(scores)
    rank = np.empty(len(scores), dtype=np.intp)
    rank[order] = np.arange(1, len(scores) + 1)
    return rank


class Rule(Protocol):
    """Chooses features by their scores. An undefined score (NaN) is never chosen."""

    @property
    def every(self) -> int | None:
        """Rows between the reviews of a rule that remembers its last choice; None: it does not."""

    def choose(self, scores: NDArray[np.float64], held: Collection[int] = ()) -> NDArray[np.intp]:
        """Return the chosen features, best first; `held` is the choice of the last review."""
        ...


@dataclass(frozen=True)
class TopK:
    """The `k` best; fewer when fewer have a score."""

    k: int
    every: ClassVar[None] = None

    def __post_init__(self) -> None:
        require_whole("k", self.k, 1)

    def choose(self, scores: NDArray[np.float64], held: Collection[int] = ()) -> NDArray[np.intp]:
        return best_first(scores)[: min(self.k, int(np.sum(~np.isnan(scores))))]


@dataclass(frozen=True)
class Threshold:
    """All whose score is at least `score`."""

    score: float
    every: ClassVar[None] = None

    def __post_init__(self) -> None:
        number = isinstance(self.score, Real) and not isinstance(self.score, bool)
        if not number or self.score != self.score:
            raise ValueError(f"the threshold must be a number, not {self.score!r}")

    def choose(self, scores: NDArray[np.float64], held: Collection[int] = ()) -> NDArray[np.intp]:
        return best_first(scores)[: int(np.sum(scores >= self.score))]


@dataclass(frozen=True)
class Hysteresis:
    """The `k` best, but a held feature leaves only when it falls below rank `k + slack`.

    The choice is reviewed whenever the number of rows seen passes a multiple of `every`, so
    that it depends on the stream alone: not on its batches, and not on when one looks.
    """

    k: int
    slack: int
    every: int = 1000

    def __post_init__(self) -> None:
        require_whole("k", self.k, 1)
        require_whole("slack", self.slack, 0)
        require_whole("every", self.every, 1)

    def choose(self, scores: NDArray[np.float64], held: Collection[int] = ()) -> NDArray[np.intp]:
        order = best_first(scores)[: int(np.sum(~np.isnan(scores)))]
        stays = np.isin(order[: self.k + self.slack], list(held))
        kept = order[: self.k + self.slack][stays][: self.k]
        newcomers = order[~np.isin(order, kept)][: self.k - len(kept)]
        return order[np.isin(order, np.concatenate([kept, newcomers]))]


RULES: tuple[type[TopK] | type[Threshold] | type[Hysteresis], ...] = (TopK, Threshold, Hysteresis)


def as_rule(k: "int | Rule") -> Rule:
    """Read the parameter `k` of a selector: a whole number or a rule."""
    is_numpy = isinstance(k, (np.generic, np.ndarray))  # whose `choose` is another matter
    if callable(getattr(k, "choose", None)) and not is_numpy and not isinstance(k, type):
        return k  # type: ignore[return-value]
    return TopK(k)  # type: ignore[arg-type]


def require_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not whole or value < least:  # type: ignore[operator]
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def rule_to_state(k: int | Rule) -> Any:
    """Return the parameter `k` of a selector as JSON values."""
    if type(k) in RULES:
        return {"rule": type(k).__name__, **asdict(k)}  # type: ignore[call-overload]
    if isinstance(k, (int, np.integer)):
        return int(k)
    raise ValueError(f"a rule of type {type(k).__name__} cannot be stored in a state file")


def rule_from_state(state: Any) -> int | Rule:
    """Return the parameter `k` that `rule_to_state` was called on."""
    if isinstance(state, int):
        return state
    options = dict(state)
    name = options.pop("rule")
    return {rule.__name__: rule for rule in RULES}[name](**options)
