"""The progress bar. Imported only where somebody sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text


class Speed(ProgressColumn):
    """Rows so far, and rows per second."""

    def render(self, task: Task) -> Text:
        speed = "" if task.speed is None else f" · {task.speed:,.0f} rows/s"
        return Text(f"{task.completed:,.0f} rows{speed}", style="progress.data.speed")


@contextmanager
def bar(what: str, total: int | None) -> Iterator[tuple[Bar, Any]]:
    """Show a bar on stderr while the block runs."""
    parts: list[Any] = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=30)]
    parts += [TaskProgressColumn(), Speed(), TimeRemainingColumn()]
    with Bar(*parts, console=Console(stderr=True), transient=True) as shown:
        yield shown, shown.add_task(what, total=total)
