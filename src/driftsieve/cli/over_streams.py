"""Runs on several files: each file's by itself, and what they say together."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from driftsieve.cli.evaluating import Runs, as_values, file_name
from driftsieve.cli.output import print_json
from driftsieve.cli.working import remark
from driftsieve.report.markup import printable


class Streams:
    """The runs of selectors on files, until somebody interrupts."""

    def __init__(self, measure: str, hidden: bool) -> None:
        self.runs: dict[str, Runs] = {}
        """By the names of the files."""
        self._measure = measure
        self._hidden = hidden
        self._unknown: str | None = None

    @property
    def interrupted(self) -> bool:
        return any(runs.interrupted for runs in self.runs.values())

    def comparison(self) -> Any:
        """Return the comparison over all files that were read to their ends; None if there is
        nothing to compare."""
        from driftsieve.evaluation.significance import Comparison

        whole = {name: runs.runs for name, runs in self.runs.items() if not runs.interrupted}
        try:
            return Comparison.of_runs(whole, self._measure)
        except ValueError as error:
            self._unknown = str(error)
            return None

    def write(self, report: Path | None, folder: Path | None) -> None:
        """Write the runs of each file with a report into a folder of its own, and the comparison.

        Before anything is printed: a reader such as `head` may then end the process.
        """
        from driftsieve.report.critical_difference import write_diagram
        from driftsieve.report.over_streams import write_comparison

        if folder is not None:
            for name, runs in self.runs.items():
                inside = folder / file_name(name)
                inside.mkdir(exist_ok=True)
                runs.write(None, inside, f"{name}: which features matter")
        comparison = self.comparison()
        if comparison is None:
            return
        reports = [report] if report else []
        if folder is not None:
            write_diagram(folder / "ranks.svg", comparison)
            reports.append(folder / "ranks.html")
        for path in reports:
            write_comparison(path, comparison, title="Which selectors differ")
            remark(f"The comparison is in {path}: open it in a browser.", self._hidden)

    def show(self, as_json: bool) -> int:
        """Print what came out, and return the exit code."""
        comparison = self.comparison()
        if as_json:
            found = {
                name: as_values(runs.runs, runs.interrupted) for name, runs in self.runs.items()
            }
            print_json(
                {
                    "streams": found,
                    "comparison": None if comparison is None else comparison.to_values(),
                    "interrupted": self.interrupted,
                }
            )
        elif comparison is not None:
            from driftsieve.report.terminal_streams import print_comparison

            print_comparison(comparison)
        else:  # each file by itself, so that nothing is lost
            from driftsieve.report.terminal import print_runs

            for name, runs in self.runs.items():
                click.echo(click.style(printable(name), bold=True))
                print_runs(runs.runs)
        if comparison is None:
            remark(f"The selectors are not compared over the files: {self._unknown}.")
        if self.interrupted:
            remark("Interrupted: these are the results so far.")
            return 130
        return 0


def named(sources: Sequence[str]) -> dict[str, str]:
    """Name sources by the last part of their paths, or by all of it if two are alike there."""
    if len(set(sources)) < len(sources):
        raise ValueError("the same SOURCE is named twice")
    short = [Path(source).name for source in sources]
    unique = len({file_name(name) for name in short}) == len(short)
    return dict(zip(short if unique else sources, sources, strict=True))
