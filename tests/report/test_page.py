"""The report as text: what is in it, and that nothing harmful is."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest

from driftsieve.report.page import page, write_report
from tests.report.runs import drifting, huge, run_of, unknown

SECTIONS = ["summary", "ranking", "selection", "quality", "drifts", "settings"]
OURS = set(
    re.findall(
        r"\w+",
        "html head meta link title style body header main footer section h1 h2 h3 p div span b i "
        "table thead tbody tr th td ol ul li figure figcaption svg g rect path",
    )
)
VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed where it must be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.words = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), f"an attribute twice in {tag}"
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def attributes(self, name):
        return [attributes[name] for _, attributes in self.found if name in attributes]


def read(runs, **options):
    text = page(runs, **options)
    return text, Reader(text)


def numbers_in(reader):
    """Every number that a picture is drawn with."""
    drawn = ["x", "y", "width", "height", "d", "viewbox"]
    text = " ".join(" ".join(reader.attributes(name)) for name in drawn)
    return re.findall(r"[a-zA-Z]{2,}|-?[\d.]+(?:e[-+]?\d+)?", text)


def test_all_sections_are_there():
    run = drifting()
    _, reader = read({"mine": run})
    assert [i for i in reader.attributes("id") if i in SECTIONS] == SECTIONS


def test_the_current_ranking_is_the_last_selection():
    run = unknown(drifting())
    _, reader = read(run)
    text = "".join(reader.words)
    start = text.index("What matters now")
    ranking = text[start : text.index("Selection over time")]
    assert ranking.index("x2") < ranking.index("x0")
    assert "x1" not in ranking


def test_the_truth_is_shown_where_it_is_known():
    run = drifting()
    text, reader = read(run)
    assert reader.attributes("class").count("truth") > 3
    assert "and 1 that should have been" in text  # feature 4 mattered and was never selected
    assert "x4" in text
    text, _ = read(unknown(run))
    assert 'class="truth"' not in text


def test_drifts_are_marked_and_their_lags_told():
    run = drifting()
    text, _ = read({"a": run, "b": run})
    assert "Drift at row 1,000" in text
    assert text.count("200 rows later") == 2
    lost = run_of([[0]] * 4, drifts=[(200, None)])
    assert "not found" in page(lost)


def test_the_stability_has_its_band():
    run = unknown(drifting())
    _, reader = read(run)
    assert any("band" in c for c in reader.attributes("class"))


def test_stability_within_concepts_is_drawn_where_it_says_something_else():
    stable = {"stability": [0.5, 0.6, 0.7]}
    differs = run_of([[0]] * 3, **stable, stability_within=[0.5, 1.0, 1.0])
    same = run_of([[0]] * 3, **stable, stability_within=stable["stability"])
    assert "Stability within concepts over the rows" in page(differs)
    for run in (same, run_of([[0]] * 3, **stable)):
        assert "Stability over the rows" in page(run)
        assert "Stability within concepts over the rows" not in page(run)


def test_settings_and_versions_are_told_and_differences_marked():
    one = run_of([[0]], settings={"k": 5, "nested": {"deep": None}})
    two = run_of([[0]], settings={"k": 7, "nested": {"deep": [1, 2]}})
    text, reader = read({"one": one, "two": two})
    assert "versions · numpy" in text
    assert reader.attributes("class").count("differs") == 2
    assert re.search(r"Drawn by driftsieve \d", text)


def test_runs_stand_side_by_side():
    run = drifting()
    _, reader = read({"left": run, "right": run})
    assert reader.attributes("class").count("panel ranking") == 2
    assert reader.attributes("class").count("panel heat") == 2


def test_runs_in_a_list_are_told_apart():
    run = unknown(drifting())
    _, reader = read([run, run, run])
    for name in ("Screening(k=2)", "Screening(k=2) (2)", "Screening(k=2) (3)"):
        assert name in reader.words


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'\" onmouseover='alert(1)",
    "</style></title></svg><script>",
    "&lt;b&gt;",
    "{{7*7}}",
    "\x00\x1b[31m\u202eright to left",
    "",
    " ",
    "Ünicode ✓ 特徴",
    "long" * 500,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    run = drifting()
    run = run_of([[0, 1]] * 3, names={0: name, 1: "good"}, settings={"note": name, name: name})
    text, reader = read({name: run, "other": run}, title=name)
    assert {tag for tag, _ in reader.found} <= OURS
    assert not any(a.startswith("on") for _, attributes in reader.found for a in attributes)
    assert "\x1b" not in text and "\u202e" not in text and "\x00" not in text


def test_nothing_is_asked_of_any_host():
    run = drifting()
    text, reader = read({"a": run, "b": run})
    assert any(c.startswith("default-src 'none'; ") for c in reader.attributes("content"))
    assert not re.findall(r"https?:|//[a-z]|@import|url\(", text)
    assert reader.attributes("href") == ["data:,"]
    assert not reader.attributes("src")
    assert not {"script", "iframe", "img", "object"} & {tag for tag, _ in reader.found}


UNKNOWN = [None, float("nan")]


@pytest.mark.parametrize("value", [*UNKNOWN, float("inf"), -1e300, 1e300, 0.0])
def test_odd_scores_are_drawn(value):
    run = run_of([[0, 1]] * 3)
    scores = run.selections["score"].to_list()
    scores[-1] = value
    run.selections.replace_column(5, type(run.selections["score"])("score", scores))
    _, reader = read(run)
    assert not [n for n in numbers_in(reader) if n in ("nan", "inf", "None", "NaN")]


@pytest.mark.parametrize("value", UNKNOWN)
def test_unknown_measures_leave_gaps(value):
    run = run_of([[0]] * 5, accuracy=[value, 0.5, value, 0.6, 0.7], kappa=[value] * 5)
    text, reader = read(run)
    assert "panel lines accuracy" in text
    assert "panel lines kappa" not in text
    lines = [a["d"] for _, a in reader.found if a.get("class") == "line run0"]
    assert lines[1:] == ["M200 750h0M400 500L500 250"]  # the first is the legend's


def test_a_measure_out_of_its_range_stays_in_the_picture():
    run = run_of([[0]] * 3, stability=[0.9, 1.0, 1.0], stability_low=[0.5, 1.0, 0.9],
                 stability_high=[1.4, 1.0, 1.1])  # fmt: skip
    _, reader = read(run)
    band = next(a["d"] for _, a in reader.found if a.get("class", "").startswith("band"))
    heights = [float(y) for _, y in re.findall(r"(\S+) (-?[\d.]+)", band.replace("Z", ""))]
    assert all(0 <= y <= 1000 for y in heights)


@pytest.mark.parametrize(
    "selected",
    [[], [[]], [[], [], []], [[0]], [[0]] * 2, [[], [3], []], [list(range(50))]],
    ids=["no steps", "nothing", "never", "one", "two steps", "once", "one step of many"],
)
def test_small_runs_are_shown(selected):
    for runs in ({"a": run_of(selected)}, {"a": run_of(selected), "b": drifting()}):
        _, reader = read(runs)
        assert not [n for n in numbers_in(reader) if n in ("nan", "inf")]
        assert "settings" in reader.attributes("id")


def test_what_was_selected_once_is_not_what_matters_now():
    text = page(run_of([[3], []]))
    assert "Nothing is selected." in text
    assert 'title="x3"' not in text[: text.index("Selection over time")]


def test_no_runs_make_a_page_that_says_so():
    assert "There are no runs" in page([])
    assert "There are no runs" in page({})


def test_a_name_that_is_selected_under_two_columns_is_shown_twice():
    text = page(run_of([[0, 1]] * 3, names={0: "same", 1: "same"}))
    heat = text[text.index("Selection over time") :]
    assert heat.count('title="same"') == 2


def test_the_page_stays_small_and_says_what_it_leaves_out():
    run = huge()
    text, _ = read({"one": run})
    assert len(text.encode()) < 500_000
    assert "of 1,000 features that were ever selected" in text
    assert "Each point is the mean of 42 steps" in text
    assert "later drifts are not shown" in text
    text, _ = read({f"run {i}": run for i in range(8)})
    assert len(text.encode()) < 1_000_000


@pytest.mark.parametrize("runs", [1, 8, 20])
@pytest.mark.parametrize("length", [20, 2000])
def test_long_names_do_not_make_the_page_large(runs, length):
    run = huge(steps=2000)
    named = run.selections.with_columns(name=length // 2 * "<&" + pl.col("name"))
    run = replace(run, selections=named)
    text, _ = read({f"run {i}, {'with a long name ' * 10}": run for i in range(runs)})
    assert len(text.encode()) < 1_000_000
    assert text.count("panel heat") == runs and len(re.findall('class="s[1-4]"', text)) > 5 * runs


def test_a_report_is_written_to_a_file(tmp_path):
    run = drifting()
    write_report(tmp_path / "r.html", run, title="Ä ✓")
    assert (tmp_path / "r.html").read_bytes().decode("utf-8") == page(run, title="Ä ✓")


def test_a_report_that_cannot_be_drawn_leaves_the_old_one(tmp_path):
    (tmp_path / "r.html").write_text("old")
    with pytest.raises(AttributeError):
        write_report(tmp_path / "r.html", {"a": object()})
    assert (tmp_path / "r.html").read_text() == "old"
