"""How much of the truth a selection finds, and how soon after a drift, where the truth is known."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from driftsieve.streams.truth import Truth


def recall_and_precision(
    selected: NDArray[np.intp], relevant: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the share of the relevant features that is selected, and of the selected ones that is
    relevant: NaN where there are none.

    Where fewer are selected than are relevant, recall cannot reach 1, but precision can.
    """
    found, known = int(relevant[selected].sum()), int(relevant.sum())
    recall = found / known if known else np.nan
    return recall, found / len(selected) if len(selected) else np.nan


def detection_lags(
    points: Sequence[int],
    truth: Truth,
    selections: Sequence[tuple[int, NDArray[np.intp]]],
    share: float,
) -> list[int | None]:
    """Return for each drift point how many rows later the drift had been found.

    A drift is found when `share` of the features that became relevant are selected, of as many of
    them as fit: those that stayed relevant leave so much less room. "Fit" goes by the largest
    selection of all. `selections` are (rows seen, columns), and one counts for a drift if it was
    made of rows up to the next. None: not found before the next drift or the end, or nothing to
    be found, because nothing became relevant that would fit.

    Around a gradual drift the relevant features differ from row to row; what counts are those that
    are relevant to most rows between two points.
    """
    room = max((len(columns) for _, columns in selections), default=0)
    edges = [0, *points, truth.n_rows]
    sets = [_most_common(truth, start, stop) for start, stop in pairwise(edges)]
    rows = [row for row, _ in selections]
    lags: list[int | None] = []
    for point, stop, old, new in zip(points, edges[2:], sets, sets[1:], strict=False):
        fit = min(len(new - old), room - len(new & old))
        first, last = np.searchsorted(rows, (point, stop), side="right")
        found = (
            row - point
            for row, columns in selections[first:last]
            if len((new - old).intersection(columns.tolist())) >= ceil(share * fit - 1e-9)
        )
        lags.append(next(found, None) if fit > 0 else None)
    return lags


def _most_common(truth: Truth, start: int, stop: int) -> frozenset[int]:
    """Return the features that are relevant to most of the rows from `start` up to `stop`."""
    if start >= stop:
        return frozenset()
    first_rows, numbers = np.array(truth.changes, dtype=np.intp).T
    low, high = np.searchsorted(first_rows, (start, stop - 1), side="right")
    edges = np.concatenate([[start], first_rows[low:high], [stop]])
    rows = np.bincount(numbers[low - 1 : high], np.diff(edges))
    return frozenset(truth.sets[int(rows.argmax())])
