"""Drift between streams: the concept switch, abrupt or gradual."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, Position, concatenate
from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.checks import number, whole
from driftsieve.streams.concepts import passed
from driftsieve.streams.cursor import Cursor, as_place, is_endless


class ConceptSwitch:
    """One stream that passes from source to source: abruptly (`width=0`) or gradually.

    Row t comes from a source beyond switch i with probability

        1 / (1 + exp(-4·(t - at[i]) / width))

    (Bifet et al. 2009, New Ensemble Methods for Evolving Data Streams), so that `width` rows hold
    about three quarters of a transition. With `width=0` the row `at[i]` is the first from beyond
    switch i. Several switches share one random number per row: exactly these probabilities,
    however close the switches are.

    Each source is read from its beginning and gives its rows in their order, none of them twice or
    left out: the first row that comes from `concepts[1]` is that source's first row. The stream
    ends after `n_rows`, or with the last source; an earlier one that runs out before its part is
    over is an error. What is relevant for a row is what its source says of it.
    """

    def __init__(
        self,
        concepts: Sequence[Source],
        at: int | Sequence[int],
        *,
        width: float = 0,
        n_rows: int | None = None,
        batch: int = 1_000,
        seed: int = 0,
    ) -> None:
        self.concepts = tuple(concepts)
        points = (at,) if np.ndim(at) == 0 else tuple(at)  # type: ignore[arg-type]
        self.drift_points: Sequence[int] = tuple(whole("a switch", point) for point in points)
        self.width = number("width", width, 0)
        self.n_rows = None if n_rows is None else whole("n_rows", n_rows)
        self.batch = whole("batch", batch, 1)
        self.seed = whole("seed", seed)
        for one, other in pairwise(self.drift_points):
            if one >= other:
                raise ValueError(f"the switches must ascend, but {other} follows {one}")
        if len(self.concepts) != len(self.drift_points) + 1:
            raise ValueError(
                f"{len(self.drift_points)} switches join {len(self.drift_points) + 1} sources, "
                f"but there are {len(self.concepts)}"
            )
        if len({id(concept) for concept in self.concepts}) < len(self.concepts):
            raise ValueError("the same source is given twice: make a second one for its return")
        self._start: tuple[int, list[Any]] = (0, [None] * len(self.concepts))

    @property
    def categorical(self) -> tuple[int, ...]:
        """The columns that are nominal in every one of the sources."""
        nominal = [set(getattr(concept, "categorical", ())) for concept in self.concepts]
        return tuple(sorted(set.intersection(*nominal)))

    @property
    def endless(self) -> bool:
        return self.n_rows is None and is_endless(self.concepts[-1])

    def seek(self, position: Position) -> None:
        if position is None:
            self._start = (0, [None] * len(self.concepts))
            return
        try:
            row, places = position
            row, places = whole("a row", row, 0, self.n_rows), list(places)
            for place in places:
                as_place(place)
        except (TypeError, ValueError):
            raise ValueError(f"{position!r} is not a position in a concept switch") from None
        if len(places) != len(self.concepts):
            raise ValueError(
                f"the position is of a switch between {len(places)} sources, not of this one"
            )
        self._start = (row, places)

    def __iter__(self) -> Iterator[Batch]:
        return self._batches(*self._start)

    def concept_of(self, start: int, stop: int) -> NDArray[np.intp]:
        """Return for each row from `start` up to `stop` which of the sources it comes from."""
        rows = np.arange(start, stop)
        drawn = randomness.uniforms(self.seed, "ConceptSwitch", rows.astype(np.uint64))
        which = np.zeros(len(rows), dtype=np.intp)
        for i, point in enumerate(self.drift_points):
            which[passed(rows, point, self.width, drawn)] = i + 1
        return which

    def _batches(self, row: int, places: list[Any]) -> Iterator[Batch]:
        pairs = zip(self.concepts, places, strict=True)
        cursors = [Cursor(concept, place) for concept, place in pairs]
        first: Batch | None = None
        while self.n_rows is None or row < self.n_rows:
            stop = row + self.batch if self.n_rows is None else min(row + self.batch, self.n_rows)
            batch = self._mixed(cursors, row, stop)
            if batch is None:
                return
            first = batch if first is None else first
            _refuse_unlike(first, batch, row)
            row += batch.n_rows
            yield batch.replace(position=[row, [cursor.place for cursor in cursors]])
            if row < stop:
                return

    def _mixed(self, cursors: list[Cursor], start: int, stop: int) -> Batch | None:
        which = self.concept_of(start, stop)
        parts = []
        # The last source first: where it ends, the stream ends, and the others give no more rows.
        for concept in range(len(cursors) - 1, -1, -1):
            wanted = np.flatnonzero(which == concept)
            part = cursors[concept].take(len(wanted))
            given = 0 if part is None else part.n_rows
            if given < len(wanted):
                if concept < len(cursors) - 1:
                    raise ValueError(
                        f"source {concept} of the concept switch has ended, but row "
                        f"{start + wanted[given]} was to come from it: give it more rows, "
                        "or switch earlier"
                    )
                which = which[: wanted[given]]
            if part is not None:
                parts.append(part)
        if len(parts) < 2:
            return parts[0] if parts else None
        for part in parts[1:]:
            _refuse_unlike(parts[0], part, start)
        # The parts lie behind one another, last source first: put their rows where they belong.
        came_from = np.argsort(-which, kind="stable")
        return concatenate(parts).take(np.argsort(came_from))


def _refuse_unlike(one: Batch, other: Batch, row: int) -> None:
    """Raise if two sources do not fit into one stream."""
    where = f"of the concept switch do not fit together (near row {row})"
    if one.n_features != other.n_features:
        raise ValueError(
            f"the sources {where}: {one.n_features} features and {other.n_features} features"
        )
    if one.names != other.names:
        raise ValueError(f"the sources {where}: their columns have different names")
    if one.is_sparse != other.is_sparse:
        raise ValueError(f"the sources {where}: only one of them is sparse")
    if (one.y is None) != (other.y is None):
        raise ValueError(f"the sources {where}: only one of them has labels")
