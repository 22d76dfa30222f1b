"""Which features are known to matter for which rows: the truth about a synthetic stream, kept."""

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch


@dataclass(frozen=True)
class Truth:
    """The relevant features of each row: sets of features, and the rows from which each holds."""

    n_rows: int
    n_features: int
    sets: tuple[tuple[int, ...], ...]
    """The different sets of relevant features, each ascending."""
    changes: tuple[tuple[int, int], ...]
    """(row, number of the set that holds from there on), ascending, from row 0."""
    points: tuple[int, ...] | None = None
    """Where the stream drifts, if it says so: around a gradual drift there are many changes."""

    @property
    def drift_points(self) -> Sequence[int]:
        if self.points is not None:
            return self.points
        return tuple(row for row, _ in self.changes[1:])

    def relevant_at(self, row: int) -> NDArray[np.intp]:
        return np.flatnonzero(self.mask(row, row + 1)[0])

    def mask(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Return rows by features: which features matter, for rows from `start` up to `stop`."""
        if not 0 <= start < stop <= self.n_rows:
            raise ValueError(f"the truth is known of {self.n_rows} rows, not of {start} to {stop}")
        members = np.zeros((len(self.sets), self.n_features), dtype=bool)
        for line, features in zip(members, self.sets, strict=True):
            line[list(features)] = True
        rows, sets = np.array(self.changes).T
        low, high = np.searchsorted(rows, (start, stop - 1), side="right") - 1
        if low == high:
            return np.broadcast_to(members[sets[low]], (stop - start, self.n_features))
        edges = np.concatenate([[start], rows[low + 1 : high + 1], [stop]])
        return np.repeat(members[sets[low : high + 1]], np.diff(edges), axis=0)

    def to_json(self) -> str:
        known: dict[str, Any] = {
            "rows": self.n_rows,
            "features": self.n_features,
            "sets": self.sets,
            "changes": self.changes,
        }
        if self.points is not None:
            known["drifts"] = self.points
        return json.dumps(known, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Truth":
        """Read what `to_json` wrote; anything else is a ValueError."""
        try:
            raw: dict[str, Any] = json.loads(text)
            truth = cls(
                n_rows=int(raw["rows"]),
                n_features=int(raw["features"]),
                sets=tuple(tuple(map(int, features)) for features in raw["sets"]),
                changes=tuple((int(row), int(number)) for row, number in raw["changes"]),
                points=None if raw.get("drifts") is None else tuple(map(int, raw["drifts"])),
            )
            truth._check()
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"the true relevance in the file cannot be read ({error})") from None
        return truth

    def _check(self) -> None:
        rows = [row for row, _ in self.changes]
        if not rows or rows[0] != 0 or any(np.diff(rows) <= 0) or rows[-1] >= self.n_rows:
            raise ValueError("its changes do not ascend from row 0")
        points = [0, *(self.points or ())]
        if any(np.diff(points) <= 0) or points[-1] >= self.n_rows:
            raise ValueError("its drifts do not ascend within its rows")
        if not all(0 <= number < len(self.sets) for _, number in self.changes):
            raise ValueError("a change names a set that is not there")
        if not all(0 <= j < self.n_features for features in self.sets for j in features):
            raise ValueError("a set names a feature that is not there")


class TruthLog:
    """Takes note of the relevant features of a stream while it flows by."""

    def __init__(self) -> None:
        self._rows = 0
        self._n_features = 0
        self._numbers: dict[tuple[int, ...], int] = {}
        self._changes: list[tuple[int, int]] = []
        self._last: NDArray[np.bool_] | None = None
        self._complete = True

    def note(self, batch: Batch) -> None:
        relevant = batch.relevant
        if relevant is None:
            self._complete = False
        if relevant is None or not self._complete or not batch.n_rows:
            return
        if relevant.strides[0] == 0:  # one line stands for all rows
            relevant = relevant[:1]
        changed = np.ones(len(relevant), dtype=bool)
        changed[1:] = (relevant[1:] != relevant[:-1]).any(axis=1)
        if self._last is not None:
            changed[0] = (relevant[0] != self._last).any()
        for i in np.flatnonzero(changed):
            features = tuple(np.flatnonzero(relevant[i]).tolist())
            number = self._numbers.setdefault(features, len(self._numbers))
            self._changes.append((self._rows + int(i), number))
        self._last = relevant[-1].copy()
        self._n_features = batch.n_features
        self._rows += batch.n_rows

    def changes_before(self, row: int) -> int | None:
        """Return how often what is relevant had changed before a row, of the rows seen; None if
        it was not known of each of them."""
        if not self._complete or self._last is None:
            return None
        return bisect_left(self._changes, row, lo=1, key=itemgetter(0)) - 1

    def truth(self, before: int = 0) -> Truth | None:
        """Return the truth about all rows seen, or None if it was not known of each of them.

        `before` rows of the stream went by unseen: what held at the first row seen is taken to
        have held there.
        """
        if not self._complete or self._last is None:
            return None
        changes = [(row + before if row else 0, number) for row, number in self._changes]
        return Truth(before + self._rows, self._n_features, tuple(self._numbers), tuple(changes))
