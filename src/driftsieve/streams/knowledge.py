"""What a synthetic stream knows of itself, kept in the metadata of its Parquet file.

That is which features are relevant when, and which columns hold codes of categories.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from driftsieve.batch import Batch
from driftsieve.contracts import Source
from driftsieve.streams.truth import Truth, TruthLog

TRUTH_KEY = "driftsieve.relevant"
CATEGORICAL_KEY = "driftsieve.categorical"


def read_truth(path: str | os.PathLike[str]) -> Truth | None:
    """Return the true relevance that a Parquet file of `write_stream` holds; None without."""
    text = _metadata(path).get(TRUTH_KEY)
    return None if text is None else Truth.from_json(text)


def read_categorical(path: str | os.PathLike[str]) -> list[str]:
    """Return the columns that hold codes of categories, as far as a Parquet file says so."""
    text = _metadata(path).get(CATEGORICAL_KEY, "[]")
    try:
        names = json.loads(text)
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"the names of the nominal columns in {path} cannot be read")
    return names


def _metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    path = Path(path)
    return pl.read_parquet_metadata(path) if path.suffix.lower() == ".parquet" else {}


class Knowledge:
    """What is known of a stream, gathered while it flows by."""

    def __init__(self, source: Source, first: Batch, categorical: list[str]) -> None:
        self._log = TruthLog()
        self._drift_points = _drift_points(source, first)
        self._categorical = categorical

    def note(self, batch: Batch) -> None:
        self._log.note(batch)

    def metadata(self) -> dict[str, str]:
        """Return what is known of the rows that went by."""
        found = {}
        if self._categorical:
            found[CATEGORICAL_KEY] = json.dumps(self._categorical)
        truth = self._log.truth()
        if truth is not None:
            if self._drift_points is not None:
                points = tuple(point for point in self._drift_points if point < truth.n_rows)
                # Where each drift is one change, the changes say it all.
                truth = truth if points == truth.drift_points else replace(truth, points=points)
            found[TRUTH_KEY] = truth.to_json()
        return found


def _drift_points(source: Source, first: Batch) -> Sequence[int] | None:
    """Return where a stream drifts, by what it says, counted from the row with which its first
    batch begins."""
    points: Sequence[int] | None = getattr(source, "drift_points", None)
    row = first.position[0] if isinstance(first.position, list) else first.position
    if points is None or not isinstance(row, int):
        return None
    before = row - first.n_rows
    return [point - before for point in points if point > before]
