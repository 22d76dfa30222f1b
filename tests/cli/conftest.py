"""The command, called within the process or as a process of its own, on small files."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

COMMAND = [sys.executable, "-c", "from driftsieve.cli.main import main; main()"]


@dataclass
class Outcome:
    """What a call of the command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        def refuse(constant):
            raise AssertionError(f"{constant} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call the command in an empty folder, within this process."""
    from driftsieve.cli.main import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        expected = result.exception is None or isinstance(result.exception, SystemExit)
        if not expected:
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def good(run):
    """Call the command, which succeeds."""

    def call(*arguments):
        outcome = run(*arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return call


@pytest.fixture
def wrong(run):
    """Call the command, which refuses in one sentence, and return the sentence."""

    def call(*arguments):
        outcome = run(*arguments)
        assert outcome.code == 2, (outcome.code, outcome.out, outcome.err)
        assert outcome.out == ""
        assert outcome.err.startswith("Error: ")
        assert outcome.err.count("\n") == 1 and len(outcome.err) > 20
        assert "Traceback" not in outcome.err
        return outcome.err

    return call


@pytest.fixture
def start(tmp_path):
    """Start the command as a process of its own."""
    processes = []

    def call(*arguments, **environment):
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield call
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def process(start):
    """Call the command as a process of its own, and wait for it."""

    def call(*arguments, **environment):
        started = start(*arguments, **environment)
        out, err = started.communicate(timeout=60)
        return Outcome(started.returncode, out, err)

    return call


def table(rows=3000, features=5, seed=0):
    """Columns f0 to f4, of which f1 and f3 tell the class apart, and the column `label`."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    frame = pl.DataFrame(X, schema=[f"f{j}" for j in range(features)], orient="row")
    return frame.with_columns(pl.Series("label", np.where(2 * X[:, 3] + X[:, 1] > 0, "yes", "no")))


@pytest.fixture
def data(tmp_path):
    """The path of a Parquet file of `table`."""
    path = tmp_path / "data.parquet"
    table().write_parquet(path)
    return path
