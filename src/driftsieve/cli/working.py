"""What happens while a long work goes on: progress, being interrupted, the first compilation."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from driftsieve.batch import Batch


class Interruption:
    """Notes the first SIGINT or SIGTERM, so that work can stop between two batches.

    The second one ends the process at once.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __bool__(self) -> bool:
        return self.signal is not None

    def __enter__(self) -> "Interruption":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _note(self, number: int, _: FrameType | None) -> None:
        self.signal = number
        self._restore()

    def _restore(self) -> None:
        while self._before:
            signal.signal(*self._before.popitem())


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt, so that what is half-written is cleared away."""
    if current_thread() is not main_thread():  # where Python lets nobody handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def take_interrupts_back() -> None:
    """Let Ctrl-C reach Python alone again, although polars has been imported.

    On import, polars takes SIGINT for itself, to break its queries off. While it writes a file, its
    threads may then panic and print traces of their own on stderr; what it draws from stops at an
    interrupt anyway.
    """
    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


class Progress:
    """A bar on stderr with rows and rows per second; nothing where nobody would see it."""

    def __init__(self, stream: Any, bar: Any = None, task: Any = None) -> None:
        self._stream, self._bar, self._task = stream, bar, task
        self._rows = 0

    def advance(self, rows: int) -> None:
        """Move on by some rows."""
        if self._bar is None:
            return
        self._rows += rows
        # A stream that cannot tell its rows beforehand often knows which share of it has gone by.
        share = getattr(self._stream, "fraction", None)
        if total_rows(self._stream) is None and share:
            self._bar.update(self._task, total=self._rows / share)
        self._bar.advance(self._task, rows)

    def watching(self, stream: Any) -> "Watched":
        """Return a stream that moves the bar on behind each batch."""
        return Watched(stream, self)


class Watched:
    """A stream whose reader is shown."""

    def __init__(self, stream: Any, progress: Progress) -> None:
        self._stream, self._progress = stream, progress

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> "Iterator[Batch]":
        for batch in self._stream:
            yield batch
            self._progress.advance(batch.n_rows)

    def seek(self, position: Any) -> None:
        """Begin the next iteration behind this position."""
        self._stream.seek(position)


def total_rows(stream: Any) -> int | None:
    """Return how many rows a stream will give, if it knows."""
    rows: int | None = getattr(stream, "n_rows", None)
    return rows


@contextmanager
def progress(what: str, stream: Any, hidden: bool) -> Iterator[Progress]:
    """Show how far the work on a stream has got while the block runs."""
    if hidden or not sys.stderr.isatty():
        yield Progress(stream)
        return
    from driftsieve.cli.bar import bar

    with bar(what, total_rows(stream)) as (shown, task):
        yield Progress(stream, shown, task)


def announce_compilation(hidden: bool) -> None:
    """Say that the first run after installation compiles, which takes a while."""
    import driftsieve

    if hidden or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    package = Path(driftsieve.__file__).parent
    cache = Path(os.environ.get("NUMBA_CACHE_DIR") or package / "kernels")
    if not next(cache.rglob("*.nbi"), None):
        remark("The first run after installation compiles its kernels: this takes a moment, once.")


def remark(text: str, hidden: bool = False) -> None:
    """Say something on stderr."""
    if not hidden:
        click.echo(text, err=True)
