"""What a state may hold, and how it is written as JSON with its arrays laid aside.

JSON where JSON has the value; `{"$tag": ...}` where it has not; and a key of the user's that begins
with "$" gets a second one, so that no key can be mistaken for a tag.
"""

import math
import re
import struct
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]

DEEPEST = 100  # levels of nesting: far from Python's own limit, in both directions
ARRAY_TYPE = re.compile(r"\|b1|[|<>][iu]1|[<>][iu][248]|[<>]f[48]|[<>]U[1-9][0-9]{0,8}")
JSON_INTEGERS = range(-(2**63), 2**63)  # others go as hexadecimal text, whose length has no limit

LABELS_AS_TEXT: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    bytes: (bytes.hex, bytes.fromhex),
    date: (date.isoformat, date.fromisoformat),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    Decimal: (str, Decimal),
}


class StateError(ValueError):
    """A state cannot be stored, or a file is not a state that can be read."""

    __module__ = "driftsieve.state"  # where users find it


def require_array(array: Any, what: str, shape: tuple[int, ...], *kinds: type) -> None:
    """Raise ValueError unless `array` is one of this shape and one of these types, as kernels, who
    believe what they are given, take it: a state file may hold anything."""
    fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype in kinds
    if not (fits and array.dtype.isnative):
        raise ValueError(f"{what} are missing, or of another shape or type")


def finite_or_none(array: Any, what: str, shape: tuple[Any, ...]) -> NDArray[np.float64] | None:
    """Return an array of finite numbers in this shape, or None for None; raise for all else."""
    if array is None:
        return None
    require_array(array, what, shape, np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"some {what} are not finite")
    return np.ascontiguousarray(array)


def require_within(codes: NDArray[Any], stop: int, what: str) -> None:
    """Raise ValueError unless all whole numbers of an array lie in 0..stop."""
    if not ((codes >= 0) & (codes < stop)).all():
        raise ValueError(f"some {what} are out of bounds")


def to_json(value: Any, arrays: list[AnyArray], depth: int = 0) -> Any:
    """Return a state as JSON values, with its arrays laid aside into `arrays`."""
    if depth > DEEPEST:
        raise StateError(f"a state nested deeper than {DEEPEST} levels cannot be stored")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        value = int(value)
        return value if value in JSON_INTEGERS else {"$int": hex(value)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": struct.pack(">d", value).hex()}
    if isinstance(value, dict):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            raise StateError(f"the key {odd!r} of a state is a {type(odd).__name__}, not a string")
        return {
            f"${key}" if key.startswith("$") else key: to_json(item, arrays, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [to_json(item, arrays, depth + 1) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [to_json(item, arrays, depth + 1) for item in value]}
    if type(value) is np.ndarray:
        if not ARRAY_TYPE.fullmatch(value.dtype.str):
            raise StateError(
                f"arrays of {value.dtype} cannot be stored: "
                "use booleans, integers, floats or strings of a fixed width"
            )
        arrays.append(value)
        return {"$array": [value.dtype.str, list(value.shape), "F" if value.flags.fnc else "C"]}
    raise StateError(f"values of type {type(value).__name__} cannot be stored in a state")


def from_json(node: Any, read_array: Callable[[Any], AnyArray], depth: int = 0) -> Any:
    """Undo `to_json`; arrays are asked for in the order in which they were laid aside."""
    if depth > DEEPEST + 1:
        raise StateError("it is nested too deeply")
    if isinstance(node, list):
        return [from_json(item, read_array, depth + 1) for item in node]
    if not isinstance(node, dict):
        return node
    if len(node) == 1:
        tag, content = next(iter(node.items()))
        if tag == "$array":
            return read_array(content)
        if tag == "$tuple":
            return tuple(from_json(list(content), read_array, depth))
        if tag == "$int":
            return int(content, 16)
        if tag == "$float":
            return struct.unpack(">d", bytes.fromhex(content))[0]
    values = {}
    for key, item in node.items():
        if key.startswith("$") and not key.startswith("$$"):
            raise StateError(f"an unknown tag {key!r}")
        values[key.removeprefix("$")] = from_json(item, read_array, depth + 1)
    return values


def encode_label(label: Any) -> Any:
    """Return the label of a class as a value for a state: itself, or a list of type and content.

    NumPy scalars become Python scalars, which are equal to them.
    """
    if isinstance(label, np.generic):
        label = label.item()
    kind = type(label)
    if kind in (bool, int, float, str):
        return label
    if kind in LABELS_AS_TEXT:
        return [kind.__name__, LABELS_AS_TEXT[kind][0](label)]
    if kind is tuple:
        return ["tuple", [encode_label(part) for part in label]]
    if kind is frozenset:
        return ["frozenset", sorted((encode_label(part) for part in label), key=repr)]
    raise StateError(f"labels of type {kind.__name__} cannot be stored: use strings or numbers")


def decode_label(value: Any) -> Any:
    """Undo `encode_label`."""
    if isinstance(value, (bool, int, float, str)):
        return value
    try:
        name, content = value
        if name in ("tuple", "frozenset"):
            return (tuple if name == "tuple" else frozenset)(decode_label(part) for part in content)
        kind = next(kind for kind in LABELS_AS_TEXT if kind.__name__ == name)
        return LABELS_AS_TEXT[kind][1](content)
    except (ValueError, TypeError, ArithmeticError, StopIteration) as error:
        raise StateError(f"{value!r:.80} is not a stored label") from error
