"""Interrupted, killed and gone on with: no row is lost, none is counted twice."""

import os
import signal
import subprocess
import sys
import time

import pytest

import driftsieve
from tests.cli.conftest import table

ROWS = 15_000
RANK = ["rank", "data.parquet", "-t", "label", "--half-life", "700", "--batch", "1"]
SAVE = [*RANK, "--save", "s.sieve", "--save-every", "1000"]


@pytest.fixture
def folder(tmp_path):
    table(ROWS).write_parquet(tmp_path / "data.parquet")
    return tmp_path


def wait_for(path, process, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.005)


def assert_same_as_uninterrupted(good, folder):
    good(*RANK, "--save", "whole.sieve")
    assert (folder / "s.sieve").read_bytes() == (folder / "whole.sieve").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_saves_the_state(good, start, folder, number):
    process = start(*SAVE)
    wait_for(folder / "s.sieve", process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted after" in err and "--resume s.sieve" in err
    assert "Traceback" not in err
    assert "rank" in out  # the table of what was seen
    seen = driftsieve.load(folder / "s.sieve").n_samples_seen_
    assert 1000 <= seen < ROWS
    assert f"Interrupted after {seen:,} rows" in err
    good(*SAVE, "--resume", "s.sieve")
    assert_same_as_uninterrupted(good, folder)


def test_kill_loses_what_was_not_saved_and_nothing_else(good, start, folder):
    process = start(*SAVE)
    wait_for(folder / "s.sieve", process)
    process.kill()
    process.communicate()
    seen = driftsieve.load(folder / "s.sieve").n_samples_seen_
    assert seen % 1000 == 0 and seen < ROWS
    outcome = good(*SAVE, "--resume", "s.sieve", "--json")
    assert outcome.json["new_rows"] == ROWS - seen
    assert_same_as_uninterrupted(good, folder)


@pytest.fixture
def interrupted(monkeypatch):
    """Let the command be interrupted while the tenth batch is learnt."""
    learn, batches = driftsieve.Screening._learn, []

    def learn_and_interrupt(self, batch):
        learn(self, batch)
        if batch.n_rows == 100:  # and not the few rows of warming up
            batches.append(batch)
        if len(batches) == 10:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("driftsieve.Screening._learn", learn_and_interrupt)


OPTIONS = ["data.parquet", "-t", "label", "--batch", "100"]


def test_an_interrupt_without_a_state_shows_what_was_seen(run, folder, interrupted):
    outcome = run("rank", *OPTIONS, "--json", "--report", "r.html")
    assert outcome.code == 130
    assert outcome.json["rows"] == 1000
    assert outcome.json["interrupted"]
    assert "Interrupted after 1,000 rows; nothing is kept" in outcome.err
    assert "After 1,000 rows" in (folder / "r.html").read_text()


def test_an_interrupted_evaluation_shows_what_it_has(run, folder, interrupted):
    outcome = run("evaluate", *OPTIONS, "--save", "run.parquet", "--json")
    assert outcome.code == 130
    assert outcome.json["runs"]["t"]["summary"]["rows"] == 1000
    assert outcome.json["interrupted"]
    assert "so far" in outcome.err
    assert (folder / "run.parquet").exists()


def test_an_interrupted_comparison_goes_no_further(run, folder, interrupted):
    outcome = run("compare", *OPTIONS, "--selectors", "t,fisher", "--out", "o")
    assert outcome.code == 130
    assert "fisher" not in outcome.out
    assert sorted(os.listdir(folder / "o")) == ["report.html", "t.parquet"]


def test_interrupted_over_files_it_keeps_what_it_has(run, folder, interrupted):
    (folder / "more.parquet").write_bytes((folder / "data.parquet").read_bytes())
    outcome = run("compare", "more.parquet", *OPTIONS, "--selectors", "t,fisher", "--out", "o")
    assert outcome.code == 130
    assert "more.parquet" in outcome.out and "f3" in outcome.out and "fisher" not in outcome.out
    assert "not compared over the files" in outcome.err and "so far" in outcome.err
    assert os.listdir(folder / "o") == ["more.parquet"]
    assert sorted(os.listdir(folder / "o" / "more.parquet")) == ["report.html", "t.parquet"]


def test_polars_does_not_answer_interrupts_while_a_file_is_written(tmp_path):
    """It takes SIGINT for itself when imported; seen in the handler that the process has."""
    code = """if True:
        import ctypes, signal
        from click.testing import CliRunner
        from driftsieve.cli.generate import command

        def handler():
            action = (ctypes.c_ubyte * 256)()
            ctypes.CDLL(None).sigaction(signal.SIGINT, None, action)
            return bytes(action[:8])

        before = handler()
        import polars
        taken = handler()
        CliRunner().invoke(command, ["linear", "x.csv", "--rows", "10"], catch_exceptions=False)
        print(taken != before, handler() == before)
        """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout == "True True\n"


def test_signals_are_handled_as_before_when_all_is_done(good, folder):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    good("rank", *OPTIONS)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_reader_that_goes_away_is_no_error(start, folder):
    process = start("rank", "data.parquet", "-t", "label", "--json")
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=60) in (0, 1)
    assert err == ""


def test_nothing_is_left_behind(start, folder):
    process = start(*SAVE)
    wait_for(folder / "s.sieve", process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert sorted(os.listdir(folder)) == ["data.parquet", "s.sieve"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow", "svm"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_file_that_is_half_written_is_cleared_away(start, tmp_path, number, ending):
    process = start("generate", "linear", "--rows", "100000000", f"x.{ending}")
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, "Error: interrupted")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_a_full_disk_is_said_of_the_file(run, folder):
    outcome = run("rank", *OPTIONS, "--report", "/dev/full")
    assert (outcome.code, outcome.err) == (2, "Error: /dev/full: No space left on device\n")
