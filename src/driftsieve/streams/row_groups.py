"""How many rows a Parquet file keeps together: the one thing polars does not tell.

A page of Parquet can only be decoded whole, so slices that end where row groups end are read
about twice as fast as others. The number stands in the footer, which is Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md): field 4 of
the file's metadata lists the row groups, field 3 of a row group is its number of rows.
"""

from pathlib import Path
from typing import Any

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
FIXED = {BYTE: 1, DOUBLE: 8}


def rows_per_group(path: Path) -> int | None:
    """Return the rows of the first row group (writers make all but the last equal)."""
    try:
        with path.open("rb") as file:
            file.seek(-8, 2)
            length = int.from_bytes(file.read(4), "little")
            if file.read(4) != b"PAR1":
                return None
            file.seek(-8 - length, 2)
            footer = _Footer(file.read(length))
        for number, kind in footer.fields():
            if number == 4 and kind == LIST:
                size, _ = footer.list_header()
                rows = footer.integer_field(3) if size else None
                return rows if rows and rows > 0 else None
            footer.skip(kind)
    except (
        OSError,
        IndexError,
        RecursionError,
    ):  # unreadable for us: polars will say so, or reads it anyway
        pass
    return None


class _Footer:
    """A cursor over compact Thrift."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        value = self._data[self._at]
        self._at += 1
        return value

    def varint(self) -> int:
        value = shift = 0
        while (part := self.byte()) & 0x80:
            value |= (part & 0x7F) << shift
            shift += 7
        return value | part << shift

    def zigzag(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def fields(self) -> Any:
        """Yield the number and type of each field of a struct; its value must be read next."""
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            yield number, head & 0x0F

    def integer_field(self, wanted: int) -> int | None:
        """Return an integer field of the struct that begins here."""
        for number, kind in self.fields():
            if number == wanted:
                return self.zigzag()
            self.skip(kind)
        return None

    def list_header(self) -> tuple[int, int]:
        head = self.byte()
        return (head >> 4 if head >> 4 < 15 else self.varint()), head & 0x0F

    def skip(self, kind: int) -> None:
        if kind in (I16, I32, I64):
            self.varint()
        elif kind in FIXED:
            self._at += FIXED[kind]
        elif kind == BINARY:
            length = self.varint()
            self._at += length
        elif kind in (LIST, SET):
            size, of = self.list_header()
            for _ in range(size):
                self._skip_element(of)
        elif kind == MAP:
            size = self.varint()
            kinds = self.byte() if size else 0
            for _ in range(size):
                self._skip_element(kinds >> 4)
                self._skip_element(kinds & 0x0F)
        elif kind == STRUCT:
            for _, inner in self.fields():
                self.skip(inner)
        elif kind not in (TRUE, FALSE):  # whose value is the type
            raise IndexError(f"no type {kind} in compact Thrift")

    def _skip_element(self, kind: int) -> None:
        """Skip a value that is no field: a truth value takes a byte there."""
        self.skip(BYTE if kind in (TRUE, FALSE) else kind)
