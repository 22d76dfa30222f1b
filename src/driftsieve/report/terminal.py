"""How results look in a terminal: tables with bars, and strips that show time."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from driftsieve.report.markup import printable
from driftsieve.report.story import FeatureRow, Story, tell
from driftsieve.report.words import measured, number, title_of

BAR, SHORTEST_BAR = 24, 6
LONGEST = 30
"""Names up to this length have their room before bars do."""
GAP = 2
NARROWEST = 40
EIGHTHS = " ▏▎▍▌▋▊▉█"
ACCENT = "cyan"
MOST_CLASSES = 6
MOST_RANKED = 20
WIDE, SPARK, SHORT_SPARK, MAP_LINES, NAME = 110, 24, 10, 24, 14
MOST_NAME = {True: 32, False: 18}
"""Of the name of a run, in a wide terminal or another."""
MAP = 16, 40
MARKS, MARKS_ASCII = ("█", "▒", "·"), ("#", "x", ".")
MARK_STYLES = (f"not bold {ACCENT}", "not bold red", "not bold yellow")
MARK_MEANINGS = ("selected and relevant", "selected for nothing", "relevant, but not selected")

UNSCORED = "No feature has a score: it takes values that vary, in rows of at least two classes."

SHOWN_NARROW = ("accuracy", "mean_recall", "mean_stability", "median_lag")
SHOWN = ("accuracy", "log_loss", *SHOWN_NARROW[1:], "selector_seconds")
HEADS = {"mean_recall": "recall", "mean_stability": "stability", "median_lag": "lag"}
OVER_TIME = {"accuracy": "accuracy", "mean_recall": "recall"}
"""Measures that are also drawn over time: by which line."""


def print_ranking(
    ranking: Sequence[Mapping[str, Any]],
    *,
    title: str,
    about: Mapping[str, Any],
    rows: int,
    features: int,
    classes: Mapping[Any, int] | None,
    new_rows: int | None = None,
    earlier_row: int | None,
    console: Console | None = None,
) -> None:
    """Print the selected features, best first, with how their ranks have moved."""
    console = console or terminal()
    head = Text.assemble((printable(title), "bold"), ("  " + settings_line(about), "dim"))
    console.print(head, no_wrap=True, overflow="ellipsis")
    shown = f"{counted(rows, 'row')}, {counted(features, 'feature')}"
    if classes:
        among = "" if new_rows in (None, rows) else f" among {counted(new_rows or 0, 'new row')}"
        shown += f", {class_line(classes, among)}"
    console.print(Text(shown, style="dim"))
    if not ranking:
        console.print(UNSCORED)
        return
    console.print(ranking_table(ranking, earlier_row, console.options.ascii_only, console.width))


def terminal() -> Console:
    """Return the terminal; one that says it has hardly any room is not believed."""
    console = Console(highlight=False)
    return console if console.width >= NARROWEST else Console(highlight=False, width=NARROWEST)


def counted(number: int, what: str) -> str:
    """Say how many there are of something."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def ranking_table(
    ranking: Sequence[Mapping[str, Any]], earlier_row: int | None, ascii_only: bool, width: int
) -> Table:
    """Draw the ranking as bars, as far as there is room for them beside the names.

    Ranks and scores are always whole; names are cut where they do not fit beside them.
    """
    names = [printable(row["name"]) for row in ranking]
    scores = [number(row["score"]) for row in ranking]
    moves = [moved(row["rank"], row["earlier"], ascii_only) for row in ranking if earlier_row]
    longest = max(map(cell_len, names), default=0)
    room = width - GAP - max(map(len, ["rank", str(len(names))])) - GAP
    room -= max(map(len, ["score", *scores])) + GAP
    since = ""
    if earlier_row:
        since = f"since row {earlier_row:,}"
        if room - len(since) - GAP < min(longest, LONGEST):
            since = "moved"
        room -= max(map(len, [since, *map(str, moves)])) + GAP
    length = min(BAR, room - min(longest, LONGEST) - GAP)
    with_bars = length >= SHORTEST_BAR
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    table.add_column("rank", justify="right", no_wrap=True)
    most = room - length - GAP if with_bars else room
    table.add_column("feature", overflow="ellipsis", no_wrap=True, max_width=max(most, 1))
    table.add_column("score", justify="right", no_wrap=True)
    if with_bars:
        table.add_column("", width=length, no_wrap=True)
    if earlier_row:
        table.add_column(since, no_wrap=True)
    known = [row["score"] for row in ranking if row["score"] is not None]
    largest = max((abs(score) for score in known if isfinite(score)), default=0.0)
    for i, row in enumerate(ranking):
        cells: list[Text | str] = [str(row["rank"]), Text(names[i]), scores[i]]
        if with_bars:
            cells.append(bar(row["score"], largest, ascii_only, length))
        table.add_row(*cells, *moves[i : i + 1])
    return table


