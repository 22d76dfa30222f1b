"""State files: everything needed to go on later, in one file that is safe to read and to write.

A file is: prefix (magic, format, length of the header, length of the file) | header (JSON) |
arrays, each at a multiple of 64 bytes | SHA-256 of all that precedes. Prefix and checksum stay as
they are in every later format, so that any version can tell a damaged file from a newer one.

The header holds the state with each array replaced by its type and shape; the arrays follow in the
order in which the header names them, back to back. A hostile header can therefore neither point
outside the file nor at the same bytes twice, and nothing is allocated before the bytes that fill it
are known to exist. Nothing is ever unpickled or evaluated.
"""

import json
import math
import os
import secrets
import stat
import struct
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from driftsieve.contracts import State
from driftsieve.state_values import (
    ARRAY_TYPE,
    AnyArray,
    StateError,
    decode_label,
    encode_label,
    from_json,
    to_json,
)

__all__ = ["StateError", "decode_label", "encode_label", "load_state", "save_state"]

FORMAT = 1
MAGIC = b"\x89SIEVE\r\n"  # not text, and a transfer as text would change its end
PREFIX = struct.Struct("<8sIQQ")
CHECKSUM_BYTES = sha256().digest_size
ALIGNMENT = 64  # a cache line, and what memory maps and vector loads like
CHUNK = 1 << 18
UNREADABLE = (ValueError, KeyError, TypeError, OverflowError, RecursionError, struct.error)


def save_state(path: str | os.PathLike[str], kind: str, state: State) -> None:
    """Write a state to a file, whole or not at all: whatever happens, an old file stays intact.

    A state is nested dicts (with string keys), lists and tuples of None, bool, int, float, str and
    NumPy arrays of booleans, integers, floats or strings. It comes back bit by bit as it was.
    """
    from driftsieve import __version__

    arrays: list[AnyArray] = []
    header = {"driftsieve": __version__, "kind": kind, "state": to_json(state, arrays)}
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    _replace(Path(os.path.realpath(path)), _parts(text.encode("utf-8", "surrogatepass"), arrays))


def load_state(path: str | os.PathLike[str]) -> tuple[str, State]:
    """Read what `save_state` wrote: the kind and the state. A bad file raises `StateError`."""
    path = os.fspath(path)
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise StateError(f"{path} is not a file")
    with open(path, "rb") as file:
        header_bytes, end = _verified(path, file)
        try:
            header = json.loads(file.read(header_bytes).decode("utf-8", "surrogatepass"))
            kind = header["kind"]
            state = from_json(header["state"], lambda array: _read_array(file, end, array))
            if not isinstance(kind, str) or not isinstance(state, dict):
                raise StateError("there is no state in it")
            if _aligned(file.tell()) != end:
                raise StateError("it holds more than its header says")
        # Behind a valid checksum only a file made on purpose comes here.
        except UNREADABLE as error:
            raise StateError(f"{path} is damaged: its header cannot be read ({error})") from error
    return kind, state


# Bytes


def _parts(header: bytes, arrays: list[AnyArray]) -> Iterator[bytes | memoryview]:
    """Yield the file piece by piece, without its checksum."""
    end = _aligned(PREFIX.size + len(header))
    for array in arrays:
        end = _aligned(end + array.nbytes)
    yield PREFIX.pack(MAGIC, FORMAT, len(header), end + CHECKSUM_BYTES)
    yield header
    yield _padding(PREFIX.size + len(header))
    for array in arrays:
        yield _bytes_of(array).data
        yield _padding(array.nbytes)


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT


def _padding(position: int) -> bytes:
    return bytes(_aligned(position) - position)


def _bytes_of(array: AnyArray) -> NDArray[np.uint8]:
    """Return an array's bytes in the order they lie in: a view, where the array has no gaps."""
    return array.reshape(-1, order="A").view(np.uint8)


def _replace(path: Path, parts: Iterator[bytes | memoryview]) -> None:
    """Put a file with a checksum in the place of `path` in one step that survives a crash."""
    mode = None
    if path.exists():
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise StateError(f"{path} is not a file, so no state can be saved there")
    temporary = path.with_name(f".driftsieve-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            checksum = sha256()
            for part in parts:
                file.write(part)
                checksum.update(part)
            file.write(checksum.digest())
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):  # say it of the file that the caller knows
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    # The new name is made to last where folders can be synchronised; the file is whole anyway.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _verified(path: str, file: BinaryIO) -> tuple[int, int]:
    """Check a file against its own prefix and checksum, and stop behind the prefix.

    Returns the length of the header and where the arrays end.
    """
    size = os.fstat(file.fileno()).st_size
    prefix = file.read(PREFIX.size)
    if prefix[: len(MAGIC)] != MAGIC[: len(prefix)]:
        raise StateError(f"{path} is not a driftsieve state file")
    if len(prefix) < PREFIX.size:
        raise StateError(f"{path} is truncated: it ends after {size} bytes")
    _, version, header_bytes, whole = PREFIX.unpack(prefix)
    if size < whole:
        raise StateError(f"{path} is truncated: it ends after {size} of {whole} bytes")
    if size > whole:
        raise StateError(f"{path} is damaged: {size - whole} bytes too many follow the state")
    end = size - CHECKSUM_BYTES
    checksum = sha256(prefix)
    while (left := end - file.tell()) > 0 and (chunk := file.read(min(left, CHUNK))):
        checksum.update(chunk)
    if file.read() != checksum.digest():
        raise StateError(f"{path} is damaged: its checksum does not match its content")
    if version > FORMAT:
        raise StateError(
            f"{path} was written by a newer driftsieve (format {version}): update driftsieve"
        )
    if version < 1 or PREFIX.size + header_bytes > end:
        raise StateError(f"{path} is damaged: its header cannot be read")
    file.seek(PREFIX.size)
    return header_bytes, end


def _read_array(file: BinaryIO, end: int, described: Any) -> AnyArray:
    """Read the next array of a file whose arrays end at `end`, if it fits in there."""
    name, shape, order = described
    if not (isinstance(name, str) and ARRAY_TYPE.fullmatch(name) and order in ("C", "F")):
        raise StateError("an array of an unknown type")
    if not (
        isinstance(shape, list)
        and len(shape) <= 64
        and all(type(n) is int and n >= 0 for n in shape)
    ):
        raise StateError("an array of an impossible shape")
    item_bytes = int(name[2:]) * (4 if name[1] == "U" else 1)
    start = _aligned(file.tell())
    if math.prod(shape) * item_bytes > end - start:
        raise StateError("an array larger than the file")
    file.seek(start)
    array: AnyArray = np.empty(shape, dtype=np.dtype(name), order=order)
    raw = _bytes_of(array)
    if file.readinto(raw.data) != raw.size:  # type: ignore[attr-defined]
        raise StateError("the file was cut while it was read")
    # NumPy trusts that booleans are 0 or 1 and that characters exist.
    if name[1] == "b":
        np.not_equal(raw, 0, out=raw.view(np.bool_))
    if name[1] == "U" and raw.size and raw.view(f"{name[0]}u4").max() > 0x10FFFF:
        raise StateError("an array of characters that are none")
    return array
