"""What is drawn of a run: thinned out to what a page can show, and no longer a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from driftsieve.report.words import shortened

MOST_POINTS, MOST_POINTS_OF_ALL = 240, 720
"""Points to a line: about one for each three pixels of a wide screen; fewer where runs are many."""

MOST_SPANS = 5000
"""Stretches of one shade in the heat maps of a page altogether, which bounds its size."""

MOST_FEATURES, MOST_FEATURES_OF_ALL, MOST_COLUMNS = 40, 320, 120
LONGEST_NAME, LONGEST_READ = 100, 40
"""Characters of a name, and of one that is repeated for each stretch or point."""
MOST_RANKS, MOST_RANKS_OF_ALL = 30, 240
LEVELS = 4
"""Shades in a heat map. The eye tells hardly more apart."""

LINES = (
    *("accuracy", "stability", "stability_within", "recall", "precision"),
    *("kappa", "log_loss", "n_selected"),
)


@dataclass(frozen=True)
class Ranked:
    """A feature and its place in the last selection."""

    rank: int
    name: str
    score: float | None
    relevant: bool | None
    """Whether it truly matters at the end, where that is known."""


@dataclass(frozen=True)
class Line:
    """A measure over the rows: means of some steps each."""

    rows: list[float]
    values: list[float | None]
    low: list[float | None] = field(default_factory=list)
    high: list[float | None] = field(default_factory=list)
    overall: list[float | None] = field(default_factory=list)
    """The same measure over all rows so far, where the values are those of a window."""

    @property
    def last(self) -> float | None:
        return next((value for value in reversed(self.values) if value is not None), None)


@dataclass(frozen=True)
class Span:
    """Rows, from `start` up to `stop`, and how much of them: `level` of LEVELS."""

    start: float
    stop: float
    level: int = 0
    share: float = 1.0


@dataclass(frozen=True)
class FeatureRow:
    """When a feature was selected, and when it truly mattered."""

    name: str
    selected: list[Span]
    relevant: list[Span]


@dataclass(frozen=True)
class HeatMap:
    """The selection over time: the features that were selected most, as they came in."""

    features: list[FeatureRow]
    selected_ever: int
    """How many features were ever selected."""
    relevant_ever: int
    """How many features ever mattered, as far as is known."""
    steps_per_column: int
    truth_known: bool


@dataclass(frozen=True)
class Story:
    """A run as it is drawn."""

    name: str
    rows: int
    steps: int
    ranking: list[Ranked]
    most_ranked: int
    """How many of them there is room for."""
    lines: dict[str, Line]
    steps_per_point: int
    map: HeatMap
    drifts: list[tuple[int, int | None]]
    settings: dict[str, Any]
    summary: dict[str, Any]


def tell(name: str, run: Any, runs: int = 1) -> Story:
    """Make the story of a run, one of `runs` on a page: the more, the less detail of each."""
    steps = run.steps
    rows = int(steps["rows"][-1]) if steps.height else 0
    points = max(20, min(MOST_POINTS, MOST_POINTS_OF_ALL // runs))
    per_point = max(1, -(-steps.height // points))
    lines = {measure: _line(steps, measure, per_point) for measure in LINES}
    return Story(
        name=shortened(name, LONGEST_NAME),
        rows=rows,
        steps=steps.height,
        ranking=_ranking(run.selections, steps, run.truth),
        most_ranked=max(5, min(MOST_RANKS, MOST_RANKS_OF_ALL // runs)),
        lines={measure: line for measure, line in lines.items() if line is not None},
        steps_per_point=per_point,
        map=_heat_map(run.selections, steps, run.truth, runs),
        drifts=list(run.drifts.select("row", "lag").iter_rows()),
        settings=dict(run.settings),
        summary=dict(run.summary()),
    )


def _ranking(selections: pl.DataFrame, steps: pl.DataFrame, truth: Any) -> list[Ranked]:
    # Of the last step alone: what was selected before is not what matters now.
    last = selections.join(steps.select("step").tail(1), on="step").sort("rank")
    if not last.height:
        return []
    known = None if truth is None else set(truth.relevant_at(steps["rows"][-1] - 1).tolist())
    columns = last.select("rank", "name", "score", "feature")
    return [
        Ranked(
            rank,
            shortened(name, LONGEST_NAME),
            score,
            relevant=None if known is None else feature in known,
        )
        for rank, name, score, feature in columns.iter_rows()
    ]


def _line(steps: pl.DataFrame, name: str, per_point: int) -> Line | None:
    """Thin a measure out; the windowed form of it is the line, where there is one."""
    if name not in steps.columns:
        return None
    windowed = f"{name}_window"
    wanted = {"rows": "rows", "values": name}
    if windowed in steps.columns and steps[windowed].fill_nan(None).null_count() < steps.height:
        wanted |= {"values": windowed, "overall": name}
    for edge in ("low", "high"):
        if f"{name}_{edge}" in steps.columns:
            wanted[edge] = f"{name}_{edge}"
    points = (
        steps.select(
            pl.col(column).cast(pl.Float64).fill_nan(None).alias(part)
            for part, column in wanted.items()
        )
        .with_columns(pl.int_range(pl.len()).floordiv(per_point).alias("point"))
        .group_by("point", maintain_order=True)
        .agg(pl.col("rows").last(), pl.exclude("rows", "point").mean())
    )
    if points["values"].null_count() == points.height:
        return None
    return Line(**{part: points[part].to_list() for part in wanted})


def _heat_map(selections: pl.DataFrame, steps: pl.DataFrame, truth: Any, runs: int) -> HeatMap:
    if not selections.height:
        return HeatMap([], 0, 0, 1, truth is not None)
    per_column = max(1, -(-steps.height // MOST_COLUMNS))
    columns = steps.select("step", "rows").with_columns(
        column=pl.int_range(pl.len()).floordiv(per_column)
    )
    bounds = columns.group_by("column", maintain_order=True).agg(pl.col("rows").last(), pl.len())
    edges, sizes = [0, *bounds["rows"]], bounds["len"].to_list()
    cells = (
        selections.join(columns.select("step", "column"), on="step")
        .group_by("feature", "column")
        .agg(pl.len(), pl.col("name").last())
        .sort("feature", "column")
    )
    counts: dict[int, dict[int, int]] = {}
    names: dict[int, str] = {}
    for feature, column, count, name in cells.iter_rows():
        counts.setdefault(feature, {})[column] = count
        names[feature] = name
    relevant = {} if truth is None else _relevant_spans(truth, edges[-1])

    def weight(feature: int) -> float:
        """What was selected much, or should have been, is shown."""
        mattered: float = sum(span.stop - span.start for span in relevant.get(feature, ()))
        return float(sum(counts.get(feature, {}).values()) / steps.height + mattered / edges[-1])

    numbered = all(name == f"x{feature}" for feature, name in names.items())
    features: list[FeatureRow] = []
    left = MOST_SPANS // runs
    most = max(5, min(MOST_FEATURES, MOST_FEATURES_OF_ALL // runs))
    for feature in sorted({*counts, *relevant}, key=lambda feature: (-weight(feature), feature)):
        name = names.get(feature, f"x{feature}" if numbered else f"column {feature}")
        selected = _merged(counts.get(feature, {}), sizes, edges)
        name = shortened(name, LONGEST_NAME)
        features.append(FeatureRow(name, selected, relevant.get(feature, [])))
        left -= len(selected) + len(relevant.get(feature, []))
        if left <= 0 or len(features) == most:
            break
    features.sort(key=lambda row: min(span.start for span in [*row.selected, *row.relevant]))
    return HeatMap(features, len(counts), len(relevant), per_column, truth is not None)


def _merged(counts: dict[int, int], sizes: Sequence[int], edges: Sequence[float]) -> list[Span]:
    """Join neighbouring cells of the same shade."""
    spans: list[Span] = []
    for column, count in sorted(counts.items()):
        share = count / sizes[column]
        level = min(LEVELS, int(share * LEVELS) + 1)
        start, stop = edges[column], edges[column + 1]
        if spans and spans[-1].stop == start and spans[-1].level == level:
            before = spans.pop()
            share = (before.share * (before.stop - before.start) + share * (stop - start)) / (
                stop - before.start
            )
            start = before.start
        spans.append(Span(start, stop, level, share))
    return spans


def _relevant_spans(truth: Any, rows: int) -> dict[int, list[Span]]:
    """Return for each feature the stretches of rows in which it truly matters."""
    spans: dict[int, list[Span]] = {}
    changes = [change for change in truth.changes if change[0] < rows]
    ends = [*(row for row, _ in changes[1:]), rows]
    for (start, number), stop in zip(changes, ends):
        for feature in truth.sets[number]:
            known = spans.setdefault(feature, [])
            goes_on = bool(known) and known[-1].stop == start
            known.append(Span(known.pop().start if goes_on else start, stop))
    return spans
