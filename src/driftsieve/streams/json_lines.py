"""JSON lines: one object per line, keys in any order, absent keys and null are missing values."""

import json
import re
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path

import polars as pl

from driftsieve.streams.blocks import BYTE_ORDER_MARK, beginning
from driftsieve.streams.columns import Columns
from driftsieve.streams.text import TextTables, labels_in_text, numbers, without_blank_lines

FIRST_LOOK = 1 << 20
"""Bytes that are read to learn the columns. A key that appears only later is refused."""


class JSONLines(TextTables):
    """Files of JSON objects. Labels keep their JSON type, unless it varies within a block."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
    ) -> None:
        super().__init__(paths, batch)
        first = without_blank_lines(
            beginning(paths[0], size=FIRST_LOOK).removeprefix(BYTE_ORDER_MARK)
        )
        if not first:
            raise ValueError(f"{paths[0]} begins with no JSON object")
        frame = self._read(first, paths[0], 0)
        names = (name for name in frame.columns if name not in (target, weight))
        frame = _with_numbers(frame, names if features is None else features, paths[0], 0)
        self._all = set(frame.columns)
        self._columns = Columns.choose(
            frame.columns, target=target, features=features, weight=weight, where=str(paths[0])
        )
        self._columns.float_type(frame.schema, str(paths[0]))
        self._listed = features is not None
        self.names = self._columns.features

    def parse(self, text: bytes, path: Path, row: int) -> pl.DataFrame:
        frame = self._read(text, path, row)
        used = (*self._columns.features, *self._columns.others)
        if not self._listed:
            for name in frame.columns:
                if name not in self._all:
                    raise ValueError(
                        f"{path}, from row {row} on: the key {name!r} is new: "
                        "list in features=[...] the keys to read"
                    )
        frame = frame.with_columns(
            pl.lit(None).alias(name) for name in used if name not in frame.columns
        )
        frame = _with_numbers(frame, self._columns.features, path, row)
        self._columns.float_type(frame.schema, f"{path}, from row {row} on")
        target = self._columns.target
        if target is not None and frame[target].dtype == pl.String:
            frame = frame.with_columns(labels_in_text(frame[target]))
        return frame

    def _read(self, text: bytes, path: Path, row: int) -> pl.DataFrame:
        try:
            return pl.read_ndjson(text, infer_schema_length=None)
        except pl.exceptions.PolarsError as error:
            # Python writes NaN, which is no JSON. Behind the end of a key it is no part of a text.
            text = re.sub(rb'(?<!\\)"\s*:\s*NaN(?=\s*[,}])', b'":null', text)
            try:
                return pl.read_ndjson(text, infer_schema_length=None)
            except pl.exceptions.PolarsError:
                _find_bad_line(text, path, row)
                reason = str(error).partition("\n")[0]
                raise ValueError(f"{path}, from row {row} on: {reason}") from None


def _with_numbers(
    frame: pl.DataFrame, features: Iterable[str], path: Path, row: int
) -> pl.DataFrame:
    """Read features that are text, if only in some rows, as the cells of a CSV file are read."""
    texts = [name for name in features if frame.schema.get(name) == pl.String]
    return frame.with_columns(numbers(frame[name], path, row) for name in texts)


def _find_bad_line(text: bytes, path: Path, row: int) -> None:
    kinds: dict[str, bool] = {}
    for i, line in enumerate(text.split(b"\n"), row):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}, row {i} is no JSON: {error}") from None
        if not isinstance(value, dict):
            raise ValueError(f"{path}, row {i} is no JSON object: {line[:60]!r}")
        for key, cell in value.items():
            if isinstance(cell, float) and not isfinite(cell):
                raise ValueError(f"{path}, row {i}: {key!r} is infinite, or too large for a float")
            truth = isinstance(cell, bool)
            if cell is not None and kinds.setdefault(key, truth) != truth:
                raise ValueError(f"{path}, row {i}: {key!r} mixes numbers and truth values")
