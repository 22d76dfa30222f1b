import json
import os

import numpy as np
import polars as pl
import pytest

from driftsieve import Screening, prequential
from driftsieve.batch import Batch
from driftsieve.evaluation.record import Record
from driftsieve.evaluation.run import DRIFTS, SELECTIONS, STEPS, Run
from driftsieve.selection import Selection
from driftsieve.streams.linear import DriftingLinear

ENDINGS = [".parquet", ".jsonl", ".ndjson"]


def example(steps=5):
    record = Record(drift_points=(7, 12), start=0, stability_window=3, found=0.9)
    rng = np.random.default_rng(0)
    for step in range(steps):
        relevant = np.zeros((5, 6), dtype=bool)
        relevant[:, step : step + 2] = True
        batch = Batch(np.zeros((5, 6)), relevant=relevant)
        size = step % 3
        columns = rng.choice(6, size, replace=False)
        scores = np.array([np.inf, -np.inf, 0.1, np.nan])[rng.permutation(4)[:size]]
        selection = Selection(columns, scores, tuple(f'"näme"\n{j}' for j in columns), step)
        if step == 0:
            selection = None  # nothing known yet
        figures = {"accuracy": 1 / 3 + step / 7, "log_loss": np.nan, "state_bytes": 2**40 + step}
        record.add(batch, selection, columns, 6, figures, record.rows + 5)
    return record.run({"selector": "Näme()", "options": {"k": [1, None, 0.1]}, "window": 3})


def assert_same(one, other):
    for name in ("steps", "selections", "drifts"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.schema == theirs.schema, name
        assert mine.equals(theirs), name
    assert one.settings == other.settings
    assert one.truth == other.truth


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_round_trip_is_exact(tmp_path, ending, steps):
    run = example(steps)
    assert (run.steps.schema, run.selections.schema, run.drifts.schema) == (
        STEPS,
        SELECTIONS,
        DRIFTS,
    )
    path = tmp_path / f"run{ending}"
    run.save(path)
    assert_same(Run.load(path), run)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_keeps_the_truth(tmp_path, ending):
    stream = DriftingLinear(n_rows=600, n_features=9, k=2, step=2, shift_every=200, batch=150)
    stream.seek(150)
    run = prequential(stream, Screening("t", k=2), start=150)
    assert run.truth is not None
    for row in (150, 199, 200, 599):
        assert run.truth.relevant_at(row).tolist() == stream.relevant_at(row).tolist()
    run.save(tmp_path / f"run{ending}")
    assert_same(Run.load(tmp_path / f"run{ending}"), run)


def test_undefined_is_null():
    run = example()
    assert run.steps["log_loss"].null_count() == 5
    assert run.steps["stability"].to_list()[:2] == [None, None]
    assert run.steps["recall"][0] is None
    assert not any(
        column.is_nan().any() for column in [*run.steps, *run.selections] if column.dtype.is_float()
    )


def test_other_programs_can_read_the_files(tmp_path):
    run = example()
    run.save(tmp_path / "run.parquet")
    table = pl.read_parquet(tmp_path / "run.parquet")
    assert table.columns == [*STEPS, "selection"]
    assert table["rows"].to_list() == [5, 10, 15, 20, 25]
    run.save(tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    assert [json.loads(line, parse_constant=refuse)["rows"] for line in lines[1:]] == [
        5,
        10,
        15,
        20,
        25,
    ]


def test_saving_replaces_the_file_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    example(1).save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        example(5).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.parquet"]


@pytest.mark.parametrize("name", ["run", "run.csv", "run.html"])
def test_other_endings_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"must end in \.parquet or \.jsonl"):
        example().save(tmp_path / name)
    with pytest.raises(ValueError, match=r"must end in \.parquet or \.jsonl"):
        Run.load(tmp_path / name)


def test_a_file_that_is_missing_is_said_to_be(tmp_path):
    for ending in ENDINGS:
        with pytest.raises(FileNotFoundError):
            Run.load(tmp_path / f"none{ending}")


def spoilt(tmp_path):
    run, good = example(), tmp_path / "good.jsonl"
    run.save(good)
    text = good.read_text(encoding="utf-8")
    run.steps.write_parquet(tmp_path / "foreign.parquet")
    (tmp_path / "text.parquet").write_text("no parquet")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "text.jsonl").write_text("no json\n")
    (tmp_path / "list.jsonl").write_text("[1, 2]\n")
    (tmp_path / "cut.jsonl").write_text(text[: len(text) // 2], encoding="utf-8")
    (tmp_path / "short.jsonl").write_text("".join(text.splitlines(True)[:-1]), encoding="utf-8")
    (tmp_path / "strange.jsonl").write_text('{"driftsieve.run": [1]}\n')
    (tmp_path / "future.jsonl").write_text(text.replace('"format": 2', '"format": 3'), "utf-8")
    (tmp_path / "lines.jsonl").write_text(text.replace('"rows"', '"rose"'), encoding="utf-8")
    (tmp_path / "binary.jsonl").write_bytes(bytes(range(256)))
    good.unlink()
    return sorted(tmp_path.iterdir())


def test_files_that_hold_no_run_are_refused_in_one_sentence(tmp_path):
    paths = spoilt(tmp_path)
    assert len(paths) == 11
    for path in paths:
        with pytest.raises(ValueError, match="does not hold a run of driftsieve") as caught:
            Run.load(path)
        assert "\n" not in str(caught.value)


def test_the_summary_holds_the_last_figures_and_means():
    run = example()
    summary = run.summary()
    assert summary["rows"] == 25 and summary["steps"] == 5
    assert summary["accuracy"] == run.steps["accuracy"][-1]
    assert summary["mean_stability"] == pytest.approx(run.steps["stability"].mean())
    assert (summary["drifts"], summary["learner_seconds"]) == (2, None)
    json.dumps(summary, allow_nan=False)


def test_the_summary_of_nothing_is_empty():
    summary = example(0).summary()
    assert summary["steps"] == 0 and summary["accuracy"] is None and summary["median_lag"] is None
