"""Selectors that need no labels, from the command line: no --target."""

import polars as pl
import pytest

import driftsieve


@pytest.mark.parametrize(
    ("name", "kind", "parameters"),
    [
        ("gfw", driftsieve.GFW, {}),
        ("gfw:p=1:directions=2", driftsieve.GFW, {"p": 1, "directions": 2}),
        ("mcfs", driftsieve.MCFS, {}),
        ("mcfs:affinity=cosine", driftsieve.MCFS, {"affinity": "cosine"}),
        ("laplacian:neighbors=3", driftsieve.LaplacianScore, {"neighbors": 3}),
    ],
)
def test_rank_without_a_target(good, data, name, kind, parameters):
    columns = ["f0", "f1", "f2", "f3"]
    answer = good(
        "rank", data, "--columns", ",".join(columns), "--score", name, "-k", 2, "--json"
    ).json
    sieve = kind(k=2, **parameters).fit(pl.read_parquet(data).select(columns))
    assert answer["target"] is None
    assert [row["name"] for row in answer["ranking"]] == list(sieve.selection_.names)
    assert [row["score"] for row in answer["ranking"]] == sieve.selection_.scores.tolist()


def test_a_window_and_a_state_to_go_on_from(good, data):
    options = ["--columns", "f0,f1,f2,f3", "--score", "mcfs", "-k", 2, "--window", "500", "--json"]
    first = good("rank", data, *options, "--save", "a.sieve").json
    assert driftsieve.load("a.sieve").memory == driftsieve.Window(500)
    again = good("rank", data, *options, "--resume", "a.sieve").json
    assert again["new_rows"] == 0
    assert [row["name"] for row in again["ranking"]] == [row["name"] for row in first["ranking"]]


def test_fading_is_refused_with_a_sentence(run, data):
    outcome = run("rank", data, "--columns", "f0,f1", "--score", "gfw", "--half-life", "50")
    assert outcome.code == 2
    assert "GFW keeps whole rows, which cannot fade" in outcome.err
    assert "Traceback" not in outcome.err


def test_a_limit_of_memory(run, data):
    outcome = run("rank", data, "--columns", "f0,f1", "--score", "laplacian:max-bytes=20000")
    assert outcome.code == 2
    assert "max_bytes allows 2e-05" in outcome.err
