"""What the parameters of streams may be, and the sentences for those that are not."""

from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

DTYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


def whole(name: str, value: Any, low: int = 0, high: int | None = None) -> int:
    """Return `value` if it is a whole number from `low` to `high`, or say what it must be."""
    limits = f"of at least {low}" if high is None else f"from {low} to {high}"
    fits = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not fits or int(value) < low or (high is not None and int(value) > high):
        raise ValueError(f"{name} must be a whole number {limits}, not {value!r}")
    return int(value)


def number(name: str, value: Any, low: float = -np.inf, high: float = np.inf) -> float:
    """Return `value` if it is a finite number from `low` to `high`, or say what it must be."""
    if np.isfinite([low, high]).all():
        limits = f" from {low:g} to {high:g}"
    else:
        limits = f" of at least {low:g}" if np.isfinite(low) else ""
    fits = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not fits or not np.isfinite(float(value)) or not low <= float(value) <= high:
        raise ValueError(f"{name} must be a finite number{limits}, not {value!r}")
    return float(value)


def truth_value(name: str, value: Any) -> bool:
    """Return `value` if it is true or false, or say that it must be."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def several(name: str, values: Any, check: Callable[[str, Any], T]) -> tuple[T, ...]:
    """Return one value or a sequence of them as a tuple of checked values."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = (values,)
    checked = tuple(check(f"each of {name}", value) for value in values)
    if not checked:
        raise ValueError(f"{name} must name at least one")
    return checked


def floating(value: Any) -> Any:
    """Return the type of the numbers of a stream that `dtype` names, or say what it may be."""
    if not isinstance(value, str) or value not in DTYPES:
        raise ValueError(f"dtype must be 'float32' or 'float64', not {value!r}")
    return DTYPES[value]
