"""svmlight (libsvm) text as sparse batches.

scikit-learn's reader is slow and reads whole files; this one parses blocks by a kernel. Its rules
are scikit-learn's: `#` begins a comment, `qid:` is left out, indices begin at 0 or 1. Indices
need not ascend within a line, but must not repeat.
"""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.kernels import powers
from driftsieve.kernels import svmlight as kernels
from driftsieve.streams.blocks import Block, blocks
from driftsieve.streams.checks import whole
from driftsieve.streams.stream import Slab, located
from driftsieve.streams.text import TextFiles

WRAPPING = np.errstate(over="ignore")
"""Too many digits overflow, which the kernels notice later; uncompiled ones would warn."""

SCANNERS = min(4, os.cpu_count() or 1)

KEPT_BYTES = 128 << 20
"""Of rows that were parsed to find the width, and are kept until they are read: about as much text.
"""

INDICES = kernels.LARGEST_INDEX + 1
"""How many there can be: the width that lets every index pass."""

BLANK = bytes(range(kernels.SPACE + 1))


class Rows(NamedTuple):
    """What a block holds. The indices ascend within each row."""

    labels: NDArray[np.float64]
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]


class Kept(NamedTuple):
    """Rows that were parsed on opening, and where they stand."""

    rows: Rows
    file: int
    begin: int
    end: int
    span: tuple[float, float]


