"""Line charts: a measure of several runs over the rows, with drifts and confidence bands.

The picture is an SVG that stretches; the words around it are HTML, and so stay readable when it
shrinks.
"""

from collections.abc import Callable, Sequence

from driftsieve.report.axes import limits, row_axis, short, ticks
from driftsieve.report.markup import Markup, plotted, tag
from driftsieve.report.story import LONGEST_READ, Line, Story
from driftsieve.report.words import NOTHING, measured, shortened, title_of

Scale = Callable[[float], float]

HEIGHT = 1000
"""The height of the pictures in their own units; the width is the number of rows."""

ENDS = dict.fromkeys(("accuracy", "recall", "precision"), (0.0, 1.0))
ENDS |= dict.fromkeys(("stability", "stability_within", "kappa"), (-1.0, 1.0))
MOST_NAMED_DRIFTS = 20
DASHES = (None, "6 3", "2 3", "8 3 2 3")
"""Runs differ by more than their colours."""


def line_chart(measure: str, stories: Sequence[Story], note: str = "") -> Markup | None:
    """Draw a measure of all runs that have it; None if none has."""
    lines = [(i, story, story.lines[measure]) for i, story in enumerate(stories)
             if measure in story.lines]  # fmt: skip
    if not lines:
        return None
    rows = max(story.rows for story in stories)
    seen = [value for _, _, line in lines for part in _parts(line) for value in part]
    low, high = limits(seen, ENDS.get(measure))

    def y(value: float) -> float:
        return HEIGHT * (high - min(max(value, low), high)) / (high - low)

    marks = ticks(low, high, 5)
    picture = tag(
        "svg",
        [_horizontal(y(mark), rows) for mark in marks],
        drift_lines(stories, rows, HEIGHT, mark=HEIGHT / 30),
        [_band(i, line, y) for i, _, line in lines],
        [_path(line.rows, line.overall, y, f"overall run{i}") for i, _, line in lines],
        [
            _path(line.rows, line.values, y, f"line run{i}", DASHES[i % len(DASHES)])
            for i, _, line in lines
        ],
        _readings(measure, lines, rows),
        viewBox=f"0 0 {plotted(max(rows, 1))} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{title_of(measure)} over the rows",
    )
    labels = [
        tag("span", _label(mark, marks), style=f"top:{plotted(y(mark) * 100 / HEIGHT)}%")
        for mark in marks
    ]
    return tag(
        "figure",
        tag("figcaption", tag("h3", title_of(measure)), tag("p", note) if note else None),
        _legend(measure, lines),
        tag(
            "div",
            tag("div", labels, class_="values-axis", aria_hidden="true"),
            tag("div", picture, class_="plot"),
            row_axis(rows),
            class_="chart",
        ),
        class_=f"panel lines {measure}",
    )


def drift_lines(stories: Sequence[Story], rows: float, height: float, mark: float) -> Markup:
    """Draw the known drifts of all runs as vertical lines; where they are many, as marks.

    `mark` is the height of these.
    """
    points = sorted({row for story in stories for row, _ in story.drifts if 0 < row < rows})
    if len(points) > MOST_NAMED_DRIFTS:
        together = "".join(f"M{row} 0V{plotted(mark)}" for row in points)
        return tag("g", tag("path", d=together), class_="drifts many")
    lines = [
        tag("path", tag("title", f"Drift at row {row:,}"), d=f"M{row} 0V{plotted(height)}")
        for row in points
    ]
    return tag("g", lines, class_="drifts")


def _parts(line: Line) -> list[list[float | None]]:
    return [line.values, line.overall]


def _horizontal(y: float, rows: float) -> Markup:
    return tag("path", d=f"M0 {plotted(y)}H{plotted(rows)}", class_="grid")


def _path(
    rows: Sequence[float],
    values: Sequence[float | None],
    y: Scale,
    style: str,
    dash: str | None = None,
) -> Markup | None:
    """Draw a line, which is interrupted where values are missing."""
    stretches: list[list[str]] = [[]]
    for row, value in zip(rows, values):
        if value is None:
            stretches.append([])
        else:
            stretches[-1].append(f"{plotted(row)} {plotted(y(value))}")
    # A stretch of a single point is drawn as a dot: a line of no length has round ends.
    path = "".join(
        f"M{'L'.join(points)}{'h0' if len(points) == 1 else ''}" for points in stretches if points
    )
    return tag("path", d=path, class_=style, stroke_dasharray=dash) if path else None


def _band(i: int, line: Line, y: Scale) -> list[Markup]:
    """Draw the interval of a line, for each stretch in which it is known."""
    bands: list[Markup] = []
    stretch: list[tuple[float, float, float]] = []
    for row, low, high in [*zip(line.rows, line.low, line.high), (0.0, None, None)]:
        if low is not None and high is not None:
            stretch.append((row, y(low), y(high)))
            continue
        if len(stretch) > 1:
            there = "L".join(f"{plotted(x)} {plotted(top)}" for x, _, top in stretch)
            back = "L".join(f"{plotted(x)} {plotted(bottom)}" for x, bottom, _ in stretch[::-1])
            bands.append(tag("path", d=f"M{there}L{back}Z", class_=f"band run{i}"))
        stretch = []
    return bands


def _readings(measure: str, lines: Sequence[tuple[int, Story, Line]], rows: float) -> Markup:
    """Lay invisible strips over the picture that say the values when pointed at."""
    longest = max((line.rows for _, _, line in lines), key=len)
    strips = []
    before = 0.0
    for point, row in enumerate(longest):
        values = [
            f"{shortened(story.name, LONGEST_READ)}: {measured(measure, line.values[point])}"
            for _, story, line in lines
            if point < len(line.values) and line.rows[point] == row
        ]
        strips.append(
            tag(
                "rect",
                tag("title", "\n".join([f"Row {int(row):,}", *values])),
                x=plotted(before),
                width=plotted(row - before),
                height=HEIGHT,
            )
        )
        before = row
    return tag("g", strips, class_="readings")


def _legend(measure: str, lines: Sequence[tuple[int, Story, Line]]) -> Markup:
    """Name the lines, with the value that each ends at."""
    return tag(
        "ul",
        [
            tag(
                "li",
                tag(
                    "svg",
                    tag(
                        "path",
                        d="M0 5H22",
                        class_=f"line run{i}",
                        stroke_dasharray=DASHES[i % len(DASHES)],
                    ),
                    viewBox="0 0 22 10",
                    aria_hidden="true",
                ),
                tag("span", story.name, class_="run-name"),
                tag("b", NOTHING if line.last is None else measured(measure, line.last)),
            )
            for i, story, line in lines
        ],
        class_="legend",
    )


def _label(mark: float, marks: Sequence[float]) -> str:
    if abs(mark) >= 1000:
        return short(mark)
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    digits = next((n for n in range(7) if abs(step * 10**n - round(step * 10**n)) < 1e-9), 6)
    return f"{mark:.{digits}f}"
