"""How a comparison over several streams looks in a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from driftsieve.evaluation.significance import Comparison
from driftsieve.report.markup import printable
from driftsieve.report.over_streams import sentences
from driftsieve.report.terminal import GAP, terminal
from driftsieve.report.words import measured, title_of


def print_comparison(comparison: Comparison, console: Console | None = None) -> None:
    """Print the values of all methods on all streams, their mean ranks, and what the tests say."""
    console = console or terminal()
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    table.add_column(title_of(comparison.measure).lower(), overflow="ellipsis", no_wrap=True)
    for method in comparison.methods:
        table.add_column(Text(printable(method)), justify="right", overflow="fold")
    best = comparison.ranks == comparison.ranks.min(axis=1, keepdims=True)
    for stream, values, marks in zip(comparison.streams, comparison.values, best, strict=True):
        cells = [
            Text(measured(comparison.measure, float(value)), style="bold" if is_best else "")
            for value, is_best in zip(values, marks, strict=True)
        ]
        table.add_row(Text(printable(stream)), *cells)
    table.add_row("mean rank", *(f"{rank:.2f}" for rank in comparison.mean_ranks), style="dim")
    console.print(table)
    console.print()
    for sentence in sentences(comparison):
        console.print(Text(printable(sentence)))
