"""What an evaluation found: tidy tables, in one file if wanted."""

import json
import math
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from driftsieve.streams.truth import Truth

KEY = "driftsieve.run"
FORMAT = 2

STEPS = pl.Schema(
    {
        "step": pl.Int64,
        "rows": pl.Int64,
        "n_selected": pl.Int64,
        "accuracy": pl.Float64,
        "accuracy_window": pl.Float64,
        "kappa": pl.Float64,
        "kappa_window": pl.Float64,
        "log_loss": pl.Float64,
        "log_loss_window": pl.Float64,
        "recall": pl.Float64,
        "precision": pl.Float64,
        "stability": pl.Float64,
        "stability_low": pl.Float64,
        "stability_high": pl.Float64,
        "stability_within": pl.Float64,
        "stability_within_low": pl.Float64,
        "stability_within_high": pl.Float64,
        "selector_seconds": pl.Float64,
        "learner_seconds": pl.Float64,
        "state_bytes": pl.Int64,
    }
)
CHOICE = {"rank": pl.Int64, "feature": pl.Int64, "name": pl.String, "score": pl.Float64}
SELECTIONS = pl.Schema({"step": pl.Int64, "rows": pl.Int64, **CHOICE})
DRIFTS = pl.Schema({"row": pl.Int64, "lag": pl.Int64})
SMALLER_IS_BETTER = (
    "log_loss",
    "log_loss_window",
    "median_lag",
    "selector_seconds",
    "learner_seconds",
    "state_bytes",
)
"""Figures of a run that are better the smaller they are; of the others, large ones are good."""
NESTED = pl.Schema({**STEPS, "selection": pl.List(pl.Struct(CHOICE))})
"""How a run is stored: a line per step, which holds its selection."""


@dataclass(frozen=True, eq=False)
class Run:
    """The result of a prequential evaluation.

    What is unknown or does not apply is null.
    """

    steps: pl.DataFrame
    """One row per batch, after it has been learnt: `step` (from 0), `rows` (seen so far),
    `n_selected`, the figures of the predictions over the run and over the window, `recall` and
    `precision` of the relevant features at the batch's last row, `stability` and (where drifts are
    known) `stability_within` concepts with their intervals, seconds spent in selector and learner,
    bytes of the selector's state."""
    selections: pl.DataFrame
    """One row per step and selected feature: `step`, `rows`, `rank` (1 is the best), `feature` (its
    column), `name`, `score`. Empty where all features were used."""
    drifts: pl.DataFrame
    """The known drift points: `row`, and `lag`, the rows until the drift had been found."""
    settings: dict[str, Any]
    """What produced the run: JSON values."""
    truth: Truth | None = None
    """Which features were relevant when, where the stream knows it of every row."""

    def summary(self) -> dict[str, float | int | None]:
        """Return the figures after the last step, means over the steps, and sums of time."""
        steps = self.steps
        last = steps.row(-1, named=True) if len(steps) else dict.fromkeys(STEPS)
        lags = self.drifts["lag"]
        means = {
            f"mean_{name}": _number(steps[name].mean())
            for name in ("recall", "precision", "stability", "stability_within")
        }
        return {
            **last,
            "steps": len(steps),
            **means,
            "drifts": len(lags),
            "drifts_found": len(lags) - lags.null_count(),
            "median_lag": _number(lags.median()),
            **{name: _total(steps[name]) for name in ("selector_seconds", "learner_seconds")},
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, Parquet (`.parquet`) or JSON lines (`.jsonl`), which
        `Run.load` reads back exactly.

        Either is a table with a row per step, in which the column `selection` lists what was
        selected. Settings and drifts are in the metadata, or in the first line.
        """
        path = Path(path)
        write = _format(path)[0]
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            write(self, unfinished)
            os.replace(unfinished, path)
        finally:
            with suppress(FileNotFoundError):
                unfinished.unlink()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Run":
        """Read what `save` wrote."""
        path = Path(path)
        read = _format(path)[1]
        try:
            head, nested = read(path)
            if head["format"] != FORMAT:
                raise ValueError(f"it has format {head['format']}, and {FORMAT} was expected")
            if len(nested) != head["steps"]:
                raise ValueError(f"it has {len(nested)} of {head['steps']} steps")
            drifts = pl.DataFrame(head["drifts"], schema=DRIFTS, orient="row")
            truth = None if head["truth"] is None else Truth.from_json(head["truth"])
            return cls(nested.select(*STEPS), _unnested(nested), drifts, head["settings"], truth)
        except OSError:
            raise
        except (
            pl.exceptions.PolarsError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{path} does not hold a run of driftsieve: {reason}") from None

    def _head(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "steps": len(self.steps),
            "drifts": self.drifts.rows(),
            "settings": self.settings,
            "truth": None if self.truth is None else self.truth.to_json(),
        }

    def _nested(self) -> pl.DataFrame:
        lists = self.selections.group_by("step", maintain_order=True).agg(
            selection=pl.struct(*CHOICE)
        )
        return self.steps.join(lists, on="step", how="left", maintain_order="left").cast(NESTED)


def _unnested(nested: pl.DataFrame) -> pl.DataFrame:
    held = nested.select("step", "rows", "selection").drop_nulls("selection")
    return held.explode("selection").unnest("selection").cast(SELECTIONS)


def _write_parquet(run: Run, path: Path) -> None:
    run._nested().write_parquet(path, metadata={KEY: json.dumps(run._head())})


def _read_parquet(path: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    head = pl.read_parquet_metadata(path).get(KEY)
    if head is None:
        raise ValueError("its metadata do not speak of one")
    return json.loads(head), pl.read_parquet(path)


def _write_lines(run: Run, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps({KEY: run._head()}) + "\n")
        for line in run._nested().iter_rows(named=True):
            for choice in line["selection"] or ():
                choice["score"] = _finite(choice["score"])
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _read_lines(path: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    with path.open(encoding="utf-8") as file:
        first, *lines = [json.loads(line) for line in file] or [None]
    if not isinstance(first, dict) or KEY not in first:
        raise ValueError("its first line does not speak of one")
    for line in lines:
        if line.keys() != NESTED.keys():
            raise ValueError("its lines have other columns")
        for choice in line["selection"] or ():
            choice["score"] = None if choice["score"] is None else float(choice["score"])
    return first[KEY], pl.DataFrame(lines, schema=NESTED, orient="row")


def _finite(score: float | None) -> float | str | None:
    """Write an infinite score as text, because JSON has no number for it."""
    return score if score is None or math.isfinite(score) else str(score)


Writer = Callable[[Run, Path], None]
Reader = Callable[[Path], tuple[dict[str, Any], pl.DataFrame]]
FORMATS: dict[str, tuple[Writer, Reader]] = {
    ".parquet": (_write_parquet, _read_parquet),
    ".jsonl": (_write_lines, _read_lines),
    ".ndjson": (_write_lines, _read_lines),
}


def _format(path: Path) -> tuple[Writer, Reader]:
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise ValueError(f"{path.name} must end in {_listed(FORMATS)}")
    return form


def _listed(endings: Iterable[str]) -> str:
    return " or ".join(endings)


def _total(seconds: pl.Series) -> float | None:
    return None if seconds.null_count() == len(seconds) else float(seconds.sum())


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
