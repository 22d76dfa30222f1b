"""Taking note of an evaluation, step by step."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.evaluation.recovery import detection_lags, recall_and_precision
from driftsieve.evaluation.run import DRIFTS, SELECTIONS, STEPS, Run
from driftsieve.evaluation.stability import Stability, StabilityWindow
from driftsieve.selection import Selection
from driftsieve.streams.truth import TruthLog

Step = dict[str, Any]
"""A row of `Run.steps`: numbers by name, None where unknown."""


class Record:
    """The steps of an evaluation so far. `start` rows of the stream went before."""

    def __init__(
        self, *, drift_points: Sequence[int] | None, start: int, stability_window: int, found: float
    ) -> None:
        self.rows = start
        self.steps: list[Step] = []
        self._start = start
        self._found = found
        self._drift_points = drift_points
        self._stability = StabilityWindow(stability_window)
        self._within = StabilityWindow(stability_window)
        self._truth = TruthLog()
        self._selections: list[tuple[int, Selection]] = []
        self._columns: list[tuple[int, NDArray[np.intp]]] = []

    def add(
        self,
        batch: Batch,
        selection: Selection | None,
        columns: NDArray[np.intp],
        n_features: int,
        figures: Mapping[str, Any],
        learnt: int,
    ) -> Step:
        """Take note of a step: the batch, what was selected after it (and which of the batch's
        columns that is), the other figures, and the rows of the stream learnt so far."""
        step: Step = {**dict.fromkeys(STEPS), "step": len(self.steps), **figures}
        self._truth.note(batch)
        self.rows += batch.n_rows
        step["rows"] = self.rows
        if selection is None:
            step["n_selected"] = len(columns)
        else:
            step["n_selected"] = len(selection)
            indices = np.asarray(selection.indices)
            step |= _stability("stability", self._stability.update(indices, n_features))
            concept = self._concept(learnt)
            if concept is not None:
                within = self._within.update(indices, n_features, concept)
                step |= _stability("stability_within", within)
            if batch.relevant is not None:
                relevant = batch.relevant[-1]
                step["recall"], step["precision"] = recall_and_precision(columns, relevant)
            self._selections.append((len(self.steps), selection))
            self._columns.append((self.rows - self._start, columns))
        step = {name: _known(value) for name, value in step.items()}
        self.steps.append(step)
        return step

    def run(self, settings: dict[str, Any]) -> Run:
        """Return everything noted so far as tables."""
        return Run(
            pl.DataFrame(self.steps, schema=STEPS, orient="row"),
            self._selection_table(),
            self._drift_table(),
            settings,
            self._truth.truth(self._start),
        )

    def _concept(self, learnt: int) -> int | None:
        """Return the number of the concept that the last of the rows learnt belongs to."""
        if self._drift_points is None:
            return self._truth.changes_before(learnt - self._start)
        return bisect_left(self._drift_points, learnt)

    def _selection_table(self) -> pl.DataFrame:
        if not self._selections:
            return pl.DataFrame(schema=SELECTIONS)
        sizes = [len(selection) for _, selection in self._selections]
        steps = np.repeat([step for step, _ in self._selections], sizes)
        rows = np.array([step["rows"] for step in self.steps])[steps]
        kept = [selection for _, selection in self._selections]
        columns = {
            "step": steps,
            "rows": rows,
            "rank": np.concatenate([np.arange(1, size + 1) for size in sizes]),
            "feature": np.concatenate([selection.indices for selection in kept]),
            "name": [name for selection in kept for name in selection.names],
            "score": np.concatenate([selection.scores for selection in kept]),
        }
        table = pl.DataFrame(columns, schema=SELECTIONS)
        return table.with_columns(pl.col("score").fill_nan(None))

    def _drift_table(self) -> pl.DataFrame:
        truth = self._truth.truth()
        points = self._drift_points
        if points is not None:  # maybe an endless range
            within = bisect_left(points, self._start), bisect_left(points, self.rows)
            points = [point - self._start for point in points[slice(*within)]]
        elif truth is not None:
            points = truth.drift_points
        else:
            points = []
        points = [point for point in points if point > 0]
        lags: list[int | None] = [None] * len(points)
        if truth is not None and self._columns:
            lags = detection_lags(points, truth, self._columns, self._found)
        rows = [point + self._start for point in points]
        return pl.DataFrame({"row": rows, "lag": lags}, schema=DRIFTS)


def _stability(name: str, stable: Stability) -> dict[str, float]:
    return {name: stable.value, f"{name}_low": stable.low, f"{name}_high": stable.high}


def _known(value: Any) -> Any:
    """Turn NaN, which is undefined, into None, which becomes null."""
    return None if value is None or value != value else value
