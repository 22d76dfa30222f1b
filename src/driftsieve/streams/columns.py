"""Which columns of a table are features, which one is the label and which one the weight."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.tables import ADVICE

Schema: TypeAlias = Mapping[str, pl.DataType]

NARROW = (pl.Float32, pl.Boolean, pl.Int8, pl.UInt8, pl.Int16, pl.UInt16)
"""The types whose values float32 holds exactly."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The parts that the columns of a table play."""

    features: tuple[str, ...]
    target: str | None = None
    weight: str | None = None

    @classmethod
    def choose(
        cls,
        names: Iterable[str],
        *,
        target: str | None,
        features: Sequence[str] | None,
        weight: str | None,
        where: str,
    ) -> "Columns":
        """Give the columns their parts, or say which one is missing."""
        names = tuple(names)
        often = Counter(names)
        for part, name in (("target", target), ("weight", weight)):
            if name is not None and name not in names:
                raise ValueError(missing(f"{part} column", name, names, where))
        if target is not None and target == weight:
            raise ValueError(f"column {target!r} is the target: it cannot be the weight as well")
        if features is None:
            features = tuple(name for name in names if name not in (target, weight))
        elif isinstance(features, str):
            raise ValueError(f"features must be a list of column names, not {features!r}")
        for name in features:
            if name not in names:
                raise ValueError(missing("column", name, names, where))
            if name in (target, weight):
                part = "target" if name == target else "weight"
                raise ValueError(f"column {name!r} is the {part}: it cannot be a feature as well")
        if not features:
            raise ValueError(f"{where} has no column left that could be a feature")
        for name in (*features, target, weight):
            if name is not None and often[name] > 1:
                raise ValueError(f"{where}: two columns are named {name!r}: names must be distinct")
        listed = Counter(features)
        if len(listed) < len(features):
            raise ValueError(f"the feature {max(listed, key=listed.__getitem__)!r} is named twice")
        return cls(tuple(features), target, weight)

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are read but are no features."""
        return tuple(name for name in (self.target, self.weight) if name is not None)

    def float_type(self, schema: Schema, where: str) -> type[np.floating[Any]]:
        """Return float32 if it holds all features exactly, else float64; refuse text."""
        refused = [
            name
            for name in self.features
            if not (schema[name].is_numeric() or schema[name] in (pl.Boolean, pl.Null))
        ]
        if refused:
            more = f" (and {len(refused) - 1} other columns)" if len(refused) > 1 else ""
            raise ValueError(
                f"{where}: column {refused[0]!r} holds {schema[refused[0]]} values{more}: "
                f"{ADVICE}, by listing in features=[...] those to read"
            )
        narrow = all(schema[name] in NARROW for name in self.features)
        return np.float32 if narrow else np.float64

    def batch(self, X: NDArray[Any], others: pl.DataFrame) -> Batch:
        """Validate a matrix of the features with the label and weight columns beside it."""
        y = None if self.target is None else labels(others[self.target])
        weight = None if self.weight is None else weights(others[self.weight])
        return as_batch(X, y, weight, names=self.features)


def floats(frame: pl.DataFrame, dtype: type[np.floating[Any]]) -> pl.DataFrame:
    return frame.cast(pl.Float32 if dtype is np.float32 else pl.Float64)


def matrix(frame: pl.DataFrame, dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """Return a table of numbers as rows in C order, missing values as NaN."""
    return floats(frame, dtype).to_numpy(order="c")


def labels(column: pl.Series) -> NDArray[Any]:
    if column.dtype == pl.Null:
        return np.full(len(column), None, dtype=object)
    if column.dtype.is_nested():
        raise ValueError(
            f"the target column {column.name!r} holds {column.dtype} values: "
            "labels are single numbers, strings or dates"
        )
    huge = column.dtype in (pl.Int128, pl.UInt128)
    if huge or (column.dtype.is_integer() and column.null_count()):
        return np.array(column.to_list(), dtype=object)
    return column.to_numpy()


def weights(column: pl.Series) -> NDArray[np.float64]:
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise ValueError(f"the weight column {column.name!r} holds {column.dtype} values")
    return column.cast(pl.Float64).to_numpy()


def missing(what: str, name: Any, names: tuple[str, ...], where: str) -> str:
    """Say that there is no such column, and which one may have been meant."""
    near = get_close_matches(str(name), [str(other) for other in names], n=3)
    if near:
        hint = "did you mean " + " or ".join(map(repr, near)) + "?"
    else:
        shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
        hint = f"its columns are {shown}" if names else "it has no named columns"
    return f"{where} has no {what} {name!r}: {hint}"
