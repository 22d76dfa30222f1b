"""A summary under a memory: `remember(make, n_features, memory)` counts the rows of any summary and
decides how old ones weigh.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.memory import Fading, Memory, Window
from driftsieve.selection import require_whole
from driftsieve.window import PIECES, Pieces


class Remembered:
    """A summary in which all rows count alike, with the clock that counts them."""

    def __init__(self, make: Callable[[int], Any], n_features: int) -> None:
        self._summary = make(n_features)
        self.rows = 0

    @property
    def summary(self) -> Any:
        """The summary to put questions to."""
        return self._summary

    @property
    def kind(self) -> type:
        """The class of the summary."""
        return type(self._summary)

    @property
    def nbytes(self) -> int:
        """The bytes held."""
        return int(self._summary.nbytes)

    @property
    def most_bytes(self) -> int:
        """The most bytes that can be held after so many rows (of weight 1)."""
        return int(self._summary.most_bytes(self.rows))

    def use_threads(self, n_jobs: int) -> None:
        """Let summaries that can use up to `n_jobs` threads from now on."""
        self._summary.n_jobs = n_jobs

    def use_categories(self, features: NDArray[np.bool_]) -> None:
        """Let a summary that can keep all values of these features apart."""
        self._summary.use_categories(features)

    def update(self, batch: Batch) -> None:
        """Take a batch in; one that is refused changes nothing."""
        self._summary.update(batch)
        self.rows += batch.n_rows

    def merge(self, other: Self) -> None:
        """Take in what `other` remembers, as if its rows came after those seen here."""
        self._summary.merge(other._summary)
        self.rows += other.rows

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        self._summary.rearrange(places, n_features)

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {"rows": self.rows, "summary": self._summary.to_state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `to_state` was called."""
        require_whole("rows seen", state["rows"], 0)
        self.rows = state["rows"]
        summary = type(self._summary).from_state(state["summary"])
        of, should = (getattr(one, "n_features", None) for one in (summary, self._summary))
        if of != should:
            raise ValueError(f"a summary of {of} features instead of {should}")
        self._summary = summary


class Faded(Remembered):
    """A summary whose rows fade, on one clock for all classes and features."""

    def __init__(self, make: Callable[[int], Any], n_features: int, fading: Fading) -> None:
        super().__init__(make, n_features)
        self.fading = fading

    @property
    def most_bytes(self) -> int:
        """The most bytes that can be held: all rows together weigh every / (1 - alpha) at most."""
        alpha, every = self.fading.alpha, self.fading.every
        return int(self._summary.most_bytes(min(self.rows, every / (1 - alpha))))

    def update(self, batch: Batch) -> None:
        """Take a batch in, each row weighed by its age."""
        if batch.n_rows == 0:
            return super().update(batch)
        weights = _row_weights(self.fading, self.rows % self.fading.every, batch.n_rows)
        newest = self.rows + batch.n_rows - 1
        self._summary.update(batch.weighted(weights), self._fade_to(newest))
        self.rows += batch.n_rows
        return None

    def merge(self, other: Self) -> None:
        """Take in what `other` remembers, as if its rows came after those seen here."""
        if not other.rows:
            return
        every = self.fading.every
        if self.rows % every:
            raise ValueError(
                f"the rows seen ({self.rows}) end within a tick of {every} rows, and so the later "
                "ones would have faded at other moments: merge at multiples of `every`"
            )
        self._summary.fade(self._fade_to(self.rows + other.rows - 1))
        super().merge(other)

    def _fade_to(self, newest: int) -> float:
        """Return what becomes of all weights when row `newest` has come."""
        if not self.rows:
            return 1.0
        every = self.fading.every
        return float(self.fading.decay(newest // every - (self.rows - 1) // every))


class Windowed(Remembered):
    """The rows of a window, kept whole, and their summary when somebody asks.

    Exact for every summary: rows leave by being dropped, never by subtraction. Pieces of the
    window that are complete are summarised once and merged; only the rest is summarised anew.
    """

    def __init__(self, make: Callable[..., Any], n_features: int, window: Window) -> None:
        super().__init__(make, n_features)
        self.window = window
        self._make = make
        self._n_features = n_features
        self._pieces = Pieces(window.rows)
        self._fresh = True

    @property
    def summary(self) -> Any:
        """The summary of the rows in the window."""
        if not self._fresh:
            self._summary = self._make(self._n_features)
            for part in self._pieces.summaries(self._make, self._n_features):
                self._summary.merge(part)
            self._fresh = True
        return self._summary

    @property
    def nbytes(self) -> int:
        """The bytes held: the rows, and a summary for each piece of the window."""
        return self._pieces.nbytes + int(self._summary.nbytes)

    @property
    def most_bytes(self) -> int:
        """The most bytes that can be held: the rows, and a summary for each piece and for all."""
        rows = self.window.rows + self._pieces.size
        each = rows * (12 * self._n_features + 64)
        return each + (PIECES + 3) * int(self.summary.most_bytes(rows))

    def use_threads(self, n_jobs: int) -> None:
        """Let summaries that can use up to `n_jobs` threads from now on."""
        self._make = partial(self._make, n_jobs=n_jobs)

    def use_categories(self, features: NDArray[np.bool_]) -> None:
        """Let summaries that can keep all values of these features apart."""
        self._make = partial(self._make, categories=features)
        self._fresh = False

    def update(self, batch: Batch) -> None:
        """Take a batch in."""
        # An empty summary refuses what a summary would refuse; then the rows may be kept.
        self._make(self._n_features).update(batch.take(slice(0, 0)))
        batch.refuse_infinities()
        self._pieces.append(batch)
        self.rows += batch.n_rows
        self._fresh = False

    def merge(self, other: Self) -> None:
        """Take in the rows that `other` keeps, as if they came after those seen here."""
        self._pieces.extend(other._pieces)
        self.rows += other.rows
        self._fresh = False

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others are missing in the rows."""
        self._n_features = n_features
        self._pieces.rearrange(places, n_features)
        self._fresh = False

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {"rows": self.rows, "n_features": self._n_features, **self._pieces.to_state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `to_state` was called."""
        require_whole("rows seen", state["rows"], 0)
        self.rows = state["rows"]
        if state["n_features"] != self._n_features:
            raise ValueError(
                f"a window of {state['n_features']} features instead of {self._n_features}"
            )
        self._pieces.restore(state, self._n_features)
        self._fresh = False


@lru_cache(maxsize=2)  # batches tend to have equal lengths
def _row_weights(fading: Fading, start: int, rows: int) -> NDArray[np.float64] | None:
    """Return the weights that rows start, start + 1, ... have when the last has come.

    None if they are all 1. Only `start` modulo `every` matters.
    """
    ticks = np.arange(start, start + rows) // fading.every
    if ticks[0] == ticks[-1]:
        return None
    weights: NDArray[np.float64] = fading.decay(ticks[-1] - ticks)
    weights.flags.writeable = False
    return weights


def remember(make: Callable[[int], Any], n_features: int, memory: Memory) -> Remembered:
    """Return a new summary of `n_features` features, `make(n_features)`, under a memory."""
    if memory is None or (isinstance(memory, Fading) and memory.alpha == 1):
        return Remembered(make, n_features)
    if isinstance(memory, Fading):
        return Faded(make, n_features, memory)
    if isinstance(memory, Window):
        return Windowed(make, n_features, memory)
    raise ValueError(f"memory must be None, a Fading or a Window, not {memory!r}")
