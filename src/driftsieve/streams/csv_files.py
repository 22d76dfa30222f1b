"""CSV: numbers parsed as numbers right away, so that no guess about a type can be wrong later.

Only a block that refuses is read as text and looked at cell by cell; its odd columns are read
that way from then on.
"""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl

from driftsieve.streams.blocks import first_line
from driftsieve.streams.columns import Columns
from driftsieve.streams.text import MISSING, TextTables, labels_in_text, numbers

QUOTE = ord('"')
SAVE_AS_UTF8 = "save it so"


class CSVFiles(TextTables):
    """Comma-separated files with equal headers. Each label is read by itself (see `text`)."""

    quotes = True

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
        separator: str | None = None,
        header: bool = True,
    ) -> None:
        """With `header=False` the columns are named x0, x1, ..."""
        super().__init__(paths, batch)
        self._separator = separator or ("\t" if ".tsv" in paths[0].suffixes else ",")
        if len(self._separator.encode()) != 1:
            raise ValueError(f"the separator must be a single character, not {separator!r}")
        self._header = header
        self._all = self._column_names(paths[0])
        self._columns = Columns.choose(
            self._all, target=target, features=features, weight=weight, where=str(paths[0])
        )
        self.names = self._columns.features
        used = {*self.names, *self._columns.others}
        self._used = {i: name for i, name in enumerate(self._all) if name in used}
        """The names of the columns that are read, by their places. Others may be named alike."""
        self._as_text = set() if target is None else {target}
        """The columns that are read as text first."""

    def data_begin(self, path: Path) -> int:
        if not self._header:
            return super().data_begin(path)
        if path != self._paths[0] and self._column_names(path) != self._all:
            raise ValueError(f"the columns of {path} are not those of {self._paths[0]}")
        return len(first_line(path, quotes=True))

    def parse(self, text: bytes, path: Path, row: int) -> pl.DataFrame:
        try:
            frame = self._read(text, self._as_text)
        except pl.exceptions.PolarsError as error:
            frame = self._read_patiently(text, path, row, error)
        self._check_fields(text, frame.height, path, row)
        for name in self._as_text:
            if name == self._columns.target:
                frame = frame.with_columns(labels_in_text(frame[name]))
            else:
                frame = frame.with_columns(numbers(frame[name], path, row))
        return frame

    def _read(self, text: bytes, as_text: set[str]) -> pl.DataFrame:
        as_number = {i for i, name in self._used.items() if name not in as_text}
        frame = pl.read_csv(
            text,
            has_header=False,
            schema={
                str(i): pl.Float64 if i in as_number else pl.String for i in range(len(self._all))
            },
            columns=list(self._used),
            separator=self._separator,
            null_values=MISSING,
        )
        return frame.rename({str(i): name for i, name in self._used.items()})

    def _read_patiently(
        self, text: bytes, path: Path, row: int, error: pl.exceptions.PolarsError
    ) -> pl.DataFrame:
        """Find the columns with cells that are no plain numbers, and take them as text."""
        self._check_fields(text, None, path, row)
        try:
            frame = self._read(text, set(self._all))
        except pl.exceptions.PolarsError:
            refuse_other_encodings(text, path, row)
            reason = str(error).partition("\n")[0]
            if text.count(b"\r") > text.count(b"\r\n"):
                reason = "a carriage return stands amid a line"
            if b'"' in text:
                reason = "a double quote stands amid a cell or is never closed"
            raise ValueError(f"{path}, from row {row} on: {reason}") from None
        for name in {*self._columns.features, *self._columns.others} - self._as_text:
            values = frame[name].cast(pl.Float64, strict=False)
            if values.null_count() > frame[name].null_count():
                self._as_text.add(name)
            else:
                frame = frame.with_columns(values)
        return frame

    def _check_fields(self, text: bytes, rows: int | None, path: Path, row: int) -> None:
        """Refuse lines with too few fields, which polars fills up, or too many."""
        expected = len(self._all)
        # NumPy counts at three times the speed of `text.count`.
        letters = np.frombuffer(text, np.uint8)
        separators = letters == ord(self._separator)
        if b'"' in text:
            separators &= np.bitwise_xor.accumulate((letters == QUOTE).view(np.uint8)) == 0
        if rows is not None and np.count_nonzero(separators) == rows * (expected - 1):
            return
        try:
            for i, fields in enumerate(self._records(text.decode(errors="replace"))):
                if len(fields) != expected:
                    what = f"has {len(fields)} fields instead of {expected}"
                    raise ValueError(f"{path}, row {row + i} {what}")
        except csv.Error as error:
            raise ValueError(f"{path}, from row {row} on: {error}") from None

    def _records(self, text: str) -> Iterator[list[str]]:
        return csv.reader(StringIO(text, newline=""), delimiter=self._separator)

    def _column_names(self, path: Path) -> list[str]:
        try:
            line = first_line(path, quotes=True).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not encoded as UTF-8: {SAVE_AS_UTF8}") from None
        if "\r" in line.rstrip("\r\n"):
            raise ValueError(f"{path} ends its lines with carriage returns alone: use newlines")
        fields = next(self._records(line), [])
        if not self._header:
            return [f"x{i}" for i in range(len(fields))]
        names = [field.strip() for field in fields]
        if not any(names):
            raise ValueError(f"the first line of {path} holds no column names")
        if names and all(_is_number(name) for name in names):
            raise ValueError(
                f"the first line of {path} holds numbers, not column names: "
                "if it has no header, give header=False"
            )
        if len(names) == 1:
            for other in ";\t,|":
                if other in names[0]:
                    raise ValueError(
                        f"{path} has a single column {names[0][:60]!r}: give separator={other!r}"
                    )
        return names


def refuse_other_encodings(text: bytes, path: Path, row: int) -> None:
    """Raise if a text is not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        at = row + text.count(b"\n", 0, error.start)
        raise ValueError(f"{path}, row {at} is not encoded as UTF-8: {SAVE_AS_UTF8}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
