"""Batches from Python iterators: whatever gives matrices, tables or rows, one after the other.

What comes as one item (a batch, matrices, a table, a list of rows) stays one batch of its own
size; single rows (dicts) are collected into batches of `batch` rows. A position is the number of
rows delivered, and seeking reads and drops as many.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from driftsieve.batch import Batch, Position
from driftsieve.border import as_batch
from driftsieve.streams.columns import missing
from driftsieve.streams.stream import SPENT, Stream, located
from driftsieve.streams.tables import is_pandas, open_table


class Items(Stream):
    """The items of an iterable, or of the iterable that a function returns."""

    def __init__(
        self,
        source: Iterable[Any] | Callable[[], Iterable[Any]],
        *,
        target: str | None = None,
        features: Sequence[str] | str | None = None,
        weight: str | None = None,
        batch: int = 1000,
    ) -> None:
        self._source = source
        self._target, self._weight, self._batch = target, weight, batch
        self._open_names = features == "open"
        if isinstance(features, str) and not self._open_names:
            raise ValueError(f'features must be a list of names or "open", not {features!r}')
        self._features = None if self._open_names else features
        self._spent = False

    def seek(self, position: Position) -> None:
        if self._spent:
            raise ValueError(SPENT)
        super().seek(position)

    def __iter__(self) -> Iterator[Batch]:
        source = self._source() if callable(self._source) else self._source
        items = iter(source)
        if items is self._source:
            self.seek(self._start)  # refuses a second reading
            self._spent = True
        return self._batches_of(items, self._start or 0)

    def _batches_of(self, items: Iterator[Any], start: int) -> Iterator[Batch]:
        row = 0
        for item in self._grouped(items):
            with located("the iterator", row):
                batch = self._as_batch(item)
            first, row = row, row + batch.n_rows
            if row <= start or not batch.n_rows:
                continue
            if first < start:
                batch = batch.take(slice(start - first, None))
            yield batch.replace(position=row)
        if row < start:
            raise ValueError(f"cannot begin at row {start}: the iterator has only {row} rows")

    def _grouped(self, items: Iterator[Any]) -> Iterator[Any]:
        """Collect single rows; let everything else pass."""
        rows: list[Mapping[str, Any]] = []
        for item in items:
            if isinstance(item, Mapping):
                rows.append(item)
                if len(rows) < self._batch:
                    continue
            if rows:
                yield rows
                rows = []
            if not isinstance(item, Mapping):
                yield item
        if rows:
            yield rows

    def _as_batch(self, item: Any) -> Batch:
        if isinstance(item, Batch):
            return item
        if isinstance(item, tuple) and len(item) in (2, 3):
            return as_batch(*item)
        if is_pandas(item) or hasattr(item, "__arrow_c_stream__"):
            return self._table(item)
        if hasattr(item, "__arrow_c_array__"):
            import polars as pl

            return self._table(pl.DataFrame(item))
        if isinstance(item, list) and item and all(isinstance(row, Mapping) for row in item):
            return self._rows(item)
        raise ValueError(
            f"the iterator gave a {type(item).__name__}: it should give (X, y), (X, y, weight), "
            "tables or dict rows"
        )

    def _table(self, item: Any) -> Batch:
        table = open_table(
            item,
            target=self._target,
            features=self._features,
            weight=self._weight,
            batch=max(1, len(item)),
        )
        return table.whole()

    def _rows(self, rows: Sequence[Mapping[str, Any]]) -> Batch:
        y = self._column(rows, self._target)
        weight = self._column(rows, self._weight)
        apart = {self._target, self._weight}
        if self._features is None:
            rows = [
                {name: value for name, value in row.items() if name not in apart} for row in rows
            ]
        else:
            rows = [{name: row.get(name) for name in self._features} for row in rows]
        return as_batch(rows, y, weight, open_names=self._open_names)

    def _column(self, rows: Sequence[Mapping[str, Any]], name: str | None) -> list[Any] | None:
        if name is None:
            return None
        for i, row in enumerate(rows):
            if name not in row:
                raise ValueError(missing("key", name, tuple(row), f"row {i}"))
        return [row[name] for row in rows]
