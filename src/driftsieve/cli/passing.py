"""One pass of a selector over a stream: saved on the way, interruptible, remembered a little."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.cli.working import Interruption, Progress

MOST_CLASSES = 1000
"""More different labels than this are not counted: the target is then hardly a class."""


class Pass:
    """What a selector has seen in this run of the command."""

    def __init__(self, selector: Any, save: Path | None, save_every: int) -> None:
        self.selector = selector
        self.rows = 0
        self.interrupted = False
        self.classes: Counter[Any] | None = Counter()
        self.earlier = Halfway()
        self._save = save
        self._save_every = save_every
        self._unsaved = 0

    def run(self, learnt: Iterable[Batch], progress: Progress) -> None:
        """Follow the batches of `learnt`, which the selector has learnt when they come out."""
        with Interruption() as interruption:
            for batch in learnt:
                self._count(batch)
                self.earlier.note(self.selector)
                progress.advance(batch.n_rows)
                if self._save is not None and self._unsaved >= self._save_every:
                    self.save()
                if interruption:
                    self.interrupted = True
                    break
            # Still under the interruption: a second signal may end this, but leaves the old file.
            if self.known:
                self.save()

    @property
    def known(self) -> bool:
        """Tell whether the selector has ever learnt anything."""
        return getattr(self.selector, "n_samples_seen_", 0) > 0

    def save(self) -> None:
        """Write the state, if somebody wants it."""
        if self._save is not None:
            self.selector.save(self._save)
            self._unsaved = 0

    def _count(self, batch: Batch) -> None:
        self.rows += batch.n_rows
        self._unsaved += batch.n_rows
        if batch.y is None or self.classes is None:
            return
        labels, counts = _counts(batch.y)
        self.classes.update(dict(zip(labels, counts)))
        if len(self.classes) > MOST_CLASSES:
            self.classes = None


def learning(stream: Iterable[Batch], selector: Any) -> Iterator[Batch]:
    """Yield each batch when the selector has learnt it."""
    for batch in stream:
        selector.learn(batch)
        yield batch


class Evaluated:
    """A pass whose history is kept: what was selected after each batch."""

    def __init__(self, stream: Iterable[Batch], selector: Any) -> None:
        from driftsieve.evaluation.prequential import Prequential

        self._stream = stream
        self._batch: Batch | None = None
        seen = getattr(selector, "n_samples_seen_", 0)
        points = getattr(stream, "drift_points", None)
        self._evaluation = Prequential(
            self._remembering(),
            selector,
            start=seen,
            drift_points=None if points is None else [seen + point for point in points],
        )

    def __iter__(self) -> Iterator[Batch]:
        """Yield each batch when the selector has learnt it."""
        for _ in self._evaluation:
            assert self._batch is not None
            yield self._batch

    def run(self) -> Any:
        """Return what is known so far."""
        return self._evaluation.run()

    def _remembering(self) -> Iterator[Batch]:
        for batch in self._stream:
            self._batch = batch
            yield batch


class Halfway:
    """The ranks about half-way, whatever the length: noted when the rows seen have doubled."""

    def __init__(self) -> None:
        self._notes: list[tuple[int, dict[str, int]]] = []
        self._batches = 0

    def note(self, selector: Any) -> None:
        """Look at the selector after a batch."""
        self._batches += 1
        if self._batches & (self._batches - 1) == 0:
            names, ranks = names_of(selector), selector.ranking_
            self._notes.append((selector.n_samples_seen_, dict(zip(names, ranks.tolist()))))
            self._notes = self._notes[-2:]

    def row(self, now: int) -> int | None:
        """Return the row of the note nearest to half the rows; None without."""
        note = self._find(now)
        return None if note is None else note[0]

    def ranks(self, now: int) -> dict[str, int]:
        """Return the ranks by name at that row."""
        note = self._find(now)
        return {} if note is None else note[1]

    def _find(self, now: int) -> tuple[int, dict[str, int]] | None:
        older = [note for note in self._notes if note[0] < now]
        return min(reversed(older), key=lambda note: abs(2 * note[0] - now), default=None)


def names_of(selector: Any) -> list[str]:
    """Return the names of all features a selector knows."""
    names = getattr(selector, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(selector.n_features_in_)]
    return [str(name) for name in names]


def _counts(y: NDArray[Any]) -> tuple[list[Any], list[int]]:
    with suppress(TypeError):  # labels that cannot be sorted are counted one by one
        labels, counts = np.unique(y, return_counts=True)
        return labels.tolist(), counts.tolist()
    counter = Counter(y.tolist())
    return list(counter), list(counter.values())
