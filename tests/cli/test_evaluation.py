"""`driftsieve evaluate`, `compare` and `demo`."""

import pytest

from driftsieve.evaluation.run import Run


def test_a_selector_is_evaluated(good, data, tmp_path):
    outcome = good(
        "evaluate", data, "-t", "label", "-k", 2, "--batch", 200,
        "--save", "run.parquet", "--report", "r.html",
    )  # fmt: skip
    assert "accuracy" in outcome.out and "f3" in outcome.out
    run = Run.load(tmp_path / "run.parquet")
    assert run.steps.height == 15
    assert run.summary()["accuracy"] > 0.9
    assert "Quality over time" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("learner", ["sgd", "sparse-fsa", "perceptron", "nb", "none"])
def test_every_learner_works(good, data, learner):
    options = ["--learner", learner, "--delay", "300", "--measure-over", "500", "--json"]
    answer = good("evaluate", data, "-t", "label", *options).json
    (result,) = answer["runs"].values()
    assert (result["summary"]["accuracy"] is None) == (learner == "none")
    assert result["settings"]["delay"] == 300
    assert result["selection"][0]["name"] == "f3"


@pytest.mark.parametrize("late", [["--batch", "5000"], ["--delay", "5000"]])
def test_that_nothing_was_predicted_is_said(good, data, late):
    outcome = good("evaluate", data, "-t", "label", *late)
    assert "no row could be predicted" in outcome.err
    assert "no row could be predicted" not in good("evaluate", data, "-t", "label").err


def test_the_report_says_which_file_it_is_about(good, data, tmp_path):
    good("evaluate", data, "-t", "label", "--batch", 300, "--save", "r.parquet", "-q")
    stream = Run.load(tmp_path / "r.parquet").settings["stream"]
    assert stream == f"open_stream({str(data)!r}, target='label', batch=300)"


@pytest.mark.parametrize("command", ["rank", "evaluate", "compare"])
def test_what_was_asked_for_is_there_when_the_reader_of_a_pipe_has_seen_enough(
    start, data, tmp_path, command
):
    process = start(command, data, "-t", "label", "--report", "r.html")
    process.stdout.close()
    assert process.wait(timeout=60) == 1
    assert "Traceback" not in process.stderr.read()
    assert "</html>" in (tmp_path / "r.html").read_text()


def test_classes_may_be_named(good, tmp_path):
    rows = "".join(f"{i % 7},{int(i >= 1500)}\n" for i in range(3000))
    (tmp_path / "d.csv").write_text("x,y\n" + rows)
    good("evaluate", "d.csv", "-t", "y", "--classes", "0,1")


def test_selectors_are_compared(good, data, tmp_path):
    wishes = "t, fisher:window=500, t:k=1:half-life=100"
    outcome = good("compare", data, "-t", "label", "-k", 2, "--selectors", wishes, "--out", "o")
    for name in ("t", "fisher:window=500"):
        assert name in outcome.out
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "fisher-window-500.parquet", "report.html", "t-k-1-half-life-100.parquet", "t.parquet",
    ]  # fmt: skip
    assert Run.load(tmp_path / "o" / "t.parquet").steps["n_selected"].to_list() == [2] * 3
    one = Run.load(tmp_path / "o" / "t-k-1-half-life-100.parquet")
    assert one.steps["n_selected"].to_list() == [1] * 3


def test_a_comparison_reads_the_same_rows_for_each(good, data):
    answer = good(
        "compare", data, "-t", "label", "--selectors", "t,t:k=10", "--json", "--learner", "nb"
    ).json
    first, second = (result["summary"] for result in answer["runs"].values())
    assert first["rows"] == second["rows"] == 3000
    assert first["accuracy"] == second["accuracy"]


def test_what_a_generated_file_knows_is_used(good, tmp_path):
    settings = ["--set", "n_features=12", "--set", "k=3", "--set", "shift_every=1000"]
    good("generate", "linear", "s.parquet", "--rows", 4000, *settings, "--set", "step=3")
    outcome = good(
        "compare", "s.parquet", "-t", "y", "-k", 3, "--selectors", "t,t:window=500",
        "--batch", 250, "--report", "r.html", "--json",
    )  # fmt: skip
    never, window = (result["summary"] for result in outcome.json["runs"].values())
    assert window["mean_recall"] > 0.6 > never["mean_recall"]
    assert window["drifts_found"] == 3
    assert 'class="truth"' in (tmp_path / "r.html").read_text()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    from click.testing import CliRunner

    from driftsieve.cli.main import main

    folder = tmp_path_factory.mktemp("demo")
    return folder, CliRunner().invoke(main, ["demo", "--out", str(folder / "new" / "demo")])


def test_the_demonstration_shows_that_forgetting_helps(demo):
    folder, result = demo
    assert result.exit_code == 0, result.output
    assert "selected and relevant" in result.stdout
    assert "demo/report.html" in result.stderr.replace("\\", "/")
    recall = {
        path.stem: Run.load(path).summary()["mean_recall"]
        for path in (folder / "new" / "demo").glob("*.parquet")
    }
    assert recall["t-never-forgets"] < 0.5 < 0.85 < recall["t-fading"]
    assert recall["fisher-last-3-000"] > 0.85


def test_the_report_of_the_demonstration_is_whole(demo):
    text = (demo[0] / "new" / "demo" / "report.html").read_text()
    assert len(text) < 1_000_000
    assert text.count("panel heat") == 3
