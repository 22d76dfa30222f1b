"""Axes: where the round numbers are, and how they are labelled."""

from collections.abc import Iterable
from math import ceil, floor, log10

from driftsieve.report.markup import Markup, plotted, tag
from driftsieve.report.words import number


def round_step(span: float, most: int) -> float:
    """Return the smallest of 1, 2, 2.5, 5 times a power of ten that divides `span` in at most
    `most` parts."""
    if span <= 0:
        return 1.0
    power = 10.0 ** floor(log10(span / most))
    return next(
        power * factor for factor in (1, 2, 2.5, 5, 10, 20) if span / (power * factor) <= most
    )


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return the round numbers from `low` to `high`."""
    step = round_step(high - low, most)
    first = ceil(low / step - 1e-9)
    return [(first + i) * step for i in range(floor(high / step + 1e-9) - first + 1)]


def limits(values: Iterable[float | None], ends: tuple[float, float] | None) -> tuple[float, float]:
    """Return round limits around values, never beyond `ends`, where the values have such ends."""
    known = [value for value in values if value is not None]
    if not known:
        return ends or (0.0, 1.0)
    low, high = min(known), max(known)
    margin = (high - low) * 0.08 or 0.05 * (abs(high) or 1.0)
    low, high = low - margin, high + margin
    step = round_step(high - low, 4)
    low, high = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
    if ends is not None:
        low, high = max(low, ends[0]), min(high, ends[1])
        if not low < high:
            return ends
    return low, high


def row_axis(rows: float) -> Markup:
    """Draw the labels of the rows below a picture that spans its box."""
    marks = ticks(0, rows, 5)
    return tag(
        "div",
        [
            tag("span", short(mark), style=f"left:{plotted(100 * mark / (rows or 1))}%")
            for mark in marks
        ],
        class_="rows-axis",
        aria_hidden="true",
    )


def short(value: float) -> str:
    """Write a round number of rows in the space there is."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return number(value)
