"""The terminal view, with colours and without, wide and narrow, and in plain ASCII."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from driftsieve.report.terminal import print_ranking, print_runs
from driftsieve.report.words import number, seconds, size
from tests.report.runs import drifting, huge, run_of, unknown


def console(width=100, encoding="utf-8"):
    # As the command sets its streams: a letter that the terminal lacks becomes a question mark.
    raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace", write_through=True)
    return Console(file=raw, width=width, highlight=False, no_color=True)


def printed(target):
    target.file.flush()
    return target.file.buffer.getvalue().decode(target.file.encoding)


def ranking(scores, earlier=None, name="feature"):
    return [
        {"rank": i + 1, "name": f"{name} {i}", "score": score, "earlier": earlier}
        for i, score in enumerate(scores)
    ]


def shown(rows, **options):
    target = options.pop("console", None) or console()
    print_ranking(
        rows,
        title="clicks.csv · clicked",
        about={"selector": "Screening", "score": "t", "k": 3, "memory": "half-life 10 rows"},
        rows=12_345,
        features=10,
        classes=options.pop("classes", {0: 3, "one": 1}),
        earlier_row=options.pop("earlier_row", None),
        new_rows=options.pop("new_rows", None),
        console=target,
    )
    return printed(target)


def test_the_ranking_is_shown_with_bars_in_proportion():
    text = shown(ranking([4.0, 2.0, 1.0]))
    assert "t · k=3 · half-life 10 rows" in text
    assert "12,345 rows, 10 features, 2 classes (0 75%, one 25%)" in text
    lines = [line for line in text.splitlines() if "feature " in line][1:]
    assert [line.count("█") for line in lines[-2:]] == [12, 6]


def test_ranks_that_moved_say_so():
    rows = ranking([3.0, 2.0, 1.0, 0.5])
    for row, earlier in zip(rows, (5, 2, 1, None)):
        row["earlier"] = earlier
    text = shown(rows, earlier_row=6000)
    assert "since row 6,000" in text
    assert all(word in text for word in ("▲ 4", "·", "▼ 2", "new"))


@pytest.mark.parametrize(
    "scores", [[], [None], [float("nan")], [float("inf"), 1.0], [0.0], [-1.0, -2.0], [1e-300]]
)
def test_odd_scores_are_shown(scores):
    text = shown(ranking(scores))
    assert "nan" not in text
    assert ("No feature has a score:" in text) == (not scores)


def test_names_and_scores_are_shown_whole_before_bars_are():
    text = shown(ranking([27.385], name="a name as long as"), console=console(40))
    assert "27.3" in text and "a name as long as 0" in text and "█" not in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_long_name_leaves_room_for_ranks_scores_and_moves(width):
    rows = ranking([27.385, 0.00312], earlier=12, name="n" * 300)
    text = shown(rows, console=console(width), earlier_row=123_000)
    lines = text.splitlines()[-2:]
    assert [line.split()[0] for line in lines] == ["1", "2"]
    for line, score, move in zip(lines, ("27.39", "0.00312"), ("▲ 11", "▲ 10")):
        assert "nnn…" in line and f" {score} " in line and move in line
    assert max(map(cell_len, text.splitlines())) <= width


def test_wide_letters_are_counted_as_wide():
    run = run_of([[0, 1]] * 5, names=["年齢と性別と身長と体重", "größe"])
    target = console(80)
    print_runs({"one": run}, target)
    drawn = [line[: line.index("█")] for line in printed(target).splitlines() if "███" in line]
    assert len(drawn) == 4 and cell_len(drawn[2]) == cell_len(drawn[3]) == 15
    assert cell_len(drawn[0]) == cell_len(drawn[1])


def test_figures_are_whole_in_a_narrow_terminal():
    run = drifting()
    target = console(40)
    print_runs({"a rather long name of a run": run, "b": run}, target)
    head, first, second = printed(target).splitlines()[:3]
    assert head.split()[0] == "accuracy" and "…" not in head
    assert first.startswith("a rather long nam… ")
    assert second.split() == ["b", *first.split()[4:]]


def test_a_terminal_without_room_is_not_believed(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "0")
    print_ranking(
        ranking([1.0]), title="t", about={}, rows=1, features=1, classes={0: 1}, earlier_row=None
    )
    assert "1 row, 1 feature, 1 class (0 100%)" in capsys.readouterr().out


def test_classes_that_were_counted_in_new_rows_only_say_so():
    assert "2 classes among 4 new rows (0 75%, one 25%)" in shown(ranking([1.0]), new_rows=4)


def test_a_file_cannot_move_the_cursor_by_its_name():
    target = console()
    print_ranking(
        [], title="\x1b[2J", about={}, rows=1, features=1, classes={}, earlier_row=1, console=target
    )
    assert "\x1b" not in printed(target)


def test_many_classes_are_cut_short():
    text = shown(ranking([1.0]), classes=dict.fromkeys(range(100), 1))
    assert "100 classes" in text and "94 more" in text


def test_names_cannot_move_the_cursor_or_add_style():
    text = shown(ranking([1.0], name="\x1b[2J\n[red]bad[/red]"))
    assert "\x1b" not in text
    assert "[red]bad[/red]" in text


def test_runs_are_compared():
    run = drifting()
    target = console(width=140)
    print_runs({"one": run, "two": run}, target)
    text = printed(target)
    for word in ("accuracy", "over time", "stability", "lag", "200", "one", "two"):
        assert word in text
    assert "█ selected and relevant" in text
    line = next(line for line in text.splitlines() if line.startswith("x1 "))
    # Relevant for the first half, and selected for one step more.
    assert line.split()[1] == "█" * 20 + "▒" * 2


def test_one_run_is_shown_with_its_ranking():
    run = unknown(drifting())
    target = console()
    print_runs({"one": run}, console=target)
    text = printed(target)
    assert text.index("rank") < text.index("x2")
    assert "selected and relevant" not in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_every_terminal_will_do(width, encoding):
    run = drifting()
    target = console(width, encoding)
    print_runs({"a rather long name of a run": run, "b": run}, target)
    print_runs({"a": huge(30), "b": huge(300)}, console=target)
    print_runs({"one": run}, target)
    shown(ranking([2.0, 1.0], 2), console=target, earlier_row=3)
    assert max(map(len, printed(target).splitlines())) <= width


def test_empty_runs_are_shown():
    target = console()
    print_runs({}, console=target)
    print_runs({"empty": run_of([]), "nothing": run_of([[], []])}, console=target)
    assert "There are no results" in printed(target)


def test_what_was_selected_once_is_not_what_matters_now():
    target = console()
    print_runs({"alone": run_of([[3], []])}, console=target)
    assert "No feature has a score: it" in printed(target)
    assert "x3 █" in printed(target) and "rank" not in printed(target)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (1.0, "1"), (12345.0, "12,345"), (26.774, "26.77"), (0.26649, "0.266"),
        (1234.567, "1,235"), (999.9999, "1,000.0"), (1e-5, "1.00e-05"), (2e9, "2.00e+09"),
        (0.0031249, "0.00312"), (0.09996, "0.1000"),
        (float("inf"), "∞"), (-0.5, "-0.500"), (None, "—"), (float("nan"), "—"),
    ],
)  # fmt: skip
def test_numbers_have_the_digits_that_count(value, text):
    assert number(value) == text


def test_durations_and_sizes_have_units():
    assert [seconds(s) for s in (2e-6, 0.0123, 1.5, 150, 7200)] == [
        "2 µs", "12.3 ms", "1.5 s", "2.5 min", "2.0 h",
    ]  # fmt: skip
    assert [size(n) for n in (12, 1920, 1.5e6, 123e6, 5e9)] == [
        "12 bytes", "1.9 kB", "1.5 MB", "123 MB", "5.0 GB",
    ]  # fmt: skip
