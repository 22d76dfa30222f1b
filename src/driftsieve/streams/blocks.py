"""Text files, compressed or not, as blocks of whole lines: bounded memory for any size."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

BLOCK_BYTES = 8 << 20
"""Enough for the threads of a parser to share. "0,1," makes four times as much of doubles, of
which there are some copies at a time."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some programs begin a text in UTF-8 with it."""

LONGEST_LINE = 1 << 28
"""Text that goes on for longer without the end of a line or a quotation is no table."""

OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@dataclass(frozen=True, slots=True)
class Block:
    """Some consecutive whole lines of a file."""

    text: bytes
    offset: int
    """Where it begins in the uncompressed text."""
    span: tuple[float, float]
    """The shares of the file before and behind it."""


def blocks(
    path: Path, offset: int = 0, *, quotes: bool = False, size: int = BLOCK_BYTES
) -> Iterator[Block]:
    """Read a file from an offset in its text, which must be the beginning of a line.

    With `quotes`, line ends inside of double quotes end no line.
    """
    total = max(path.stat().st_size, 1)
    with path.open("rb") as raw:
        opener = OPENERS.get(path.suffix.lower())
        file: IO[bytes] = raw if opener is None else opener(raw)
        try:
            file.seek(offset)
            begin = raw.tell() / total
            while text := _whole_lines(file, size, quotes, path):
                end = raw.tell() / total
                yield Block(text, offset, (begin, end))
                offset, begin = offset + len(text), end
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            if file is raw:
                raise
            raise ValueError(f"{path} cannot be decompressed: {error}") from None


def _whole_lines(file: IO[bytes], size: int, quotes: bool, path: Path) -> bytes:
    text = b""
    while more := file.read(size):
        text += more + file.readline(LONGEST_LINE)
        if not (quotes and text.count(b'"') % 2):
            break
        if len(text) > LONGEST_LINE:
            raise ValueError(f"{path} opens a double quote that it never closes")
    return text


def beginning(path: Path, *, quotes: bool = False, size: int = 1 << 16) -> bytes:
    """Return the first lines of a file, about so many bytes of them; nothing, if it is empty."""
    first = next(blocks(path, quotes=quotes, size=size), None)
    return b"" if first is None else first.text


def first_line(path: Path, *, quotes: bool = False) -> bytes:
    """Return the first line of a file, with its end."""
    text = beginning(path, quotes=quotes)
    stop = text.find(b"\n") + 1
    while stop and quotes and text.count(b'"', 0, stop) % 2:
        stop = text.find(b"\n", stop) + 1
    return text[:stop] if stop else text
