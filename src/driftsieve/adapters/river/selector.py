"""A driftsieve selector in a river pipeline."""

import copy
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from river import base
from sklearn.exceptions import NotFittedError

from driftsieve.adapters.river.rows import Keys, name_of, numbers
from driftsieve.batch import Batch, dense
from driftsieve.border import as_batch, as_labels

MOST_ROWS_HELD = 256
MOST_VALUES_HELD = 2**17
"""Rows wait to be learnt together, because a batch of one costs about as much as one of a hundred.
A row of 5,000 features shares its batch with 25 others; what waits takes about 1 MB (or a row).
"""


class Row(NamedTuple):
    """A row that waits to be learnt."""

    places: NDArray[np.intp]
    values: NDArray[Any]
    label: Any


class RiverSelector(base.SupervisedTransformer, base.MiniBatchSupervisedTransformer):
    """A driftsieve selector in a river pipeline.

    `transform_one` and `transform_many` keep the selected features, unchanged and in the order
    in which they come; all of them before the first review of the selection. Features may come
    and go; one that is absent, None or NaN is not updated. Keys that are not strings go by
    `str(key)`.

    Parameters
    ----------
    selector
        A driftsieve selector. A copy of it learns, so that clones start afresh; one that has
        already learnt (`driftsieve.load`) goes on from there, and so do clones.
    refresh
        Rows between reviews of the selection. 1: it is always that of all rows learnt so far,
        which costs a scoring of all features per row. 100: it is the one after the last full
        hundred, and a row costs a fraction of that. Either way the same is learnt, and the
        answers depend neither on when one asks nor on batches.

    Examples
    --------
    >>> from driftsieve import Screening
    >>> from driftsieve.adapters.river import RiverSelector
    >>> sieve = RiverSelector(Screening("t", k=1))
    >>> for i in range(20):
    ...     sieve.learn_one({"noise": i % 3, "signal": i % 2 + i / 100}, i % 2 == 1)
    >>> sieve.transform_one({"noise": 1, "signal": 2, "new": 3})
    {'signal': 2}
    """

    def __init__(self, selector: Any, refresh: int = 1) -> None:
        if not callable(getattr(selector, "learn", None)) or isinstance(selector, type):
            raise TypeError(
                f"{selector!r} is not a driftsieve selector such as Screening(k=10): "
                "it has no method `learn`"
            )
        if isinstance(refresh, bool) or not isinstance(refresh, int) or refresh < 1:
            raise ValueError(f"refresh must be a whole number of rows, at least 1, not {refresh!r}")
        self.selector = selector
        self.refresh = refresh
        self._selector = _with_open_columns(selector)
        self._keys = Keys(getattr(self._selector, "feature_names_in_", ()))
        self._held: list[Row] = []
        self._rows = 0
        self._selected: frozenset[str] | None = None
        self._selection_is_due = hasattr(self._selector, "n_features_in_")

    @property
    def learnt(self) -> Any:
        """The selector, up to date: for its `scores_` and `selection_`, or to `save`."""
        self._review()  # what is learnt beyond the last review must not show before the next
        self._learn_held(len(self._held))
        return self._selector

    def learn_one(self, x: Mapping[Hashable, Any], y: Any) -> None:  # type: ignore[override]
        """Learn a row. One that is refused changes nothing."""
        values = numbers(x)
        as_labels([y], 1)
        self._held.append(Row(self._keys.places(x), values, y))
        self._rows += 1
        room = min(MOST_ROWS_HELD, MOST_VALUES_HELD // max(1, len(self._keys.names)))
        if len(self._held) >= max(room, self.refresh):
            self._learn_due()

    def transform_one(self, x: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
        """Keep the selected ones of the features in `x`."""
        selected = self._review()
        if selected is None:
            return dict(x)
        return {key: value for key, value in x.items() if name_of(key) in selected}

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a pandas or polars frame. One that is refused changes nothing."""
        batch = as_batch(X, y, names=map(name_of, X.columns))
        batch.refuse_infinities()
        batch = batch.replace(X=dense(batch.X))
        if batch.y is None:
            raise ValueError("y is missing: a selector learns from labelled rows")
        places = self._keys.places(X.columns)
        seen = self._rows + len(batch)
        due = max(0, len(batch) - seen % self.refresh)
        if due:
            self._learn_held(len(self._held))
            self._learn(batch.take(slice(0, due)), places)
            self._selection_is_due = True
        # What comes after the last review waits for the next one, as single rows do.
        rest = zip(np.array(batch.X[due:]), batch.y[due:])
        self._held += [Row(places, values, label) for values, label in rest]
        self._rows = seen

    def transform_many(self, X: Any) -> Any:
        """Keep the selected columns of a frame. (A polars frame without columns has no rows.)"""
        selected = self._review()
        columns = [key for key in X.columns if selected is None or name_of(key) in selected]
        return X.select(columns) if hasattr(X, "select") else X[columns]

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from driftsieve.selectors.screening import Screening

        yield {"selector": Screening("t", k=3)}

    def _review(self) -> frozenset[str] | None:
        """Return the names to keep: those selected after the last full `refresh` rows."""
        self._learn_due()
        if self._selection_is_due:
            with suppress(NotFittedError):  # no row had any feature
                self._selected = frozenset(self._selector.selection_.names)
            self._selection_is_due = False
        return self._selected

    def _learn_due(self) -> None:
        due = len(self._held) - self._rows % self.refresh
        if due > 0:
            self._learn_held(due)
            self._selection_is_due = True

    def _learn_held(self, count: int) -> None:
        """Learn the first rows of those held."""
        rows, self._held = self._held[:count], self._held[count:]
        with suppress(Exception):
            self._learn_rows(rows)
            return
        # The selector refuses one of them: that one alone is dropped, and the reason raised.
        self._held = rows + self._held
        for _ in rows:
            self._learn_rows([self._held.pop(0)])

    def _learn_rows(self, rows: list[Row]) -> None:
        if rows:
            X = np.full((len(rows), len(self._keys.names)), np.nan)
            for row, values in zip(rows, X):
                values[row.places] = row.values
            y = [row.label for row in rows]
            self._learn(as_batch(X, y), np.arange(X.shape[1]))

    def _learn(self, batch: Batch, places: NDArray[np.intp]) -> None:
        """Learn a batch of which column j belongs to `places[j]`."""
        names = self._keys.names
        if not names:
            return  # rows without any feature teach nothing
        if not np.array_equal(places, np.arange(len(names))):
            batch = batch.spread(places, len(names))
        self._selector.learn(batch.replace(names=names))


def _with_open_columns(selector: Any) -> Any:
    """Return a copy of a selector whose columns may come and go."""
    selector = copy.deepcopy(selector)
    if selector.features != "open":
        if hasattr(selector, "n_features_in_"):
            raise ValueError(
                'this selector has learnt with features="closed", but the features of a river '
                'stream come and go: make it with features="open"'
            )
        selector.set_params(features="open")
    return selector
