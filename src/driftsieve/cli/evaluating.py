"""What the commands that evaluate have in common: runs with a bar, and what becomes of them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.learners import LEARNERS, make_learner
from driftsieve.cli.output import print_json
from driftsieve.cli.working import Interruption, announce_compilation, progress, remark

evaluation_options = options.together(
    click.option(
        "--learner",
        default="sgd",
        show_default=True,
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}, or none to look at the selection alone.",
    ),
    click.option("--classes", metavar="A,B,...", help="All labels, if the first rows lack some."),
    click.option(
        "--delay",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        metavar="ROWS",
        help="Rows until a label is known.",
    ),
    click.option(
        "--measure-over",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        metavar="ROWS",
        help="Rows over which accuracy is also taken.",
    ),
)
EVALUATION = ("learner", "classes", "delay", "measure_over")


class Runs:
    """Runs by name, evaluated one after the other, until somebody interrupts."""

    def __init__(self, hidden: bool) -> None:
        self.runs: dict[str, Any] = {}
        self.interrupted = False
        self._hidden = hidden
        announce_compilation(hidden)

    def evaluate(
        self,
        name: str,
        open_stream: Callable[[], Any],
        selector: Any,
        *,
        learner: str,
        classes: str | None = None,
        delay: int = 0,
        measure_over: int = 1000,
    ) -> None:
        """Evaluate a selector, unless the run before was interrupted."""
        from driftsieve.evaluation.prequential import Prequential

        if self.interrupted:
            return
        stream = open_stream()
        labels = None if classes is None else [options.value_of(c) for c in classes.split(",")]
        evaluation = Prequential(
            stream,
            selector,
            make_learner(learner),
            classes=labels,
            window=measure_over,
            delay=delay,
        )
        rows = 0
        with Interruption() as interruption, progress(name, stream, self._hidden) as bar:
            try:
                for step in evaluation:
                    bar.advance(step["rows"] - rows)
                    rows = step["rows"]
                    if interruption:
                        self.interrupted = True
                        break
            except ValueError as error:
                if "pass classes=" not in str(error):
                    raise
                what = str(error).partition(": pass classes=")[0]
                raise ValueError(f"{what}: name them all, as in --classes a,b,c") from error
        if rows:
            self.runs[name] = evaluation.run()
            if learner != "none" and self.runs[name].summary()["accuracy"] is None:
                remark(
                    f"{name}: no row could be predicted, for nothing had been learnt before it "
                    "came: choose a smaller --batch or --delay.",
                    self._hidden,
                )
        elif not self.interrupted:
            raise ValueError(f"{name}: the stream has no rows")

    def write(self, report: Path | None, folder: Path | None, title: str) -> None:
        """Write the report, and the runs with a report into a folder.

        Before anything is printed: a reader such as `head` may then end the process.
        """
        from driftsieve.report.page import write_report

        reports = [report] if report else []
        if folder is not None:
            for name, run in self.runs.items():
                run.save(folder / f"{file_name(name)}.parquet")
            reports.append(folder / "report.html")
        for path in reports:
            write_report(path, self.runs, title=title)
            remark(f"The report is in {path}: open it in a browser.", self._hidden)

    def show(self, as_json: bool) -> int:
        """Print what came out, and return the exit code."""
        if as_json:
            print_json(as_values(self.runs, self.interrupted))
        else:
            from driftsieve.report.terminal import print_runs

            print_runs(self.runs)
        if self.interrupted:
            remark("Interrupted: these are the results so far.")
            return 130
        return 0


def as_values(runs: Mapping[str, Any], interrupted: bool) -> dict[str, Any]:
    """Return runs for machines."""
    return {
        "runs": {
            name: {
                "summary": run.summary(),
                "selection": last_selection(run),
                "drifts": run.drifts.to_dicts(),
                "settings": run.settings,
            }
            for name, run in runs.items()
        },
        "interrupted": interrupted,
    }


def last_selection(run: Any) -> list[dict[str, Any]]:
    """Return the features selected after the last step, best first."""
    last = run.selections.join(run.steps.select("step").tail(1), on="step").sort("rank")
    found: list[dict[str, Any]] = last.select("rank", "name", "score").to_dicts()
    return found


def require_folder(folder: Path | None) -> None:
    """Make a folder for results, or say why it cannot be."""
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out: {folder} is a file, and a folder is needed")
    folder.mkdir(parents=True, exist_ok=True)


def file_name(name: str) -> str:
    """Return a name as part of a file's name."""
    return re.sub(r"[^a-zA-Z0-9.]+", "-", name).strip("-") or "run"
