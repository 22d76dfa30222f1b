"""Test, then train: how good a selector and a learner are on rows that they have not seen.

For each batch, in this order:

1. the features selected are those known before the batch;
2. the learner predicts the batch, seeing these features only;
3. selector and learner learn the rows whose labels have become known.

The learner trains on the features selected after the selector has learnt the same rows: they are
what it will see when it predicts next. No label is used before its row has been predicted, so the
figures do not flatter.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.evaluation.choosing import Chooser, columns_in
from driftsieve.evaluation.interrupts import uninterrupted
from driftsieve.evaluation.masking import Columns, as_view
from driftsieve.evaluation.metrics import Metrics
from driftsieve.evaluation.record import Record, Step
from driftsieve.evaluation.run import Run
from driftsieve.evaluation.settings import described, parameters, surroundings
from driftsieve.streams.checks import number, whole


def prequential(
    stream: Iterable[Any],
    selector: Any,
    learner: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    window: int = 1000,
    delay: int = 0,
    stability_window: int = 10,
    found: float = 0.9,
    drift_points: Sequence[int] | None = None,
    start: int = 0,
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Evaluate a selector, a learner, or both, on a stream: test, then train.

    Parameters
    ----------
    stream
        A source, or any iterable of batches or of `(X, y)` or `(X, y, weight)`.
    selector
        A driftsieve selector, or one with `partial_fit` and `get_support`. None: all features.
    learner
        A classifier with `partial_fit`, from scikit-learn or river, or one behind a view of your
        choice (`Masked`, `Narrow`). None: only the selections are evaluated.
    classes
        All labels to come. Scikit-learn's learners have to know them when they begin. By default
        `stream.classes`, if there is such a thing, else the labels of the first batch.
    window
        Rows over which accuracy, kappa and log loss are also taken.
    delay
        Rows until a label is known: a batch is learnt as soon as `delay` rows behind its last have
        been predicted. Batches are learnt whole, so that `selector.position_` stays true.
    stability_window
        Selections over which their stability is taken.
    found
        A drift counts as found when this share of the newly relevant features is selected.
    drift_points
        The first row of each new concept, ascending. It may be a list that grows while the
        evaluation goes on, as drifts are detected. By default `stream.drift_points`, if there is
        such a thing, else the rows at which what is relevant changes, where that is known.
    start
        Rows of the stream that went before, when an evaluation goes on in its midst.
    progress
        Is called with the rows seen after each step.

    Selector and learner learn in place. Rows that come before the learner has learnt anything are
    not counted in its figures, and those whose labels are still unknown in the end are not learnt.
    To look at each step, or to stop early, see `Prequential`.
    """
    evaluation = Prequential(
        stream,
        selector,
        learner,
        classes=classes,
        window=window,
        delay=delay,
        stability_window=stability_window,
        found=found,
        drift_points=drift_points,
        start=start,
    )
    for step in evaluation:
        if progress is not None:
            progress(step["rows"])
    return evaluation.run()


