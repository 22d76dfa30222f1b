"""What is timed in Tables 2 and 3: from rows to the class counts of all bins, one thread."""

from collections.abc import Callable
from typing import Any

from driftsieve import Screening

LARGE_ROWS = 20_000
"""So many rows of the larger data sets: fed one by one, all of them would take very long."""


def minibatches(X: Any, y: Any, size: int) -> list[tuple[Any, Any]]:
    """Return the rows in minibatches; that is not timed."""
    return [(X[i : i + size], y[i : i + size]) for i in range(0, X.shape[0], size)]


def online(batches: list[tuple[Any, Any]], epsilon: float, summary: str) -> Callable[[], Screening]:
    """Return what takes in the minibatches and counts the classes in all bins."""

    def run() -> Screening:
        sieve = Screening("chi2", epsilon=epsilon, summary=summary)
        for X, y in batches:
            sieve.partial_fit(X, y)
        _ = sieve.tables_
        return sieve

    return run
