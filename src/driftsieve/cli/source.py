"""The stream of a command, with positions that say of which file and which target they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from driftsieve.batch import Batch, Position
from driftsieve.cli.options import names_in, settings_of
from driftsieve.streams.truth import Truth


class Placed:
    """A stream whose positions name the file and the target beside the place in the file.

    So a state file that is resumed with another file is noticed, instead of skipping that file's
    first rows. Where the file knows which features are truly relevant, batches say so.
    """

    truth: Truth | None = None
    categorical: Sequence[str] = ()
    """The columns that hold codes of categories, where the file says so."""
    needs_labels = True

    def __init__(self, source: Any, file: str, target: str | None) -> None:
        self._source = source
        self.file = Path(file).name
        self.target = target
        self._at: Position = None
        self._first: int | None = None
        """The row of the file with which the latest batch began."""
        self.names: tuple[str, ...] | None = getattr(source, "names", None)

    @property
    def n_rows(self) -> int | None:
        """The number of rows to come, where it is known beforehand."""
        rows: int | None = getattr(self._source, "n_rows", None)
        return rows if rows is None or not isinstance(self._at, int) else rows - self._at

    @property
    def fraction(self) -> float | None:
        """The share of the stream that has been delivered, where it is known."""
        fraction: float | None = getattr(self._source, "fraction", None)
        return fraction

    @property
    def drift_points(self) -> Sequence[int] | None:
        """Where the rows to come drift, counted from the first of them, if the file knows."""
        if self.truth is None:
            return getattr(self._source, "drift_points", None)
        before = self._at if isinstance(self._at, int) else 0
        return [point - before for point in self.truth.drift_points if point > before]

    def __repr__(self) -> str:
        return repr(self._source)

    def __getattr__(self, name: str) -> Any:
        """Leave what else a stream may know, such as its truth, to the stream itself."""
        return getattr(self._source, name)

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._source:
            if batch.y is None and self.needs_labels:
                raise ValueError(
                    f"{self.file} gives no labels: name the column to predict with --target"
                )
            row = batch.position if isinstance(batch.position, int) else batch.position[0]
            self._first = row - batch.n_rows
            here = {"file": self.file, "target": self.target, "at": batch.position}
            yield batch.replace(position=here, relevant=self._relevant(batch))

    def _relevant(self, batch: Batch) -> Any:
        if self.truth is None:
            return batch.relevant
        stop = batch.position  # files that hold the truth have row numbers as positions
        return self.truth.mask(stop - batch.n_rows, stop)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Let errors about a row of the latest batch tell the row of the file."""
        try:
            yield
        except ValueError as error:
            text = str(error)
            found = re.search(r" in row (\d+) of the batch", text)
            if found is None or self._first is None:
                raise
            what = text[: found.start()] + text[found.end() :]
            raise ValueError(f"{self.file}, row {self._first + int(found[1])}: {what}") from error

    def seek(self, position: Position) -> None:
        """Go on behind a position of this file; begin another file at its beginning."""
        self._at = position["at"] if self.knows(position) else None
        self._source.seek(self._at)

    def knows(self, position: Position) -> bool:
        """Tell whether a position is one of this file."""
        return isinstance(position, dict) and position.get("file") == self.file


def open_source(
    source: str,
    *,
    target: str | None,
    weight: str | None,
    columns: str | None,
    batch: int,
    format: str | None,
) -> Placed:
    """Open a file as a stream. The format may bring options, as in `csv:separator=;`."""
    from driftsieve.streams.knowledge import read_categorical, read_truth
    from driftsieve.streams.readers import open_stream

    if not source:
        raise ValueError("the name of SOURCE is empty: name a file, a folder or a pattern")
    name, *settings = (format or "").split(":")
    try:
        stream = open_stream(
            source,
            target=target,
            weight=weight,
            features=None if columns is None else names_in(columns, "--columns"),
            batch=batch,
            format=name or None,
            **format_options(settings),
        )
    except TypeError as error:  # an option that the format does not have
        raise ValueError(str(error)) from error
    placed = Placed(stream, source, target)
    if Path(source).suffix == ".parquet" and Path(source).is_file():
        known = set(stream.names or ())
        placed.categorical = [name for name in read_categorical(source) if name in known]
    if columns is None and Path(source).suffix == ".parquet" and Path(source).is_file():
        truth = read_truth(source)
        if truth is not None and truth.n_rows == stream.n_rows:
            placed.truth = truth if truth.n_features == len(stream.names or ()) else None
    return placed


def format_options(settings: Iterable[str]) -> dict[str, Any]:
    """Read the options of a format. A tab may be written as it is in Python."""
    found = settings_of(settings)
    if found.get("separator") == "\\t":
        found["separator"] = "\t"
    return found
