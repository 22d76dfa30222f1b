"""How the past is forgotten. Time is counted in rows, so batching never matters.

- `None`: all rows count alike.
- `Fading(alpha, every=m)`: row i of n weighs alpha ** (n // m - i // m), both counted from 0 and
  n the newest row: the newest row weighs 1, and each time m rows have gone by, all that came
  before fades by alpha.
- `Window(rows)`: the last `rows` rows count alike, older ones not at all.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np


@dataclass(frozen=True)
class Fading:
    """Each time `every` rows have gone by, all earlier rows weigh `alpha` times less."""

    alpha: float
    every: int = 1

    def __post_init__(self) -> None:
        number = isinstance(self.alpha, Real) and not isinstance(self.alpha, bool)
        if not number or not 0 < self.alpha <= 1:
            raise ValueError(
                f"alpha must lie above 0 and at most at 1, not {self.alpha!r}: "
                "1 forgets nothing, 0.999 remembers about 1,000 rows"
            )
        _require_rows("every", self.every)

    @classmethod
    def half_life(cls, rows: float) -> Self:
        """Let a row count half when it is `rows` rows old."""
        if not isinstance(rows, Real) or not 0 < rows < float("inf"):
            raise ValueError(f"a half-life is a positive number of rows, not {rows!r}")
        return cls(0.5 ** (1.0 / float(rows)))

    @classmethod
    def for_drift(cls, rows: float) -> Self:
        """Fade for a stream in which features that matter go on mattering for about `rows` rows.

        Where everything changes at once, that is from one change to the next; where features are
        replaced one by one, it is how long each of them lasts: 200,000 rows if of 100 features one
        is replaced every 2,000.

        The half-life is a tenth of that: a tenth of the way on, what is new outweighs all that was
        before, and the rows remembered are as many as can be without mixing in much of the past.
        In the setting of Wang & Barbu (2021), Figure 2, a tenth is about the best at all rates of
        drift (bench/papers/screening/figure2.py).
        """
        return cls.half_life(rows / 10 if isinstance(rows, Real) else rows)

    def decay(self, ticks: Any) -> Any:
        """Return the weight of what is `ticks` ticks old."""
        return np.power(float(self.alpha), ticks)


@dataclass(frozen=True)
class Window:
    """Only the last `rows` rows count."""

    rows: int

    def __post_init__(self) -> None:
        _require_rows("rows", self.rows)


Memory = Fading | Window | None


def memory_to_state(memory: Memory) -> dict[str, Any] | None:
    """Return a memory as JSON values."""
    if memory is None:
        return None
    if isinstance(memory, Fading):
        return {"fading": float(memory.alpha), "every": int(memory.every)}
    return {"window": int(memory.rows)}


def memory_from_state(state: dict[str, Any] | None) -> Memory:
    """Return the memory that `memory_to_state` was called on."""
    if state is None:
        return None
    if "fading" in state:
        return Fading(state["fading"], state["every"])
    return Window(state["window"])


def _require_rows(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number of rows, at least 1, not {value!r}")
