"""What produced a result, as JSON values: objects, versions, the machine and the date."""

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from driftsieve import __version__

LONGEST = 500
"""Characters of a description, at most: a `repr` may hold a whole table."""

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "polars")


def described(thing: Any) -> str | None:
    """Return the `repr` of an object, or the name of its class if that says nothing but where the
    object lies in memory."""
    if thing is None:
        return None
    text = repr(thing)
    if " at 0x" in text:
        return type(thing).__name__
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def parameters(thing: Any) -> dict[str, Any]:
    """Return the parameters of a scikit-learn style estimator, described where JSON has no form."""
    if thing is None or not hasattr(thing, "get_params"):
        return {}
    return {name: _plain(value) for name, value in thing.get_params(deep=False).items()}


def surroundings() -> dict[str, Any]:
    """Return versions, platform and date."""
    return {
        "versions": {
            "driftsieve": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in PACKAGES},
        },
        "platform": platform.platform(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _plain(value: Any) -> Any:
    try:
        text = json.dumps(value, allow_nan=False)
        return json.loads(text) if len(text) <= LONGEST else described(value)
    except (TypeError, ValueError):
        return described(value)