class SVMLight(TextFiles):
    """svmlight files, one after the other; labels are integers where all of a block are whole.

    A stream must know its width before it begins: without `n_features`, or with
    `zero_based="auto"` (0 is the smallest index anywhere, or else indices count from 1), the
    files are looked through on opening. Rows are parsed for that, and kept for the first reading,
    as long as they fit; the rest is scanned for indices, which takes less time than parsing.
    """

    block_bytes = 2 << 20
    """A block, and what is made of it, stays in the cache while it is worked on."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        target: str | None = None,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        batch: int = 1000,
        n_features: int | None = None,
        zero_based: bool | str = "auto",
    ) -> None:
        super().__init__(paths, batch)
        if target is not None or features is not None or weight is not None:
            raise ValueError("svmlight files have no named columns: the labels come first")
        if zero_based not in (True, False, "auto"):
            raise ValueError(f'zero_based must be True, False or "auto", not {zero_based!r}')
        if n_features is not None:
            n_features = whole("n_features", n_features, 1, kernels.LARGEST_INDEX)
        self._kept: deque[Kept] = deque()
        if n_features is None or zero_based == "auto":
            self.n_rows, smallest, largest = self._look_through()
            if zero_based == "auto":
                zero_based = smallest == 0
            if n_features is None:
                n_features = largest + (1 if zero_based else 0)
            first = 0 if zero_based else 1
            if not first <= smallest <= largest < n_features + first:
                self._kept.clear()  # reading says which line is wrong
        self.n_features = max(n_features, 1)
        self._offset = 0 if zero_based else 1
        if n_features < 1:
            next(iter(self), None)  # says what is wrong with the first line, if anything is
            raise ValueError(f"{paths[0]} holds no feature: say how many with n_features=")

    def read(self, block: Block, path: Path, row: int) -> Batch:
        return self._batch_of(_parsed(block, path, self._offset, self.n_features), path, row)

    def _batch_of(self, rows: Rows, path: Path, row: int) -> Batch:
        X = sparse.csr_array(
            (rows.values, rows.indices, rows.indptr), shape=(len(rows.labels), self.n_features)
        )
        with located(str(path), row):
            return as_batch(X, _whole_if_possible(rows.labels))

    def _slabs(self, row: int, file: int, byte: int, wanted: int) -> Iterator[Slab]:
        kept, self._kept = self._kept, deque()
        if row == file == byte == 0:
            while kept:
                rows, file, begin, byte, span = kept.popleft()
                np.subtract(rows.indices, self._offset, out=rows.indices)
                batch = self._batch_of(rows, self._paths[file], row)
                if batch.n_rows:
                    yield Slab(batch, row, (file, begin), self._share(file, span))
                row += batch.n_rows
        yield from super()._slabs(row, file, byte, wanted)

    def _look_through(self) -> tuple[int, int, int]:
        """Return the number of rows, the smallest and the largest index; keep what was parsed."""
        rows, smallest, largest = 0, INDICES, -1
        left = KEPT_BYTES
        all_blocks = (
            (file, path, block)
            for file, path in enumerate(self._paths)
            for block in blocks(path, self.data_begin(path), size=self.block_bytes)
        )
        for file, path, block in all_blocks:
            parsed = _parsed(block, path, 0, INDICES)
            rows += len(parsed.labels)
            smallest = min(smallest, int(parsed.indices.min(initial=INDICES)))
            largest = max(largest, int(parsed.indices.max(initial=-1)))
            end = block.offset + len(block.text)
            self._kept.append(Kept(parsed, file, block.offset, end, block.span))
            left -= sum(part.nbytes for part in parsed)
            if left < 0:
                break
        with ThreadPoolExecutor(SCANNERS) as pool:
            while some := list(islice(all_blocks, SCANNERS)):
                for (_, path, block), found in zip(some, pool.map(_scanned, some), strict=True):
                    if found[2] >= INDICES:
                        _parsed(block, path, 0, INDICES)  # says in which line
                    rows += found[0]
                    smallest, largest = min(smallest, found[1]), max(largest, found[2])
        return rows, smallest, largest


@WRAPPING
def _parsed(block: Block, path: Path, offset: int, n_features: int) -> Rows:
    """Parse a block; say in which line it is wrong."""
    zero = block.text.find(b"\0")  # where a disk lost something; the kernel takes it for a space
    if zero >= 0:
        raise _error("holds a zero byte: the file is damaged", block, zero, path)
    text = _array(block)
    # The most that fit, at three bytes a pair and two a row; untouched memory costs nothing.
    entries, rows = len(text) // 3 + 1, len(text) // 2 + 1
    labels = np.empty(rows)
    indptr = np.empty(rows + 1, dtype=np.int32)
    indices = np.empty(entries, dtype=np.int32)
    values = np.empty(entries)
    odd = np.empty((entries + rows, 2), dtype=np.int64)
    arrays = (labels, indptr, indices, values, odd)
    tables = _tables()
    status, rows, odds, ascending, at = kernels.parse(text, offset, n_features, *arrays, tables[2])
    odds = kernels.settle(text, odd, odds, labels, values, *tables)
    for entry, place in odd[:odds].tolist():
        if entry < 0:
            labels[-1 - entry] = _python_float(block, place, path, "label")
        else:
            values[entry] = _python_float(block, place, path, "number")
    if status != kernels.FINE:
        raise _error(_complaint(status, offset, n_features), block, int(at), path)
    used = int(indptr[rows])
    # Copied, so that what is not used of the arrays is given back.
    found = Rows(
        labels[:rows].copy(), indptr[: rows + 1].copy(), indices[:used].copy(), values[:used].copy()
    )
    if not ascending:
        found = _sorted(found, n_features)
        _refuse_repeated(found, block, path)
    return found


def _complaint(status: int, first: int, n_features: int) -> str:
    if status == kernels.BAD_PAIR:
        return "holds what is no index:value pair"
    if n_features == INDICES:
        return f"has an index beyond {kernels.LARGEST_INDEX}"
    return (
        f"has an index outside of {first} to {n_features - 1 + first}: "
        "check n_features and zero_based"
    )


@cache
def _tables() -> tuple[NDArray[Any], ...]:
    return powers.tables()  # type: ignore


def _array(block: Block) -> NDArray[np.uint8]:
    """Return the text as bytes that end in a newline, on which the kernels rely."""
    text = block.text if block.text.endswith(b"\n") else block.text + b"\n"
    return np.frombuffer(text, dtype=np.uint8)


@WRAPPING
def _scanned(place: tuple[int, Path, Block]) -> tuple[int, int, int]:
    """Return the number of rows, the smallest and the largest index of a block."""
    found = np.array([0, INDICES, -1])
    kernels.scan(_array(place[2]), found)
    rows, smallest, largest = found.tolist()
    return rows, smallest, largest


def _python_float(block: Block, place: int, path: Path, due: str) -> float:
    """Read a number that the kernel left to us."""
    stop = place
    while stop < len(block.text) and block.text[stop] > kernels.SPACE:
        if block.text[stop] == kernels.HASH:
            break
        stop += 1
    token = block.text[place:stop]
    with suppress(ValueError):
        value = float(token)
        if due == "number" or isfinite(value):
            return value
    what = f"holds {token[:40].decode(errors='replace')!r} where a {due} is due"
    if due == "label" and b"," in token:
        what = "has several labels, which no selector can learn from"
    raise _error(what, block, place, path)


def _error(what: str, block: Block, place: int, path: Path) -> ValueError:
    """Say what is wrong, with the number of the line in the file and the line itself."""
    before = sum(
        earlier.text.count(b"\n", 0, max(0, block.offset - earlier.offset))
        for earlier in blocks(path)
    )
    number = before + block.text.count(b"\n", 0, place) + 1
    begin = block.text.rfind(b"\n", 0, place) + 1
    line = block.text[begin:].split(b"\n", 1)[0].decode(errors="replace").strip()
    shown = line if len(line) <= 60 else line[:60] + "..."
    return ValueError(f"{path}, line {number} {what} ({shown!r})")


def _sorted(rows: Rows, n_features: int) -> Rows:
    labels, indptr, indices, values = rows
    X = sparse.csr_array((values, indices, indptr), shape=(len(labels), n_features))
    X.sort_indices()
    return Rows(labels, X.indptr, X.indices, X.data)


def _refuse_repeated(rows: Rows, block: Block, path: Path) -> None:
    same = np.flatnonzero(np.diff(rows.indices) == 0)
    ends = rows.indptr[1:-1] - 1  # the last entry of a row and the first of the next may agree
    same = np.setdiff1d(same, ends)
    if same.size:
        row = int(np.searchsorted(rows.indptr, same[0], side="right")) - 1
        raise _error("gives a feature two values", block, _place_of_row(block, row), path)


def _place_of_row(block: Block, row: int) -> int:
    """Return where a row begins in its block: lines with nothing but a comment are none."""
    place = 0
    for line in block.text.split(b"\n"):
        if line.lstrip(BLANK)[:1] not in (b"", b"#"):
            if row == 0:
                break
            row -= 1
        place += len(line) + 1
    return place


def _whole_if_possible(labels: NDArray[np.float64]) -> NDArray[Any]:
    if np.all((np.abs(labels) < 2**53) & (labels == np.rint(labels))):
        return labels.astype(np.int64)
    return labels
