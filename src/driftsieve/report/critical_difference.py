"""The critical difference diagram: mean ranks on a line, and bars over those not told apart."""

import os
from collections.abc import Callable
from math import ceil
from pathlib import Path

from driftsieve.evaluation.significance import Comparison
from driftsieve.report.markup import Markup, plotted, tag
from driftsieve.report.words import shortened

Scale = Callable[[float], float]

WIDTH, LEFT, RIGHT = 900, 290, 610
"""The picture, and where the axis begins and ends in it."""
BAR, AXIS, GROUPS = 22, 62, 76
"""Where the critical difference, the axis and the first group are, from the top."""
LINE, GAP = 22, 9
"""From one name to the next, and from one group to the next."""
MOST_TICKS = 20
LONGEST = 26
"""Longer names are shortened."""


def diagram(comparison: Comparison) -> Markup:
    """Draw the diagram of Demšar (2006), section 3.2.4: the best method is on the right.

    It is an SVG in the colour of the text around it, and a picture of its own in a file.
    """
    order = sorted(range(len(comparison.methods)), key=lambda i: comparison.mean_ranks[i])
    names = [comparison.methods[i] for i in order]
    ranks = [float(comparison.mean_ranks[i]) for i in order]
    rank_of = dict(zip(names, ranks, strict=True))
    groups = comparison.groups
    first_line = GROUPS + GAP * len(groups) + LINE
    on_the_right = ceil(len(names) / 2)
    places = [*range(on_the_right), *reversed(range(len(names) - on_the_right))]
    height = first_line + LINE * on_the_right

    def x(rank: float) -> float:
        return RIGHT - (RIGHT - LEFT) * (rank - 1) / (len(names) - 1)

    return tag(
        "svg",
        tag("title", f"Mean ranks of {len(names)} methods on {len(comparison.streams)} streams"),
        _bar(comparison, x),
        [_tick(rank, x) for rank in range(1, len(names) + 1, ceil(len(names) / MOST_TICKS))],
        _line(LEFT, AXIS, RIGHT, AXIS),
        [
            _line(x(rank_of[group[-1]]) - 4, y, x(rank_of[group[0]]) + 4, y, 5)
            for y, group in zip(range(GROUPS, height, GAP), groups)
        ],
        [
            _name(name, rank, x(rank), first_line + LINE * place, right=i < on_the_right)
            for i, (name, rank, place) in enumerate(zip(names, ranks, places, strict=True))
        ],
        viewBox=f"0 0 {WIDTH} {height}",
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        font_family="system-ui, sans-serif",
        font_size="14",
        class_="critical-difference",
    )


def write_diagram(path: str | os.PathLike[str], comparison: Comparison) -> None:
    """Write the diagram to an SVG file."""
    path = Path(path)
    if path.suffix.lower() != ".svg":
        raise ValueError(f"{path.name} must end in .svg")
    path.write_text(f"{diagram(comparison)}\n", encoding="utf-8")


def _bar(comparison: Comparison, x: Scale) -> list[Markup]:
    """Draw how far two methods must be apart; where that is beyond the axis, as far as there is
    room."""
    end = max(x(1 + comparison.critical_difference), 10.0)
    return [
        _line(end, BAR, RIGHT, BAR),
        _line(end, BAR - 4, end, BAR + 4),
        _line(RIGHT, BAR - 4, RIGHT, BAR + 4),
        _text(f"CD = {comparison.critical_difference:.2f}", (end + RIGHT) / 2, BAR - 8, "middle"),
    ]


def _tick(rank: int, x: Scale) -> list[Markup]:
    return [
        _line(x(rank), AXIS - 6, x(rank), AXIS),
        _text(str(rank), x(rank), AXIS - 11, "middle"),
    ]


def _name(name: str, rank: float, at: float, y: float, right: bool) -> list[Markup]:
    """Write the name of a method beside the axis, and lead a line from its rank there."""
    end = RIGHT + 16 if right else LEFT - 16
    label = shortened(name, LONGEST)
    shown = f"{rank:.2f}"
    text = f"{label}  {shown}" if right else f"{shown}  {label}"
    return [
        _line(at, AXIS, at, y, 1.2),
        _line(at, y, end, y, 1.2),
        _text(text, end + (6 if right else -6), y + 5, "start" if right else "end", title=name),
    ]


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1.6) -> Markup:
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag(
        "line",
        **{name: plotted(value) for name, value in places.items()},
        stroke="currentColor",
        stroke_width=width,
    )


def _text(text: str, x: float, y: float, anchor: str, title: str | None = None) -> Markup:
    full = tag("title", title) if title is not None and title not in text else None
    return tag(
        "text", full, text, x=plotted(x), y=plotted(y), text_anchor=anchor, fill="currentColor"
    )
