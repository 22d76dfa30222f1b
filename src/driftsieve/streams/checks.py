"""What the parameters of streams may be, and the sentences for those that are not."""

from numbers import Integral, Real
from typing import Any

import numpy as np

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


def floating(value: Any) -> Any:
    """Return the type of the numbers of a stream that `dtype` names, or say what it may be."""
    if not isinstance(value, str) or value not in DTYPES:
        raise ValueError(f"dtype must be 'float32' or 'float64', not {value!r}")
    return DTYPES[value]
