"""A batch is taken in whole or not at all, also when somebody interrupts (Ctrl-C)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def whole_or_not_at_all(summary: Any, *parts: Any) -> Iterator[None]:
    """Let a summary and those parts that have `held` and `go_back` be as before if the block fails.

    The summary's own attributes must be replaced in the block, not changed themselves.
    """
    own = dict(vars(summary))
    held = [part.held() for part in parts]
    try:
        yield
    except BaseException:
        vars(summary).update(own)
        for part, before in zip(parts, held):
            part.go_back(before)
        raise