def bar(value: float | None, largest: float, ascii_only: bool = False, width: int = BAR) -> Text:
    """Draw a value as a bar, to an eighth of a character where the terminal can."""
    if value is None or value != value:
        return Text("")
    share = 1.0 if value == float("inf") else max(0.0, value / largest) if largest else 0.0
    if ascii_only:
        return Text("#" * round(width * share), style=ACCENT)
    eighths = max(1, round(8 * width * min(share, 1.0)))
    return Text("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip(), style=ACCENT)


def moved(rank: int, earlier: int | None, ascii_only: bool = False) -> Text:
    """Say how a rank has changed."""
    up, down = ("+", "-") if ascii_only else ("▲ ", "▼ ")
    if earlier is None:
        return Text("new", style="green")
    if earlier == rank:
        return Text("·" if not ascii_only else "=", style="dim")
    sign, style = (up, "green") if earlier > rank else (down, "red")
    return Text(f"{sign}{abs(earlier - rank):,}", style=style)


def settings_line(about: Mapping[str, Any]) -> str:
    """Say in one line what a selector is, leaving out what is not set."""
    parts = [str(about.get("score") or about.get("selector", ""))]
    parts += [f"k={about['k']}"] if "k" in about else []
    parts += [str(about["memory"])] if about.get("memory") else []
    return " · ".join(part for part in parts if part)


def class_line(classes: Mapping[Any, int], among: str = "") -> str:
    """Say how frequent the classes are, the most frequent ones first."""
    total = sum(classes.values())
    often = sorted(classes.items(), key=lambda item: -item[1])
    shown = [f"{label} {count / total:.0%}" for label, count in often[:MOST_CLASSES]]
    more = [f"{len(often) - MOST_CLASSES} more"] if len(often) > MOST_CLASSES else []
    kinds = f"{len(often)} class{'' if len(often) == 1 else 'es'}{among}"
    return f"{kinds} ({printable(', '.join(shown + more))})"


def print_runs(runs: Mapping[str, Any], console: Console | None = None) -> None:
    """Print what runs came to: a table, and the selections over time."""
    console = console or terminal()
    if not runs:
        console.print("There are no results.")
        return
    stories = [tell(name, run, len(runs)) for name, run in runs.items()]
    ascii_only = console.options.ascii_only
    table = comparison(stories, console.width, ascii_only)
    if table is not None:
        console.print(table)
        console.print()
    names = [printable(feature.name) for story in stories for feature in story.map.features]
    longest = min(max(map(cell_len, names), default=0), NAME)
    room = console.width // min(len(stories), 3) - longest - 4
    if len(stories) == 1 and stories[0].settings.get("selector"):
        ranking = [asdict(one) for one in stories[0].ranking[:MOST_RANKED]]
        shown = ranking_table(ranking, None, ascii_only, console.width) if ranking else UNSCORED
        console.print(shown)
        console.print()
    maps = [selection_map(story, ascii_only, max(MAP[0], min(room, MAP[1]))) for story in stories]
    console.print(Columns(maps, padding=(0, 3)))
    if any(story.map.truth_known for story in stories):
        marks = zip(MARKS_ASCII if ascii_only else MARKS, MARK_STYLES, MARK_MEANINGS)
        console.print(
            Text("   ").join(Text.assemble((mark, style), " ", text) for mark, style, text in marks)
        )


def comparison(stories: Sequence[Story], width: int, ascii_only: bool) -> Table | None:
    """Lay runs out line by line, with what is most telling also drawn over time; what there is no
    room for is left out. None if nothing was measured."""
    wide = width >= WIDE
    columns: list[tuple[str, list[Text], bool]] = []
    for name in SHOWN if wide else SHOWN_NARROW:
        values = [story.summary.get(name) for story in stories]
        if all(value is None for value in values):
            continue
        texts = [Text(measured(name, value)) for value in values]
        columns.append((HEADS.get(name, title_of(name).lower()), texts, False))
        if name in OVER_TIME:
            lines = [story.lines.get(OVER_TIME[name]) for story in stories]
            drawn = [[] if line is None else line.values for line in lines]
            length = SPARK if wide else SHORT_SPARK
            sparks = [sparkline(values, ascii_only, length) for values in drawn]
            columns.append(("over time", sparks, True))
    if not columns:
        return None
    names = [printable(story.name) for story in stories]
    longest = min(max(map(cell_len, names)), MOST_NAME[wide])

    def needed(column: tuple[str, list[Text], bool]) -> int:
        return GAP + max(len(column[0]), *(text.cell_len for text in column[1]))

    while len(columns) > 1 and longest + sum(map(needed, columns)) > width:
        pictures = [i for i, (_, _, picture) in enumerate(columns) if picture]
        del columns[pictures[-1] if pictures else -1]
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    table.add_column("", no_wrap=True, overflow="ellipsis", max_width=longest)
    for head, _, picture in columns:
        table.add_column(head, justify="left" if picture else "right", no_wrap=True)
    for i, name in enumerate(names):
        table.add_row(Text(name), *(texts[i] for _, texts, _ in columns))
    return table


def sparkline(values: Sequence[float | None], ascii_only: bool, width: int) -> Text:
    """Draw a measure between 0 and 1 over time in one line."""
    steps = ".-=#" if ascii_only else "▁▂▃▄▅▆▇█"
    drawn = ""
    for i in range(min(width, len(values))):
        here = values[i * len(values) // min(width, len(values))]
        drawn += " " if here is None else steps[int(min(max(here, 0.0), 0.999) * len(steps))]
    return Text(drawn, style=ACCENT)


def selection_map(story: Story, ascii_only: bool, width: int) -> Text:
    """Draw the selection over time: a line to a feature."""
    features = story.map.features[-MAP_LINES:]  # the latest: what matters now
    names = [printable(feature.name) for feature in features]
    longest = min(max(map(cell_len, names), default=0), NAME)
    text = Text(printable(story.name) + "\n", style="bold", no_wrap=True)
    if len(features) < len(story.map.features):
        earlier = len(story.map.features) - len(features)
        text.append(f"{earlier} earlier features not shown\n", style="not bold dim")
    for name, feature in zip(names, features):
        if cell_len(name) > longest:
            name = set_cell_size(name, longest - 1) + "…"
        text.append(" " * (longest - cell_len(name)) + name + " ", style="not bold")
        for column in range(width):
            row = (column + 0.5) * story.rows / width
            text.append(*cell(feature, row, story.map.truth_known, ascii_only))
        text.append("\n")
    return text


def cell(feature: FeatureRow, row: float, truth: bool, ascii_only: bool) -> tuple[str, str]:
    """Return the mark of a feature at a row, and its style."""
    level = next((span.level for span in feature.selected if span.start <= row < span.stop), 0)
    if not truth:
        shade = " .:#" if ascii_only else " ░▒▓█"
        return shade[min(level, len(shade) - 1)], MARK_STYLES[0]
    relevant = any(span.start <= row < span.stop for span in feature.relevant)
    if not level and not relevant:
        return " ", ""
    kind = 2 if not level else 0 if relevant else 1
    return (MARKS_ASCII if ascii_only else MARKS)[kind], MARK_STYLES[kind]
