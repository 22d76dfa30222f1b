"""Interrupting (Ctrl-C) between two steps instead of amid one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let an interrupt wait until the block is done, so that what it does is done whole.

    A second interrupt does not wait. Outside the main thread, which is the only one that signals
    reach, nothing is done.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    waiting: list[tuple[Any, ...]] = []

    def wait(*signal_and_frame: Any) -> None:
        if waiting:
            handler(*signal_and_frame)
        waiting.append(signal_and_frame)

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if waiting:
        handler(*waiting[0])
