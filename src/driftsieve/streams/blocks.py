"""Text files, compressed or not, as blocks of whole lines: bounded memory for any size."""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

BLOCK_BYTES = 16 << 20
"""Enough for the threads of a parser to share, little against the memory of a laptop."""

LONGEST_LINE = 1 << 30
"""Text without a line end (or inside of one quotation) up to here is no table."""

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
        file: IO[bytes] = OPENERS[path.suffix](raw) if path.suffix in OPENERS else raw
        try:
            file.seek(offset)
            rest, begin = b"", raw.tell() / total
            while more := file.read(size):
                text = rest + more
                stop = _last_line_end(text, quotes)
                rest = text[stop:]
                end = (raw.tell() - (len(rest) if file is raw else 0)) / total
                if stop:
                    yield Block(text[:stop], offset, (begin, end))
                    offset, begin = offset + stop, end
                elif len(rest) > LONGEST_LINE:
                    raise ValueError(f"{path}: the line at byte {offset} has no end")
            if rest:
                yield Block(rest, offset, (begin, 1.0))
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
            raise ValueError(f"{path} cannot be decompressed: {error}") from None


def _last_line_end(text: bytes, quotes: bool) -> int:
    """Return the offset behind the last line end, 0 if there is none."""
    stop = text.rfind(b"\n") + 1
    if quotes:
        inside = text.count(b'"', 0, stop) % 2
        while stop and inside:
            earlier = text.rfind(b"\n", 0, stop - 1) + 1
            inside ^= text.count(b'"', earlier, stop) % 2
            stop = earlier
    return stop


def first_line(path: Path, *, quotes: bool = False) -> bytes:
    """Return the first line of a file, with its end."""
    text = next(blocks(path, quotes=quotes, size=1 << 16)).text
    stop = text.find(b"\n") + 1
    while stop and quotes and text.count(b'"', 0, stop) % 2:
        stop = text.find(b"\n", stop) + 1
    return text[:stop] if stop else text
