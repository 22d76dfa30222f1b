"""`driftsieve rank`: the table, JSON, states and reports."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import driftsieve
from driftsieve.cli.passing import Halfway
from tests.cli.conftest import table


def names(outcome):
    return [row["name"] for row in outcome.json["ranking"]]


def test_the_best_features_come_first(good, data):
    outcome = good("rank", data, "--target", "label", "-k", 2)
    lines = outcome.out.splitlines()
    assert lines[-2].split()[:2] == ["1", "f3"]
    assert lines[-1].split()[:2] == ["2", "f1"]
    assert "3,000 rows, 5 features, 2 classes" in outcome.out
    assert outcome.err == ""


def test_json_says_the_same_for_machines(good, data):
    outcome = good("rank", data, "--target", "label", "-k", 2, "--json")
    answer = outcome.json
    assert [(row["rank"], row["name"]) for row in answer["ranking"]] == [(1, "f3"), (2, "f1")]
    assert answer["rows"] == answer["new_rows"] == 3000
    counts = table()["label"].value_counts()
    assert answer["classes"] == dict(counts.iter_rows())
    assert answer["target"] == "label"
    assert not answer["interrupted"]
    assert outcome.err == ""


def test_it_agrees_with_the_library(good, data):
    answer = good("rank", data, "-t", "label", "--score", "fisher", "--json").json
    sieve = driftsieve.Screening("fisher")
    for X, y in driftsieve.open_stream(data, target="label"):
        sieve.partial_fit(X, y)
    assert [row["score"] for row in answer["ranking"]] == sieve.selection_.scores.tolist()
    assert names_of(answer) == list(sieve.selection_.names)


def names_of(answer):
    return [row["name"] for row in answer["ranking"]]


@pytest.mark.parametrize(
    ("options", "memory"),
    [
        (["--half-life", "500"], driftsieve.Fading.half_life(500)),
        (["--fading", "0.9", "--every", "250"], driftsieve.Fading(0.9, every=250)),
        (["--fading", "0.999"], driftsieve.Fading(0.999)),
        (["--window", "700"], driftsieve.Window(700)),
        (["--score", "t:window=700"], driftsieve.Window(700)),
        (["--score", "t:half-life=500", "--window", "9"], driftsieve.Fading.half_life(500)),
        ([], None),
    ],
)
def test_the_memory_is_chosen(good, data, tmp_path, options, memory):
    good("rank", data, "-t", "label", *options, "--save", "s.sieve", "-q")
    assert driftsieve.load(tmp_path / "s.sieve").memory == memory


def test_columns_and_weights_are_chosen(good, tmp_path):
    frame = table().with_columns(w=pl.Series(np.arange(3000) % 3, dtype=pl.Float64))
    frame.write_csv(tmp_path / "data.csv")
    answer = good(
        "rank", "data.csv", "-t", "label", "--weight", "w", "--columns", "f0, f1,f2", "--json"
    ).json
    sieve = driftsieve.Screening("t").fit(
        frame.select("f0", "f1", "f2"), frame["label"], sample_weight=frame["w"]
    )
    assert names_of(answer) == list(sieve.selection_.names)
    scores = [row["score"] for row in answer["ranking"]]
    np.testing.assert_allclose(scores, sieve.selection_.scores, rtol=1e-12)


def test_formats_have_options(good, tmp_path):
    (tmp_path / "german.csv").write_text("f0;label\n1;a\n2;b\n2;a\n")
    (tmp_path / "tabs.csv").write_text("1\ta\n2\tb\n2\ta\n")
    outcome = good("rank", "german.csv", "-t", "label", "--format", "csv:separator=;", "--json")
    assert outcome.json["ranking"][0]["name"] == "f0"
    tabs = ["--format", r"csv:separator=\t:header=false"]
    assert good("rank", "tabs.csv", "-t", "x1", *tabs, "--json").json["rows"] == 3


def test_a_column_may_have_a_comma_in_its_name(good, tmp_path):
    (tmp_path / "d.csv").write_text('"a, b",c,label\n1,5,0\n2,5,1\n2,5,0\n')
    outcome = good("rank", "d.csv", "-t", "label", "--columns", '"a, b", c', "--json")
    assert outcome.json["features"] == 2


def test_top_shows_the_best_of_the_selected(good, data):
    answer = good("rank", data, "-t", "label", "-k", 4, "--top", 2, "--json").json
    assert len(answer["ranking"]) == 2


def test_a_rank_that_moved_says_so(good, tmp_path):
    before = table(2000, seed=1)
    after = table(4000, seed=2).rename({"f3": "f0", "f0": "f3"}).select(before.columns)
    pl.concat([before, after]).write_parquet(tmp_path / "data.parquet")
    answer = good("rank", "data.parquet", "-t", "label", "--window", 2000, "-k", 2, "--json").json
    assert names_of(answer) == ["f0", "f1"]
    assert answer["earlier_row"] == 4000
    text = good("rank", "data.parquet", "-t", "label", "--window", 500, "--batch", 500).out
    assert "since row 4,000" in text


@pytest.mark.parametrize(("rows", "half"), [(9, 4), (11, 4), (12, 8), (15, 8), (16, 8), (17, 8)])
def test_half_way_is_half_way(rows, half):
    halfway = Halfway()
    for seen in range(1, rows + 1):
        halfway.note(SimpleNamespace(n_samples_seen_=seen, n_features_in_=1, ranking_=np.ones(1)))
    assert halfway.row(rows) == half


def test_undefined_scores_are_null_and_perfect_ones_infinite(good, tmp_path):
    pl.DataFrame(
        {"perfect": [0.0, 0.0, 1.0, 1.0], "constant": [1.0] * 4, "y": [0, 0, 1, 1]}
    ).write_csv(tmp_path / "d.csv")
    outcome = good("rank", "d.csv", "-t", "y", "--json")
    assert [(r["name"], r["score"]) for r in outcome.json["ranking"]] == [("perfect", "Infinity")]
    assert "∞" in good("rank", "d.csv", "-t", "y").out


def test_one_class_has_no_ranking(good, tmp_path):
    pl.DataFrame({"x": [1.0, 2.0], "y": [0, 0]}).write_csv(tmp_path / "d.csv")
    assert good("rank", "d.csv", "-t", "y", "--json").json["ranking"] == []
    assert "No feature has a score:" in good("rank", "d.csv", "-t", "y").out


def test_a_report_is_written(good, data, tmp_path):
    outcome = good("rank", data, "-t", "label", "--report", "r.html")
    assert "The report is in r.html" in outcome.err
    text = (tmp_path / "r.html").read_text()
    assert "Selection over time" in text and "f3" in text


# States


def test_a_resumed_file_without_new_rows_says_so(good, data):
    first = good("rank", data, "-t", "label", "--save", "s.sieve", "--json")
    again = good("rank", data, "-t", "label", "--resume", "s.sieve", "--json")
    assert again.json["new_rows"] == 0
    assert again.json["rows"] == 3000
    assert names(again) == names(first)
    outcome = good("rank", data, "-t", "label", "--resume", "s.sieve")
    assert "nothing new in" in outcome.err


@pytest.mark.parametrize("report", [[], ["--report", "r.html"]])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_that_has_grown_is_read_where_it_was_left(good, tmp_path, ending, report):
    def write(frame, name):
        getattr(frame, f"write_{ending}")(tmp_path / name)

    frame, file = table(), f"data.{ending}"
    options = ["-t", "label", "--batch", 500, *report]
    write(frame[:1500], file)
    good("rank", file, *options, "--save", "s.sieve")
    write(frame, file)
    outcome = good("rank", file, *options, "--resume", "s.sieve", "--save", "s.sieve", "--json")
    assert outcome.json["new_rows"] == 1500
    good("rank", file, *options, "--save", "whole.sieve")
    assert (tmp_path / "s.sieve").read_bytes() == (tmp_path / "whole.sieve").read_bytes()


def test_another_file_is_read_from_its_beginning(good, data, tmp_path):
    good("rank", data, "-t", "label", "--save", "s.sieve")
    table(1000, seed=5).write_csv(tmp_path / "day2.csv")
    outcome = good("rank", "day2.csv", "-t", "label", "--resume", "s.sieve")
    assert "stood in data.parquet: day2.csv is read from its beginning" in outcome.err
    assert "4,000 rows" in outcome.out


def test_open_features_let_columns_come_and_go(good, data, tmp_path):
    good("rank", data, "-t", "label", "--open-features", "--save", "s.sieve")
    table(1000, seed=5).rename({"f0": "new"}).write_csv(tmp_path / "day2.csv")
    answer = good("rank", "day2.csv", "-t", "label", "--resume", "s.sieve", "--json").json
    assert {"new", "f0"} <= set(names_of(answer))


def test_k_may_change_when_a_state_is_resumed(good, data):
    good("rank", data, "-t", "label", "-k", 3, "--save", "s.sieve")
    answer = good("rank", data, "-t", "label", "--resume", "s.sieve", "-k", 1, "--json").json
    assert names_of(answer) == ["f3"]
    answer = good("rank", data, "-t", "label", "--resume", "s.sieve", "--json").json
    assert len(answer["ranking"]) == 3


def test_a_state_is_kept_by_the_library_too(good, data, tmp_path):
    good("rank", data, "-t", "label", "--save", "s.sieve")
    sieve = driftsieve.load(tmp_path / "s.sieve")
    assert sieve.position_ == {"file": "data.parquet", "target": "label", "at": 3000}
    sieve.save(tmp_path / "own.sieve")
    del sieve.position_
    sieve.save(tmp_path / "without.sieve")
    good("rank", data, "-t", "label", "--resume", "own.sieve")
    outcome = good("rank", data, "-t", "label", "--resume", "without.sieve")
    assert "names no file" in outcome.err


def test_what_needs_no_labels_ranks_without_a_target(good, tmp_path):
    path = tmp_path / "unlabelled.parquet"
    table().drop("label").write_parquet(path)
    answer = good("rank", path, "--selector", "fsds:directions=2", "-k", 3, "--json").json
    sieve = driftsieve.FSDS(k=3, directions=2).fit(table().drop("label"))
    assert names_of(answer) == list(sieve.selection_.names)
    assert answer["target"] is None and answer["classes"] in (None, {})
    again = good("rank", path, "--selector", "fsds", "--half-life", 500, "--save", "a.sieve")
    assert "3,000 rows, 5 features" in again.out
    assert driftsieve.load("a.sieve").memory == driftsieve.Fading.half_life(500)
