"""`driftsieve generate` and `merge`."""

import numpy as np
import polars as pl
import pytest

import driftsieve
from driftsieve.streams.knowledge import read_categorical, read_truth
from driftsieve.streams.linear import DriftingLinear
from tests.cli.conftest import table

SMALL = ["--rows", "300", "--set", "n_features=6", "--set", "k=2", "--set", "shift-every=100"]


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "arrow"])
def test_a_stream_is_written(good, tmp_path, ending):
    file = f"s.{ending}"
    outcome = good("generate", "linear", file, *SMALL, "--seed", 7)
    assert "300 rows" in outcome.err and "'y'" in outcome.err
    expected = DriftingLinear(n_rows=300, n_features=6, k=2, shift_every=100, seed=7).rows(0, 300)
    (batch,) = driftsieve.open_stream(tmp_path / file, target="y")
    np.testing.assert_allclose(batch.X, expected.X, rtol=1e-15)
    assert batch.y.tolist() == expected.y.tolist()


def test_svmlight_files_have_no_target_column(good, tmp_path):
    assert "begins with its label" in good("generate", "linear", "s.svm", *SMALL).err
    assert good("generate", "linear", "s.svm", *SMALL, "--json").json["target"] is None
    assert good("rank", "s.svm", "-k", 1, "--json").json["rows"] == 300


def test_the_truth_goes_with_a_parquet_file(good, tmp_path):
    good("generate", "linear", "s.parquet", *SMALL)
    assert read_truth(tmp_path / "s.parquet").drift_points == (100, 200)


DRIFTING = ["--rows", "3000", "--set", "drift_every=1000", "--set", "width=200"]


def test_gradual_drifts_and_nominal_columns_go_with_a_parquet_file(good, tmp_path):
    good("generate", "agrawal", "a.parquet", *DRIFTING, "--set", "functions=2,7")
    truth = read_truth(tmp_path / "a.parquet")
    assert truth.drift_points == (1_000, 2_000)
    assert len(truth.changes) > 20
    assert truth.sets == ((0, 2), (0, 1, 8))
    assert read_categorical(tmp_path / "a.parquet") == ["elevel", "car", "zipcode"]
    select = ["-t", "y", "--selector", "mutual_information:window=500", "-k", 3]
    run = good("evaluate", "a.parquet", *select, "--json", "--batch", 100).json["runs"]
    (result,) = run.values()
    assert [drift["row"] for drift in result["drifts"]] == [1_000, 2_000]
    asked = result["settings"]["selector_parameters"]["categorical"]
    assert asked == ["elevel", "car", "zipcode"]


def test_that_columns_are_nominal_may_be_said_otherwise(good):
    good("generate", "assets", "a.parquet", "--rows", 2000)
    score = ["-t", "y", "--score", "chi2", "--json"]
    known = good("rank", "a.parquet", *score, "--save", "s.sieve").json["selector"]
    assert known["categorical"] == ["color", "price", "payment", "amount", "delivery_delay"]
    good("generate", "assets", "b.parquet", "--rows", 200, "--scenario", "stationary")
    shuffled = good("rank", "b.parquet", *score).json["selector"]
    assert shuffled["categorical"] == known["categorical"]
    fewer = good("rank", "a.parquet", *score, "--columns", "price,color").json["selector"]
    assert fewer["categorical"] == ["color", "price"]
    said = good("rank", "a.parquet", *score, "--categorical", "price").json["selector"]
    assert said["categorical"] == ["price"]
    again = good("rank", "a.parquet", *score, "--resume", "s.sieve").json["selector"]
    assert again["categorical"] == known["categorical"]
    good("rank", "a.parquet", "-t", "y", "--score", "t")  # which has no use for them


def test_a_resumed_report_shows_drifts_where_the_file_has_them(good, tmp_path):
    good("generate", "sea", "a.parquet", *DRIFTING, "--seed", 1)
    good("generate", "sea", "b.parquet", *DRIFTING, "--seed", 2)
    good("rank", "a.parquet", "-t", "y", "--save", "s.sieve")
    good("rank", "b.parquet", "-t", "y", "--resume", "s.sieve", "--report", "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "Drift at row 4,000" in text and "Drift at row 5,000" in text
    assert text.count("Drift at row ") % 2 == 0


def test_streams_of_papers_have_their_length_and_drifts(good, tmp_path):
    listed = good("generate", "--list", "--json").json["generators"]
    assert listed["agrawal"]["drift_every"] == 200_000
    assert listed["fy-c"]["n_classes"] == 10
    answer = good("generate", "assets", "a.parquet", "--json").json
    assert answer["rows"] == 500_000
    assert read_truth(tmp_path / "a.parquet").drift_points == (200_000, 400_000)


def test_rows_may_arrive_in_another_order(good, tmp_path):
    good("generate", "linear", "s.csv", *SMALL, "--scenario", "missing", "--target", "class")
    frame = pl.read_csv(tmp_path / "s.csv")
    assert frame["class"].null_count() == 0
    assert frame["x0"].null_count() > 30


def test_generating_tells_machines_what_it_wrote(good):
    assert "--set functions=1,4,8" in good("generate", "--list").out
    answer = good("generate", "linear", "s.csv", *SMALL, "--json").json
    assert answer == {"path": "s.csv", "rows": 300, "target": "y"}


def test_generators_are_listed_with_their_options(good):
    text = good("generate", "--list").out
    assert "linear" in text and "--set shift_every=2000" in text and "missing" in text
    answer = good("generate", "--list", "--json").json
    assert answer["generators"]["linear"]["nu"] == 0.5
    assert "missing" in answer["scenarios"]


def test_states_are_merged(good, tmp_path):
    frame = table()
    for name, part in {"a": frame[:1000], "b": frame[1000:1500], "c": frame[1500:]}.items():
        part.write_csv(tmp_path / f"{name}.csv")
        good("rank", f"{name}.csv", "-t", "label", "--save", f"{name}.sieve", "-q")
    outcome = good("merge", "a.sieve", "b.sieve", "c.sieve", "-o", "all.sieve")
    assert "3,000 rows" in outcome.err
    merged = driftsieve.load(tmp_path / "all.sieve")
    whole = driftsieve.Screening("t").fit(frame.drop("label"), frame["label"])
    np.testing.assert_allclose(merged.scores_, whole.scores_, rtol=1e-10)
    answer = good("merge", "a.sieve", "-o", "a.sieve", "--json").json
    assert answer["rows"] == 1000


def test_a_merged_state_is_gone_on_with(good, tmp_path):
    frame = table()
    for name, part in {"a": frame[:1000], "b": frame[1000:]}.items():
        part.write_csv(tmp_path / f"{name}.csv")
        good("rank", f"{name}.csv", "-t", "label", "--save", f"{name}.sieve", "-q")
    good("merge", "a.sieve", "b.sieve", "-o", "both.sieve")
    answer = good("rank", "b.csv", "-t", "label", "--resume", "both.sieve", "--json").json
    assert (answer["new_rows"], answer["rows"]) == (0, 3000)
