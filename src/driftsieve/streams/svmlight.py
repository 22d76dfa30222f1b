"""svmlight (libsvm) text as sparse batches.

scikit-learn's reader is slow and reads whole files; this one parses blocks by a kernel. Its rules
are scikit-learn's: `#` begins a comment, `qid:` is left out, indices begin at 0 or 1. Indices
need not ascend within a line, but must not repeat.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.kernels import powers
from driftsieve.kernels import svmlight as kernels
from driftsieve.streams.blocks import Block, blocks
from driftsieve.streams.checks import whole
from driftsieve.streams.stream import located
from driftsieve.streams.text import TextFiles

WRAPPING = np.errstate(over="ignore")
"""Too many digits overflow, which the kernels notice later; uncompiled ones would warn."""

SCANNERS = min(4, os.cpu_count() or 1)


class SVMLight(TextFiles):
    """svmlight files, one after the other; labels are integers where all of a block are whole.

    A stream must know its width before it begins: without `n_features`, or with
    `zero_based="auto"` (0 is the smallest index anywhere, or else indices count from 1), the
    files are scanned once on opening, which takes less time than parsing them.
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
        if n_features is None or zero_based == "auto":
            self.n_rows, smallest, largest = _scan(paths)
            if zero_based == "auto":
                zero_based = smallest == 0
            if n_features is None:
                n_features = largest + (1 if zero_based else 0)
        self.n_features = max(n_features, 1)
        self._offset = 0 if zero_based else 1
        if n_features < 1:
            next(iter(self), None)  # says what is wrong with the first line, if anything is
            raise ValueError(f"{paths[0]} holds no feature: say how many with n_features=")

    @WRAPPING
    def read(self, block: Block, path: Path, row: int) -> Batch:
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
        status, rows, odds, ascending, at = kernels.parse(
            text, self._offset, self.n_features, *arrays, tables[2]
        )
        odds = kernels.settle(text, odd, odds, labels, values, *tables)
        for entry, place in odd[:odds].tolist():
            if entry < 0:
                labels[-1 - entry] = _python_float(block, place, path, "label")
            else:
                values[entry] = _python_float(block, place, path, "number")
        if status != kernels.FINE:
            raise _error(self._complaint(status), block, int(at), path)
        indptr = indptr[: rows + 1]
        shape = (rows, self.n_features)
        X = sparse.csr_array((values[: indptr[-1]], indices[: indptr[-1]], indptr), shape=shape)
        if not ascending:
            X.sort_indices()
            _refuse_repeated(X, path, row)
        with located(str(path), row):
            return as_batch(X, _whole_if_possible(labels[:rows]))

    def _complaint(self, status: int) -> str:
        if status == kernels.BAD_PAIR:
            return "holds what is no index:value pair"
        first = self._offset
        return (
            f"has an index outside of {first} to {self.n_features - 1 + first}: "
            "check n_features and zero_based"
        )


@cache
def _tables() -> tuple[NDArray[Any], ...]:
    return powers.tables()  # type: ignore


def _array(block: Block) -> NDArray[np.uint8]:
    """Return the text as bytes that end in a newline, on which the kernels rely."""
    text = block.text if block.text.endswith(b"\n") else block.text + b"\n"
    return np.frombuffer(text, dtype=np.uint8)


def _scan(paths: Sequence[Path]) -> tuple[int, int, int]:
    """Return the number of rows, the smallest and the largest index."""
    rows, smallest, largest = 0, kernels.LARGEST_INDEX, -1
    with ThreadPoolExecutor(SCANNERS) as pool:
        for path in paths:
            waiting = blocks(path, size=SVMLight.block_bytes)
            while some := list(islice(waiting, SCANNERS)):
                for found in pool.map(_scan_block, some):
                    rows += int(found[0])
                    smallest, largest = min(smallest, int(found[1])), max(largest, int(found[2]))
    if largest > kernels.LARGEST_INDEX:
        raise ValueError(f"{paths[0]} has an index beyond {kernels.LARGEST_INDEX}")
    return rows, smallest, largest


@WRAPPING
def _scan_block(block: Block) -> NDArray[np.int64]:
    found = np.array([0, kernels.LARGEST_INDEX, -1])
    kernels.scan(_array(block), found)
    return found


def _python_float(block: Block, place: int, path: Path, due: str) -> float:
    """Read a number that the kernel left to us."""
    stop = place
    while stop < len(block.text) and block.text[stop] > kernels.SPACE:
        if block.text[stop] == kernels.HASH:
            break
        stop += 1
    token = block.text[place:stop]
    try:
        return float(token)
    except ValueError:
        what = f"holds {token[:40].decode(errors='replace')!r} where a {due} is due"
        if due == "label" and b"," in token:
            what = "has several labels, which no selector can learn from"
        raise _error(what, block, place, path) from None


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


def _refuse_repeated(X: sparse.csr_array, path: Path, row: int) -> None:
    same = np.flatnonzero(np.diff(X.indices) == 0)
    ends = X.indptr[1:-1] - 1  # the last entry of a row and the first of the next may agree
    same = np.setdiff1d(same, ends)
    if same.size:
        bad = int(np.searchsorted(X.indptr, same[0], side="right")) - 1
        raise ValueError(f"{path}, row {row + bad} gives a feature two values")


def _whole_if_possible(labels: NDArray[np.float64]) -> NDArray[Any]:
    if np.all((np.abs(labels) < 2**53) & (labels == np.rint(labels))):
        return labels.astype(np.int64)
    return labels
