"""Options that several commands share, and the reading of their values."""

import csv
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from driftsieve.cli.selectors import SELECTORS

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)

STREAM = ("target", "weight", "columns", "batch", "format")
MEMORY = ("drift", "half_life", "fading", "every", "window")
SELECTION = ("k", *MEMORY, "open_features", "categorical", "jobs")


def together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several; the first is the first in the help."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


reading_options = together(
    click.option("--target", "-t", metavar="COLUMN", help="The column to predict."),
    click.option("--weight", metavar="COLUMN", help="A column of weights, one per row."),
    click.option("--columns", metavar="A,B,...", help="Use only these columns as features."),
    click.option(
        "--batch",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        metavar="ROWS",
        help="Rows at a time.",
    ),
    click.option(
        "--format",
        metavar="NAME",
        help="The format, if the file's name does not say, with options as in csv:separator=;",
    ),
)

stream_options = together(click.argument("source"), reading_options)

selection_options = together(
    click.option(
        "-k",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        metavar="N",
        help="Features to select.",
    ),
    click.option(
        "--drift",
        type=float,
        metavar="ROWS",
        help="Fade as suits features that go on mattering for about ROWS rows.",
    ),
    click.option(
        "--half-life",
        type=float,
        metavar="ROWS",
        help="Fade: a row counts half when ROWS rows old.",
    ),
    click.option(
        "--fading", type=float, metavar="ALPHA", help="Fade: rows weigh ALPHA of the next one."
    ),
    click.option(
        "--every", type=int, metavar="ROWS", help="With --fading: once in so many rows only."
    ),
    click.option("--window", type=int, metavar="ROWS", help="Only the last ROWS rows count."),
    click.option("--open-features", is_flag=True, help="Columns may come and go between files."),
    click.option(
        "--categorical",
        metavar="A,B,...",
        help="These columns hold codes of categories, for scores that need bins. Files of "
        "'driftsieve generate' know theirs.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Threads, for wide data.",
    ),
)

selector_option = click.option(
    "--selector",
    "--score",
    "selector",
    metavar="NAME",
    default="t",
    show_default=True,
    help=f"{', '.join(SELECTORS)}; with options of its own as in t:half-life=5000.",
)

output_options = together(
    click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines."),
    click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks."),
)

report_option = click.option(
    "--report", type=FILE, metavar="FILE.html", help="Write a report to open in a browser."
)


def selection_of(wishes: dict[str, Any], stream: Any) -> dict[str, Any]:
    """Return the options of selectors; which columns are nominal may be known to the stream."""
    chosen = part(wishes, SELECTION)
    if chosen["categorical"] is None and stream.categorical:
        chosen["categorical"] = stream.categorical
    return chosen


def part(wishes: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return some of the options."""
    return {name: wishes[name] for name in names}


def value_of(text: str) -> Any:
    """Read a value as a whole number, a number, true, false, none or text."""
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def settings_of(pairs: Iterable[str], *, lists: bool = False) -> dict[str, Any]:
    """Read options of the form name=value; with `lists`, commas part the values of one option."""
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ValueError(f"{pair!r} does not have the form name=value")
        values = value.split(",") if lists else [value]
        read = tuple(value_of(one.strip()) for one in values)
        settings[name.strip().replace("-", "_")] = read if len(read) > 1 else read[0]
    return settings


def names_in(columns: str, option: str) -> list[str]:
    """Split names at commas; one that holds a comma itself stands in double quotes."""
    try:
        names = next(csv.reader([columns], skipinitialspace=True, strict=True), [""])
    except csv.Error as error:
        raise ValueError(f"{option} {columns}: {error}") from None
    return [name.strip() for name in names]


def require_outputs(*sources: str, **outputs: Path | None) -> None:
    """Refuse files that cannot be written, or that would replace the data or each other."""
    taken = {Path(source).resolve(): "the data" for source in sources}
    for name, path in outputs.items():
        if path is None:
            continue
        require_writable(path, f"--{name}")
        what = taken.setdefault(path.resolve(), f"what --{name} writes")
        if what != f"what --{name} writes":
            raise ValueError(f"--{name}: {path} would replace {what}: name another file")


def require_writable(path: Path | None, what: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise ValueError(f"{what}: {path} is a folder: name a file in it")
    if not folder.is_dir():
        raise ValueError(f"{what}: {path} cannot be written, for there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{what}: {path} cannot be written: permission is denied")
