"""`driftsieve compare` over several files."""

import pytest

from driftsieve.evaluation.run import Run
from tests.cli.conftest import table


@pytest.fixture
def files(tmp_path):
    """Three files of which f3 and f1 tell the class."""
    for seed, name in enumerate(("a", "b", "c")):
        table(rows=900, seed=seed).write_parquet(tmp_path / f"{name}.parquet")
    return ["a.parquet", "b.parquet", "c.parquet"]


OPTIONS = ["-t", "label", "--batch", 100, "-k", 1]
THREE = ["--selectors", "t,fisher:window=200,t:k=2"]


def test_selectors_are_ranked_over_files(good, files, tmp_path):
    outcome = good(
        "compare", *files, *OPTIONS, *THREE, "--out", "o", "--report", "r.html",
    )  # fmt: skip
    assert "mean rank" in outcome.out and "Friedman" in outcome.out
    assert all(name in outcome.out for name in files)
    assert "t:k=2" in (tmp_path / "r.html").read_text()
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "a.parquet", "b.parquet", "c.parquet", "ranks.html", "ranks.svg",
    ]  # fmt: skip
    inside = sorted(path.name for path in (tmp_path / "o" / "b.parquet").iterdir())
    assert inside == ["fisher-window-200.parquet", "report.html", "t-k-2.parquet", "t.parquet"]
    run = Run.load(tmp_path / "o" / "b.parquet" / "t-k-2.parquet")
    assert run.summary()["rows"] == 900


def test_machines_are_told_runs_and_comparison(good, files):
    answer = good("compare", *files, *OPTIONS, *THREE, "--json").json
    found = answer["comparison"]
    assert list(answer["streams"]) == list(found["values"]) == files
    assert found["measure"] == "accuracy" and len(found["pairs"]) == 3
    assert found["mean_ranks"]["t:k=2"] == 1
    for name in files:
        runs = answer["streams"][name]["runs"]
        accuracy = {method: run["summary"]["accuracy"] for method, run in runs.items()}
        assert accuracy == found["values"][name]
    assert not answer["interrupted"]


def test_another_figure_may_decide(good, files):
    measure = ["--measure", "n_selected", "--json", "--learner", "none"]
    found = good("compare", *files, *OPTIONS, *measure, "--selectors", "t,t:k=3").json["comparison"]
    assert found["mean_ranks"] == {"t": 2, "t:k=3": 1}
    quick = good("compare", *files, *OPTIONS, "--measure", "state_bytes", "--json")
    assert quick.json["comparison"]["smaller_is_better"]


def test_without_a_learner_recall_decides_where_it_is_known(good, tmp_path):
    for seed in (1, 2):
        good("generate", "sea", f"{seed}.parquet", "--rows", 1000, "--seed", seed)
    wishes = ["-t", "y", "--learner", "none", "--selectors", "t:k=2,t:k=1", "--json"]
    found = good("compare", "1.parquet", "2.parquet", *wishes).json["comparison"]
    assert found["measure"] == "mean_recall" and found["mean_ranks"] == {"t:k=2": 1, "t:k=1": 2}


def test_where_the_figure_is_unknown_the_runs_are_kept(run, files, tmp_path):
    options = [*OPTIONS, "--learner", "none", "--out", "o"]
    outcome = run("compare", *files, *options)
    assert outcome.code == 0
    assert "the mean_recall of 't' on 'a.parquet' is not known" in outcome.err
    assert "c.parquet" in outcome.out and "f3" in outcome.out
    assert (tmp_path / "o" / "c.parquet" / "t.parquet").exists()
    misspelt = run("compare", *files, *OPTIONS, "--measure", "recal", "--json")
    assert misspelt.json["comparison"] is None and "has no figure 'recal'" in misspelt.err


def test_files_of_the_same_name_are_named_by_their_folders(good, files, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.parquet").write_bytes((tmp_path / "b.parquet").read_bytes())
    found = good("compare", "a.parquet", "d/a.parquet", *OPTIONS, "--json").json["comparison"]
    assert list(found["values"]) == ["a.parquet", "d/a.parquet"]
    # Two selectors on two files: Wilcoxon's test has no chance.
    assert not found["differ"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.parquet", "a.parquet"], ["named twice"]),
        (["a.parquet", "b.parquet", "--selectors", "t,f"], ["'f'"]),
        (["a.parquet", "--measure", "accuracy"], ["more than one SOURCE"]),
        (["a.parquet", "none.parquet"], ["none.parquet"]),
        (["a.parquet", "b.parquet", "--report", "b.parquet"], ["would replace the data"]),
        ([], ["SOURCE"]),
    ],
)
def test_refusals(wrong, files, arguments, words):
    said = wrong("compare", *arguments, "-t", "label")
    assert all(word in said for word in words)
