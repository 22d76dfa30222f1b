"""Which columns a selector knows, and where those of a batch belong.

Closed columns (the default) follow scikit-learn: a later batch has the same columns in the same
order, or is refused. Open columns may be added, left out and reordered, and so need names.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch, NamedArray, NamedCSR
from driftsieve.selection import require_whole
from driftsieve.tables import distinct_names

MENTIONED = 5
"""Column names in an error message, at most, as in scikit-learn."""


@dataclass(frozen=True)
class Columns:
    """The columns known so far."""

    open: bool
    count: int | None = None
    names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.count or 0

    def place(self, batch: Batch, who: str) -> tuple[NDArray[np.intp] | None, "Columns"]:
        """Return the place of each column of a batch (None: as they come) and all columns then
        known, or raise; `who` asks."""
        if self.open and batch.names is None and batch.n_features:
            raise ValueError(
                'with features="open" columns are told by their names: pass dicts or a data frame'
            )
        if self.count is None:
            return None, Columns(self.open, batch.n_features, batch.names)
        if batch.names is self.names and batch.n_features == self.count:  # without a look at each
            return None, self
        if self.open and batch.names == self.names:
            return None, self
        if self.open:
            return self._find(batch.names or ())
        self._require_same(batch, who)
        return None, self

    def union(self, other: "Columns") -> tuple["Columns", NDArray[np.intp]]:
        """Return the columns of both, and the place of each of the other's among them."""
        if self.open and self.names is not None and other.names is not None:
            places, columns = self._find(other.names)
            return columns, places
        if len(self) != len(other):
            raise ValueError(f"the features differ: {len(self)} here, {len(other)} there")
        if self.names is not None and other.names is not None and self.names != other.names:
            mine, theirs = next(pair for pair in zip(self.names, other.names) if pair[0] != pair[1])
            raise ValueError(f"the features differ: column {mine!r} here is {theirs!r} there")
        return Columns(self.open, self.count, self.names or other.names), np.arange(len(self))

    def describe(self, estimator: Any) -> None:
        """Set the attributes by which scikit-learn knows an estimator's columns."""
        estimator.n_features_in_ = len(self)
        if self.names is not None:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_

    def names_out(self, indices: NDArray[np.intp]) -> tuple[str, ...]:
        """Return the names of some columns; x0, x1 and so on where there are none."""
        if self.names is None:
            return tuple(f"x{j}" for j in indices)
        return tuple(self.names[j] for j in indices)

    def mask(self, chosen: Sequence[str | int], what: str) -> NDArray[np.bool_]:
        """Return which columns are among `chosen`, by name or number; `what` is that list.

        An open column may come later; a closed one must be there.
        """
        mask = np.zeros(len(self), np.bool_)
        index = {name: j for j, name in enumerate(self.names or ())}
        for column in chosen:
            if isinstance(column, str):
                place = index.get(column)
                if place is None and self.names is None:
                    raise ValueError(f"{what} names {column!r}, but the columns have no names")
            else:
                require_whole(f"a column number in {what}", column, 0)
                place = int(column) if column < len(self) else None
            if place is not None:
                mask[place] = True
            elif not self.open:
                raise ValueError(f"there is no column {column!r}, which {what} names")
        return mask

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        names = None if self.names is None else list(self.names)
        return {"open": self.open, "count": len(self), "names": names}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Columns":
        """Return the columns that `to_state` was called on."""
        names = None if state["names"] is None else tuple(state["names"])
        count = state["count"]
        if type(count) is not int or count < 0 or (names is not None and len(names) != count):
            raise ValueError(f"there cannot be {count!r} columns")
        return cls(state["open"], count, None if names is None else distinct_names(names))

    def _find(self, names: tuple[str, ...]) -> tuple[NDArray[np.intp], "Columns"]:
        index = {name: j for j, name in enumerate(self.names or ())}
        for name in names:
            index.setdefault(name, len(index))
        places = np.array([index[name] for name in names], dtype=np.intp)
        return places, Columns(True, len(index), tuple(index))

    def _require_same(self, batch: Batch, who: str) -> None:
        """Refuse other columns, in the words that scikit-learn's own checks look for."""
        if batch.names is not None and self.names is not None and batch.names != self.names:
            new = [name for name in batch.names if name not in set(self.names)]
            gone = [name for name in self.names if name not in set(batch.names)]
            text = "The feature names should match those that were passed during fit.\n"
            if new:
                text += "Feature names unseen at fit time:\n" + _listed(new)
            if gone:
                text += "Feature names seen at fit time, yet now missing:\n" + _listed(gone)
            if not new and not gone:
                text += "Feature names must be in the same order as they were in fit.\n"
                was, now = next(p for p in zip(self.names, batch.names) if p[0] != p[1])
                text += f"Where column {was!r} was, there is {now!r}.\n"
            raise ValueError(text + 'Columns may come, go and change places with features="open".')
        if batch.n_features != len(self):
            raise ValueError(
                f"X has {batch.n_features} features, but {who} is expecting {len(self)} features "
                "as input."
            )
        if (batch.names is None) != (self.names is None):
            has, was = ("has", "without") if self.names is None else ("does not have valid", "with")
            warnings.warn(
                f"X {has} feature names, but {who} was fitted {was} feature names",
                UserWarning,
                stacklevel=4,
            )


def is_plain(X: Any) -> bool:
    """Tell whether scikit-learn itself can validate and index `X`."""
    # What is masked is missing here; scikit-learn would return what lies under the mask.
    if isinstance(X, (Batch, NamedArray, NamedCSR, Mapping, np.ma.MaskedArray)):
        return False
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return True
    if type(X).__name__ == "DataFrame" and hasattr(X, "columns"):
        return True
    rows_are_dicts = isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)
    return hasattr(X, "__len__") and not rows_are_dicts and not hasattr(X, "__arrow_c_stream__")


def _listed(names: Sequence[str]) -> str:
    names = sorted(names)
    more = ["..."] if len(names) > MENTIONED else []
    return "".join(f"- {name}\n" for name in [*names[:MENTIONED], *more])
