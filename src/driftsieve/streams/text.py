"""What text files have in common: blocks of whole lines, each parsed by itself."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from driftsieve.batch import Batch, Position
from driftsieve.streams.blocks import BLOCK_BYTES, BYTE_ORDER_MARK, Block, beginning, blocks
from driftsieve.streams.columns import Columns, matrix
from driftsieve.streams.stream import Slab, Stream, located
from driftsieve.tables import ADVICE

MISSING = ["", "NA", "N/A", "n/a", "<NA>", "#N/A", "NULL", "null", "None", "?"]
MISSING += ["NaN", "nan", "-NaN", "-nan"]
"""What stands for a missing value in a text file, in features and labels alike."""


class TextFiles(Stream):
    """Files of lines, one after the other; all features are float64.

    A position is [row, first row of its block, file, byte where the block begins], so that
    coming back costs one block; a plain row number is found by reading from the beginning.
    """

    quotes = False
    """Whether line ends may stand inside of double quotes."""
    block_bytes = BLOCK_BYTES

    def __init__(self, paths: Sequence[Path], batch: int) -> None:
        for path in paths:
            if path.stat().st_size == 0:
                raise ValueError(f"{path} is empty")
        self._paths = list(paths)
        self._batch = batch
        self._ends = np.cumsum([0.0, *(path.stat().st_size for path in paths)])

    def data_begin(self, path: Path) -> int:
        """Return the byte at which the rows of a file begin."""
        return len(BYTE_ORDER_MARK) if beginning(path, size=3).startswith(BYTE_ORDER_MARK) else 0

    def read(self, block: Block, path: Path, row: int) -> Batch:
        """Return the rows of a block; `row` is the number of the first."""
        raise NotImplementedError

    def _check_position(self, position: Position) -> None:
        if not isinstance(position, (list, tuple)):
            super()._check_position(position)
        elif not (
            len(position) == 4
            and all(isinstance(part, int) and part >= 0 for part in position)
            and position[0] >= position[1]
            and position[2] < len(self._paths)
        ):
            raise ValueError(f"{position!r} is no position of this stream")

    def _batches(self, start: Position) -> Iterator[Batch]:
        place = start if isinstance(start, (list, tuple)) else (start or 0, 0, 0, 0)
        row, first, file, byte = place
        return self._rechunked(self._slabs(first, file, byte, row), self._batch, row)

    def _slabs(self, row: int, file: int, byte: int, wanted: int) -> Iterator[Slab]:
        for number, path in enumerate(self._paths[file:], file):
            begin = byte or self.data_begin(path)
            for block in blocks(path, begin, quotes=self.quotes, size=self.block_bytes):
                rows = self.read(block, path, row)
                if rows.n_rows:
                    yield Slab(rows, row, (number, block.offset), self._share(number, block.span))
                row += rows.n_rows
            byte = 0
        if row < wanted:
            raise ValueError(f"cannot begin at row {wanted}: {self._paths[-1]} ends before it")

    def _share(self, file: int, span: tuple[float, float]) -> tuple[float, float]:
        """Return as shares of all files what are shares of one of them."""
        before, behind = (self._ends[file : file + 2] / self._ends[-1]).tolist()
        low, high = span
        return before + (behind - before) * low, before + (behind - before) * high


class TextTables(TextFiles):
    """Text files with named columns."""

    def __init__(self, paths: Sequence[Path], batch: int) -> None:
        super().__init__(paths, batch)
        self._columns = Columns(())

    def parse(self, text: bytes, path: Path, row: int) -> pl.DataFrame:
        """Return lines as a table with float64 features; `row` is the number of the first."""
        raise NotImplementedError

    def read(self, block: Block, path: Path, row: int) -> Batch:
        text = without_blank_lines(block.text, self.quotes)
        if not text:
            return Batch(np.empty((0, len(self._columns.features))))
        frame = self.parse(text, path, row)
        X = matrix(frame.select(self._columns.features), np.float64)
        with located(str(path), row):
            return self._columns.batch(X, frame)


def without_blank_lines(text: bytes, quotes: bool = False) -> bytes:
    """Leave out lines without text, but with `quotes` not those inside of double quotes."""
    # NumPy compares bytes at several times the speed of `b"\n\n" in text`.
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    if ends.size and np.diff(ends).min(initial=3) < 3:
        if quotes and b'"' in text:
            text = re.sub(rb'("[^"]*")|\n(?:\r?\n)+', lambda found: found[1] or b"\n", text)
        else:
            text = re.sub(rb"\n(?:\r?\n)+", b"\n", text)
    return text.lstrip(b"\r\n") if text[:1] in b"\r\n" else text


def numbers(cells: pl.Series, path: Path, row: int) -> pl.Series:
    """Read cells of text as numbers, more patiently than a parser; say which one is none."""
    text = cells.str.strip_chars()
    text = text.set(text.is_in(MISSING), None)
    truth = text.str.to_lowercase().replace_strict(
        ["true", "false"], [1.0, 0.0], default=None, return_dtype=pl.Float64
    )
    values = text.cast(pl.Float64, strict=False).fill_null(truth)
    bad = (values.is_null() & text.is_not_null()).arg_true()
    if len(bad):
        raise ValueError(
            f"{path}, row {row + bad[0]}: column {cells.name!r} holds {text[bad[0]]!r}, "
            f"which is not a number: {ADVICE}"
        )
    return values


def labels_in_text(cells: pl.Series) -> pl.Series:
    """Read each label by itself: as an integer, else a number, else text.

    What a label becomes does not depend on the labels around it, so a class is the same
    everywhere in a file.
    """
    text = cells.str.strip_chars()
    text = text.set(text.is_in(MISSING), None)
    given = text.is_not_null()
    whole = text.cast(pl.Int64, strict=False)
    if (whole.is_not_null() == given).all() and given.all():
        return whole
    number = text.cast(pl.Float64, strict=False)
    number = number.set(~number.is_finite(), None)
    if number.is_null().all():
        return text
    # Whole numbers that do not fit into 64 bits would lose digits as floats, and be mixed up.
    huge = number.is_not_null() & whole.is_null() & text.str.contains(r"^[+-]?\d+$")
    exact = [int(cell) if is_huge else None for cell, is_huge in zip(text, huge)]
    columns = zip(whole, exact, number, text)
    values = [next((value for value in cell if value is not None), None) for cell in columns]
    return pl.Series(cells.name, values, dtype=pl.Object)
