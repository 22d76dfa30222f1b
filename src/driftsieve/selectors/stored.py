"""Selectors from state files."""

import os
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from driftsieve.selectors.base import KINDS
from driftsieve.state import StateError, load_state


def load(path: str | os.PathLike[str]) -> Any:
    """Read a selector that `save` wrote. It goes on as if it had never stopped."""
    kind, state = load_state(path)
    for module in iter_modules(import_module("driftsieve.selectors").__path__):
        import_module(f"driftsieve.selectors.{module.name}")  # whose classes enter KINDS
    if kind not in KINDS:
        raise StateError(
            f"{os.fspath(path)} holds a {kind!r}, which this version of driftsieve does not know"
        )
    try:
        return KINDS[kind]._from_state(state)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        MemoryError,
    ) as error:
        raise StateError(f"{os.fspath(path)} does not hold a valid {kind}: {error}") from error