class Prequential:
    """An evaluation that goes on step by step: iterate it, and ask for its `run()` at any time.

    The parameters are those of `prequential`. Each iteration reads a batch, takes a whole step and
    gives the row of `Run.steps` that belongs to it. An interrupt (Ctrl-C) waits for the end of the
    step, so that selector, learner and record always agree; then, go on by iterating again.
    """

    def __init__(
        self,
        stream: Iterable[Any],
        selector: Any,
        learner: Any = None,
        *,
        classes: Sequence[Any] | None = None,
        window: int = 1000,
        delay: int = 0,
        stability_window: int = 10,
        found: float = 0.9,
        drift_points: Sequence[int] | None = None,
        start: int = 0,
    ) -> None:
        if selector is None and learner is None:
            raise ValueError("there is nothing to evaluate: pass a selector, a learner or both")
        self._metrics = Metrics(whole("window", window, 1))
        self._delay = whole("delay", delay)
        self._record = Record(
            drift_points=_points(stream, drift_points),
            start=whole("start", start),
            stability_window=whole("stability_window", stability_window, 2),
            found=number("found", found, 0, 1),
        )
        self._chooser = None if selector is None else Chooser(selector)
        self._learner = None if learner is None else as_view(learner)
        self._classes = getattr(stream, "classes", None) if classes is None else list(classes)
        self._batches = _batches(stream)
        self._unlearnt: deque[tuple[int, Batch]] = deque()
        self._predicted = 0
        self._learnt = start
        self._seconds = {"selector_seconds": 0.0, "learner_seconds": 0.0}
        self._selection = None if self._chooser is None else self._chooser.selection(None, start)
        self._settings = {
            "selector": described(selector),
            "selector_parameters": parameters(selector),
            "learner": described(self._learner),
            "stream": described(stream),
            "window": int(window),
            "delay": int(delay),
            "stability_window": int(stability_window),
            "found": float(found),
            "start": int(start),
        }

    def __iter__(self) -> Iterator[Step]:
        return self

    def __next__(self) -> Step:
        batch = next(self._batches)
        if batch.y is None and self._learner is not None:
            raise ValueError("the stream has no labels (y is None), and a learner needs them")
        with uninterrupted():
            return self._step(batch)

    def run(self) -> Run:
        """Return the result so far."""
        settings = {**self._settings, "rows": self._record.rows, **surroundings()}
        return self._record.run(settings)

    def _step(self, batch: Batch) -> Step:
        self._seconds = dict.fromkeys(self._seconds, 0.0)
        self._predict(batch)
        self._predicted += batch.n_rows
        self._unlearnt.append((self._predicted + self._delay, batch))
        while self._unlearnt and self._unlearnt[0][0] <= self._predicted:
            self._learn(self._unlearnt.popleft()[1])
        return self._note(batch)

    def _predict(self, batch: Batch) -> None:
        learner = self._learner
        if learner is None or learner.rows == 0 or self._knows_nothing():
            return
        columns = self._columns(batch)
        begin = perf_counter()
        labels, probability = learner.predict(batch, columns)
        self._seconds["learner_seconds"] += perf_counter() - begin
        assert batch.y is not None
        self._metrics.update(batch.y, labels, probability, batch.weight)

    def _learn(self, batch: Batch) -> None:
        if self._chooser is not None:
            self._chooser.warm_up(batch)
            begin = perf_counter()
            self._chooser.learn(batch, self._classes)
            self._selection = self._chooser.selection(batch, self._record.rows + batch.n_rows)
            self._seconds["selector_seconds"] += perf_counter() - begin
        if self._learner is not None and not self._knows_nothing():
            columns = self._columns(batch)
            begin = perf_counter()
            self._learner.learn(batch, columns, self._classes)
            self._seconds["learner_seconds"] += perf_counter() - begin
        self._learnt += batch.n_rows

    def _note(self, batch: Batch) -> Step:
        figures: dict[str, float | int | None] = {**self._metrics.figures(), **self._seconds}
        if self._learner is None:
            del figures["learner_seconds"]
        if self._chooser is None:
            del figures["selector_seconds"]
            every = np.arange(batch.n_features)
            return self._record.add(batch, None, every, batch.n_features, figures, self._learnt)
        figures["state_bytes"] = self._chooser.nbytes
        columns: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        if self._selection is not None:
            columns = columns_in(self._selection, batch)
        n_features = self._chooser.n_features(batch)
        return self._record.add(batch, self._selection, columns, n_features, figures, self._learnt)

    def _columns(self, batch: Batch) -> Columns:
        return None if self._selection is None else columns_in(self._selection, batch)

    def _knows_nothing(self) -> bool:
        return self._chooser is not None and self._selection is None


def _points(stream: Any, given: Sequence[int] | None) -> Sequence[int] | None:
    """Return where a stream drifts, by what it says or by what was given."""
    if given is None:
        points: Sequence[int] | None = getattr(stream, "drift_points", None)
        return points
    if isinstance(given, range):
        return given
    points = [whole("a drift point", point) for point in given]
    for one, other in pairwise(points):
        if one >= other:
            raise ValueError(f"the drift points must ascend, but {other} follows {one}")
    return given


def _batches(stream: Iterable[Any]) -> Iterator[Batch]:
    """Yield the batches of a stream that have rows."""
    if isinstance(stream, (str, bytes)) or not isinstance(stream, Iterable):
        raise TypeError(
            f"{stream!r} is not a stream: pass driftsieve.open_stream(...), or an iterable of "
            "batches or of (X, y)"
        )
    return filter(len, map(_as_batch, stream))


def _as_batch(item: Any) -> Batch:
    if isinstance(item, Batch):
        return item
    if isinstance(item, tuple) and len(item) in (2, 3):
        return as_batch(*item)
    raise TypeError(
        f"a stream gives batches or (X, y), not a {type(item).__name__}: "
        "driftsieve.open_stream makes one of arrays and tables"
    )
