"""The command as a whole: help, versions, how it starts, and what it shows meanwhile."""

import os
import pty
import subprocess
import sys
import time

import pytest

import driftsieve
from tests.cli.conftest import COMMAND

COMMANDS = ["demo", "rank", "evaluate", "compare", "generate", "merge"]


def test_help_has_examples_that_exist(good):
    text = good("--help").out
    for command in COMMANDS:
        assert f"driftsieve {command}" in text
        assert good(command, "--help").out.startswith(f"Usage: main {command}")


def test_without_a_command_there_is_help(run):
    outcome = run()
    assert outcome.code == 0
    assert "driftsieve rank" in outcome.out


def test_the_version_is_told(good):
    assert good("--version").out == f"driftsieve {driftsieve.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["rank", "--help"], ["rank"]])
def test_it_starts_without_importing_anything_heavy(arguments):
    # Not timed: what takes time is named instead.
    code = (
        "import sys; from driftsieve.cli.main import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == (2 if arguments == ["rank"] else 0)
    heavy = {"numpy", "numba", "sklearn", "polars", "scipy", "rich", "matplotlib", "pandas"}
    assert not heavy & set(done.stderr.split())


@pytest.mark.parametrize("command", ["rank", "evaluate", "compare"])
def test_a_missing_file_is_missed_before_anything_slow_is_imported(command):
    code = (
        "import sys; from driftsieve.cli.main import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    arguments = [sys.executable, "-c", code, command, "missing.parquet"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 2 and "there is no file missing.parquet" in done.stderr
    assert not {"numba", "sklearn", "pandas"} & set(done.stderr.split())


def test_the_installed_command_is_this_one(process):
    assert process("--version").out == f"driftsieve {driftsieve.__version__}\n"


def test_the_first_run_says_that_it_compiles(good, data, tmp_path, monkeypatch):
    # In this process all has been compiled: only what the command makes of the cache is looked at.
    rank = ["rank", data, "-t", "label"]
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert "compiles" in good(*rank).err
    assert good(*rank, "--quiet").err == good(*rank, "--json").err == ""
    (tmp_path / "cache" / "kernels").mkdir(parents=True)
    (tmp_path / "cache" / "kernels" / "moments.combine-1.py311.nbi").touch()
    assert good(*rank).err == ""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert good(*rank).err == ""


@pytest.mark.parametrize("quiet", [[], ["--quiet"], ["--json"]])
def test_a_terminal_sees_the_progress(data, quiet):
    ours, theirs = pty.openpty()
    command = [*COMMAND, "rank", str(data), "-t", "label", "--batch", "2", *quiet]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=theirs, env=os.environ | {"TERM": "xterm"}
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 4096)
            except OSError:  # so ends a terminal
                break
            if not chunk:
                break
            shown += chunk
            time.sleep(0.01)
    os.close(ours)
    assert process.returncode == 0
    assert (b"rows/s" in shown) == (not quiet)
