"""What all selectors share: the scikit-learn estimator around a method that scores features.

A selector says how it begins, learns from an aligned batch and scores; columns and their names,
selection rules, the transform, merging and state files are here.
"""

import copy
import os
from abc import abstractmethod
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.selection import Selection, as_rule, ranks, require_whole
from driftsieve.selectors.columns import Columns, is_plain
from driftsieve.selectors.learnt import Learnt, comparable
from driftsieve.state import save_state
from driftsieve.state_values import require_within

KINDS: dict[str, type["StreamSelector"]] = {}
"""The selectors that a state file may hold, by the name of their class."""


class StreamSelector(Learnt, SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the selectors. A subclass has parameters `k` and `features`, and the methods that
    end this class."""

    k: Any
    features: str
    _columns: Columns

    # What a selector says of itself, for the laws (driftsieve.testing) to hold it to.
    affine_invariant: Any = True  # whether scores stay as they are when a column moves or grows
    mirror_invariant: Any = True  # ... or changes its sign
    takes_numbers: Any = False  # whether y holds numbers; else, labels of classes
    takes_missing: bool = True  # whether cells may be NaN; else, `_learn` refuses them
    whole_weights: bool = (
        False  # whether weights are numbers of rows; else, `_learn` refuses others
    )
    merges: bool = True  # whether two can be merged that have both learnt; else, `_merge` says why
    in_steps: bool = False  # whether it learns from `step` rows at a time, in their order
    draws: Any = False  # whether it draws random numbers for one column after another
    answers_within: Any = 0.0  # how far scores may lie apart where rows were merged or weighted

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        KINDS[cls.__name__] = cls

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget everything, then learn from these rows."""
        batch = self._batch(X, y, sample_weight)
        if batch.n_rows == 0:
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required.")
        if batch.weight is not None and not batch.weight.any():
            raise ValueError("all sample weights are zero: there is nothing to learn from")
        with self._all_or_nothing():
            self._become({})
            return self.learn(batch)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows of the stream; a batch that is refused changes nothing."""
        return self.learn(self._batch(X, y, sample_weight))

    def learn(self, batch: Batch) -> Self:
        """Learn from a validated batch, and remember its position."""
        first = not self.__sklearn_is_fitted__()
        # Rows without any feature are missing all, where features may come and go.
        if batch.n_features == 0 and (first or not self._is_open()):
            shape = batch.X.shape
            raise ValueError(
                f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
            )
        rule = as_rule(self.k)
        if not first:
            self._require_same_parameters()
        columns = Columns(open=self._is_open()) if first else self._columns
        places, columns = columns.place(batch, type(self).__name__)
        with ExitStack() as way_back:
            way_back.enter_context(batch.blamed_for_infinities())
            if first:
                way_back.enter_context(self._all_or_nothing())
                self._note_parameters()
                self._begin(len(columns))
                self._know(columns)
                self._held: NDArray[np.intp] = np.empty(0, dtype=np.intp)
                self.n_samples_seen_ = 0
            wider = not first and len(columns) > self.n_features_in_
            parts = batch.cut(rule.every, self.n_samples_seen_) if rule.every else [batch]
            if wider or len(parts) > 1:  # several steps, of which a later one may fail
                way_back.enter_context(self._all_or_nothing(deep=True))
            if wider:
                self._rearrange(np.arange(self.n_features_in_), len(columns))
                self._know(columns)
            for part in parts:
                aligned = part if places is None else part.spread(places, len(columns))
                self._learn(aligned)
                self.n_samples_seen_ += part.n_rows
                if rule.every and self.n_samples_seen_ % rule.every == 0:
                    self._held = rule.choose(self._score(), self._held)
        self._answers = {}
        if first or columns is not self._columns:
            self._columns = columns
            columns.describe(self)
        if batch.position is not None:
            self.position_ = batch.position
        return self

    def merge(self, other: Self) -> Self:
        """Take in what another selector learnt, as if its rows came after those seen here."""
        if type(other) is not type(self):
            mine, theirs = type(self).__name__, type(other).__name__
            raise ValueError(f"only a {mine} can be merged into a {mine}, not a {theirs}")
        if not other.__sklearn_is_fitted__():
            return self
        for name, mine in self.get_params(deep=False).items():
            theirs = getattr(other, name)
            if comparable(mine) != comparable(theirs) and name not in Learnt._changeable:
                raise ValueError(f"{name} differs: {mine!r} here, {theirs!r} there")
        other._require_same_parameters()
        if other is self:
            other = copy.deepcopy(self)
        if not self.__sklearn_is_fitted__():
            self._become(copy.deepcopy(other._learnt()))
            return self
        self._require_same_parameters()
        columns, places = self._columns.union(other._columns)
        with self._all_or_nothing(deep=True):
            if len(columns) > self.n_features_in_:
                self._rearrange(np.arange(self.n_features_in_), len(columns))
                self._know(columns)
            later = other
            if not np.array_equal(places, np.arange(len(columns))):
                later = copy.deepcopy(other)
                later._rearrange(places, len(columns))
            self._merge(later)
        if len(other._held):
            self._held = places[other._held]
        self.n_samples_seen_ += other.n_samples_seen_
        self._columns = columns
        self._answers = {}
        columns.describe(self)
        if hasattr(other, "position_"):
            self.position_ = other.position_
        return self

    @property
    def scores_(self) -> NDArray[np.float64]:
        """What each feature is worth now: larger is better, NaN is undefined."""
        scores: NDArray[np.float64] = self._answer("scores", self._score)
        return scores.copy()

    @property
    def ranking_(self) -> NDArray[np.intp]:
        """The rank of each feature now: 1 is the best, undefined ones come last."""
        return ranks(self._answer("scores", self._score))

    @property
    def selection_(self) -> Selection:
        """The features selected now, best first."""
        return self._answer("selection", self._select)  # type: ignore[no-any-return]

    def transform(self, X: Any) -> Any:
        """Keep the selected features only."""
        check_is_fitted(self)
        if is_plain(X) and not self._is_open():
            return super().transform(X)
        batch = self._batch(X, None, None)
        places, columns = self._columns.place(batch, type(self).__name__)
        if places is not None:
            batch = batch.spread(places, len(columns))
        matrix: Any = batch.X
        return matrix[:, np.flatnonzero(self._get_support_mask())]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything needed to go on to a file: `driftsieve.load` reads it."""
        check_is_fitted(self)
        self._require_same_parameters()
        state = {
            "parameters": self._parameters_to_state(),
            "columns": self._columns.to_state(),
            "rows": self.n_samples_seen_,
            "held": self._held,
            "position": getattr(self, "position_", None),
            "learnt": self._to_state(),
        }
        save_state(path, type(self).__name__, state)

    @property
    def nbytes(self) -> int:
        """The bytes that what was learnt takes in memory."""
        return self._nbytes() if self.__sklearn_is_fitted__() else 0

    @property
    def most_bytes(self) -> int:
        """The most bytes that what was learnt can take after so many rows."""
        return self._most_bytes() if self.__sklearn_is_fitted__() else 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.takes_missing
        tags.input_tags.sparse = True
        return tags

    def _batch(self, X: Any, y: Any, sample_weight: Any) -> Batch:
        known = self._columns.names if self.__sklearn_is_fitted__() else None
        return as_batch(X, y, sample_weight, open_names=self._is_open(), order=known)

    def _is_open(self) -> bool:
        if self.features not in ("closed", "open"):
            raise ValueError(f'features must be "closed" or "open", not {self.features!r}')
        return self.features == "open"

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.selection_.indices] = True
        return mask

    def _select(self) -> Selection:
        scores = self._answer("scores", self._score)
        chosen = as_rule(self.k).choose(scores, self._held)
        names = self._columns.names_out(chosen)
        return Selection(chosen, scores[chosen], names, self.n_samples_seen_)

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        self = cls(**cls._parameters_from_state(state["parameters"]))
        self._columns = Columns.from_state(state["columns"])
        if self._columns.open != self._is_open():
            raise ValueError("its columns are open, or are not, and its parameters differ")
        self._note_parameters()
        self._begin(len(self._columns))
        self._know(self._columns)
        self._restore(state["learnt"])
        require_whole("rows seen", state["rows"], 0)
        self.n_samples_seen_ = state["rows"]
        self._held = np.asarray(state["held"], dtype=np.intp)
        require_within(self._held, len(self._columns), "held features")
        self._answers = {}
        self._columns.describe(self)
        if state["position"] is not None:
            self.position_ = state["position"]
        return self

    @abstractmethod
    def _begin(self, n_features: int) -> None:
        """Check the parameters and start from nothing."""

    def _know(self, columns: Columns) -> None:
        """Take note of all columns, at the beginning and whenever there are more of them."""

    @abstractmethod
    def _learn(self, batch: Batch) -> None:
        """Learn from a batch of all `n_features` columns in their own order, or refuse it whole."""

    @abstractmethod
    def _score(self) -> NDArray[np.float64]:
        """Score each feature."""

    @abstractmethod
    def _merge(self, other: Self) -> None:
        """Take in what another learnt of the same columns; raise where mathematics forbids it."""

    @abstractmethod
    def _rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others start from the prior."""

    @abstractmethod
    def _nbytes(self) -> int:
        """The bytes held."""

    @abstractmethod
    def _most_bytes(self) -> int:
        """The most bytes that can be held after so many rows."""

    @abstractmethod
    def _to_state(self) -> dict[str, Any]:
        """What was learnt, as JSON values and arrays."""

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None:
        """Go on, after `_begin`, where `_to_state` was called."""

    @abstractmethod
    def _parameters_to_state(self) -> dict[str, Any]:
        """The constructor's parameters as JSON values."""

    @classmethod
    @abstractmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        """The constructor's parameters again."""
