"""The order in which rows arrive: four scenarios, each made from any finite stream.

Pawling, Chawla & Chaudhary, Evaluation of Summarization Schemes for Learning in Streams, section 5:
stationary, non-stationary-feature (`sorted_by_feature`), non-stationary-class (`by_class`) and
missing values (`WithMissing`). They compose: the paper's missing values are those of a shuffled
stream, `WithMissing(stationary(source))`, and its classes arrive by class from a shuffled stream.

The first three hold the whole stream in memory; `WithMissing` lets it flow. Labels, weights and the
known relevance of features travel with their rows.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch, Position, concatenate, dense
from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.base import ByRow
from driftsieve.streams.checks import number, whole
from driftsieve.streams.cursor import is_endless

MAX_BYTES = 4 * 2**30
"""How large a stream is collected without asking. Collecting takes about twice that for a while."""

CELLS_AT_ONCE = 2**14  # hashed at a time: what they need fits in a core's cache


class Reordered(ByRow):
    """Rows held in memory, arriving in a given order (which may leave some out)."""

    def __init__(self, data: Batch, order: NDArray[np.intp], batch: int = 1_000) -> None:
        self._data = data
        self._order = order
        self.n_rows = len(order)
        self.batch = whole("batch", batch, 1)

    def rows(self, start: int, stop: int) -> Batch:
        return self._data.take(self._order[start:stop])


def collect(source: Source, max_bytes: int = MAX_BYTES) -> Batch:
    """Return all rows of a finite stream as one batch, from where the stream stands."""
    if is_endless(source):
        raise ValueError("an endless stream cannot be collected: give it a number of rows")
    batches: list[Batch] = []
    held = 0
    for batch in source:
        batches.append(batch)
        held += _bytes(batch)
        if held > max_bytes:
            rows = sum(len(batch) for batch in batches)
            raise ValueError(
                f"the first {rows} rows of the stream take {held} bytes, and more than "
                f"max_bytes={max_bytes} are not collected: use a shorter stream or allow more"
            )
    if not batches:
        raise ValueError("the stream has no rows to arrange")
    return concatenate(batches)


def stationary(
    source: Source, *, seed: int = 0, batch: int = 1_000, max_bytes: int = MAX_BYTES
) -> Reordered:
    """Shuffle the rows: whatever drifted is spread over the whole stream."""
    data = collect(source, max_bytes)
    rng = randomness.generator(whole("seed", seed), "stationary")
    return Reordered(data, rng.permutation(data.n_rows), batch)


def sorted_by_feature(
    source: Source,
    feature: int | str | None = None,
    *,
    batch: int = 1_000,
    max_bytes: int = MAX_BYTES,
) -> Reordered:
    """Let the rows arrive in increasing order of a feature, those that miss it last.

    Without `feature`, the feature of the largest Fisher score is taken: the paper's worst case.
    Rows of equal values keep their order.
    """
    data = collect(source, max_bytes)
    column = most_informative(data) if feature is None else _column(data, feature)
    values = np.ravel(dense(data.X[:, [column]]))
    return Reordered(data, np.argsort(values, kind="stable"), batch)


def by_class(
    source: Source,
    first: Hashable = None,
    *,
    lead: int | None = None,
    batch: int = 1_000,
    max_bytes: int = MAX_BYTES,
) -> Reordered:
    """Let one class arrive alone, then all classes in turn until one of them is exhausted.

    `first` is the class that leads, by default the most frequent one. It leads with `lead` rows;
    the paper does not say how many, and by default they are its surplus over the rarest other
    class, but no less than half of its rows. What is left when a class is exhausted does not
    arrive. Within a class, the rows keep their order.
    """
    data = collect(source, max_bytes)
    if data.y is None:
        raise ValueError("the stream has no labels, so its rows cannot arrive by class")
    classes = _rows_of_classes(data.y)
    if len(classes) < 2:
        raise ValueError("all rows of the stream are of one class: there is nothing to arrange")
    if first is None:
        first = max(classes, key=lambda label: len(classes[label]))
    elif first not in classes:
        raise ValueError(f"no row of the stream is of the class {first!r}")
    size = len(classes[first])
    if lead is None:
        rarest = min(len(rows) for label, rows in classes.items() if label != first)
        lead = max(size - rarest, size // 2)
    lead = whole("lead", lead, 0, size)
    leading, classes[first] = classes[first][:lead], classes[first][lead:]
    turns = min(len(rows) for rows in classes.values())
    in_turn = np.stack([rows[:turns] for rows in classes.values()], axis=1)
    return Reordered(data, np.concatenate([leading, in_turn.ravel()]), batch)


class WithMissing:
    """A stream of which some cells, taken at random, are missing (NaN). Nothing is held.

    Which cells these are depends on the seed and on their row and column alone. In sparse rows
    only stored entries can go missing, since an entry that is not stored is a zero that nobody
    measured; so of the cells that are stored, the same ones are missing as in the dense rows.

    Batches come as the source gives them; endless streams are welcome.
    """

    def __init__(self, source: Source, share: float = 0.3, *, seed: int = 0) -> None:
        self.source = source
        self.share = number("share", share, 0, 1)
        self.seed = whole("seed", seed)
        self._start: tuple[int, Position] | None = None

    @property
    def endless(self) -> bool:
        return is_endless(self.source)

    @property
    def categorical(self) -> tuple[int, ...]:
        """The columns that are nominal in the source."""
        columns: tuple[int, ...] = getattr(self.source, "categorical", ())
        return columns

    @property
    def drift_points(self) -> Sequence[int] | None:
        """Where the source drifts, if it says so."""
        points: Sequence[int] | None = getattr(self.source, "drift_points", None)
        return points

    def seek(self, position: Position) -> None:
        if position is None:
            self._start = (0, None)
            return
        try:
            row, behind = position
            self._start = (whole("a row", row), behind)
        except (TypeError, ValueError):
            raise ValueError(f"{position!r} is not a position in a stream with missing") from None

    def __iter__(self) -> Iterator[Batch]:
        return self._batches(self._start)

    def _batches(self, start: tuple[int, Position] | None) -> Iterator[Batch]:
        row = 0
        if start is not None:
            row, position = start
            self.source.seek(position)
        for batch in self.source:
            X = self._with_missing(batch, row)
            row += batch.n_rows
            # A source that gives no positions cannot be entered, and then this one cannot either.
            position = None if batch.position is None else [row, batch.position]
            yield batch.replace(X=X, position=position)

    def _with_missing(self, batch: Batch, row: int) -> Any:
        width = np.uint64(batch.n_features)
        rows = np.arange(row, row + batch.n_rows, dtype=np.uint64)
        X: Any = batch.X.copy()
        if batch.is_sparse:
            cells = np.repeat(rows * width, np.diff(X.indptr)) + X.indices.astype(np.uint64)
            X.data[self._missing(cells)] = np.nan
            return X
        columns = np.arange(batch.n_features, dtype=np.uint64)
        some = max(1, CELLS_AT_ONCE // max(1, batch.n_features))
        for low in range(0, batch.n_rows, some):
            here = slice(low, low + some)
            X[here][self._missing(rows[here, None] * width + columns)] = np.nan
        return X

    def _missing(self, cells: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return randomness.uniforms(self.seed, "WithMissing", cells) < self.share


SCENARIOS: dict[str, Callable[[Source], Source]] = {
    "stationary": stationary,
    "sorted": sorted_by_feature,
    "by_class": by_class,
    "missing": WithMissing,
}
"""The scenarios by name, each with its defaults."""


def most_informative(data: Batch) -> int:
    """Return the column of the largest Fisher score: variance between classes by that within."""
    if data.y is None:
        raise ValueError("the stream has no labels to find its best feature by: name the feature")
    data.refuse_infinities()
    classes = list(_rows_of_classes(data.y).values())
    X: Any = data.X
    if data.is_sparse:
        X = X.tocsc()
    weight = np.ones(data.n_rows) if data.weight is None else data.weight
    scores = [_fisher(np.ravel(dense(X[:, [j]])), weight, classes) for j in range(data.n_features)]
    if np.all(np.isnan(scores)):
        raise ValueError("no feature tells the classes apart: name the feature to sort by")
    return int(np.nanargmax(scores))


def _fisher(x: NDArray[Any], weight: NDArray[np.float64], classes: list[NDArray[np.intp]]) -> float:
    present = ~np.isnan(x)
    x = np.where(present, x, 0).astype(np.float64)
    weight = weight * present
    if not weight.any():
        return np.nan
    mean = np.average(x, weights=weight)
    between = within = 0.0
    for rows in classes:
        mass = weight[rows].sum()
        if mass > 0:
            centre = np.average(x[rows], weights=weight[rows])
            between += mass * (centre - mean) ** 2
            within += float(weight[rows] @ (x[rows] - centre) ** 2)
    if within == 0:  # constant within each class: perfect, or constant altogether
        return np.inf if between > 0 else np.nan
    return float(between / within)


def _rows_of_classes(y: NDArray[Any]) -> dict[Hashable, NDArray[np.intp]]:
    """Return the rows of each class, in the order in which the classes first appear."""
    codes: dict[Hashable, int] = {}
    of_row = np.array([codes.setdefault(label, len(codes)) for label in y.tolist()])
    order = np.argsort(of_row, kind="stable")
    sizes = np.bincount(of_row, minlength=len(codes))
    return dict(zip(codes, np.split(order, np.cumsum(sizes)[:-1]), strict=True))


def _column(data: Batch, feature: int | str) -> int:
    if isinstance(feature, str):
        if data.names is None or feature not in data.names:
            raise ValueError(f"the stream has no feature named {feature!r}")
        return data.names.index(feature)
    return whole("feature", feature, 0, data.n_features - 1)


def _bytes(batch: Batch) -> int:
    X: Any = batch.X
    matrix = X.data.nbytes + X.indices.nbytes if batch.is_sparse else X.nbytes
    return int(matrix + (0 if batch.relevant is None else batch.relevant.size))
