"""How good selected features are for finding the classes again, without labels: K-means and NMI.

The measure of Huang, Yoo and Kasiviswanathan (2015), section 5.1: K-means on the selected columns,
and the mutual information of its clusters with the classes, normalised by the geometric mean of
both entropies (Strehl & Ghosh 2003). 1: clusters are classes; 0: they tell nothing of them; NaN:
there is one class, or one cluster.
"""

import warnings
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score

from driftsieve.batch import Batch, concatenate
from driftsieve.border import as_batch
from driftsieve.evaluation.choosing import Chooser
from driftsieve.scores.subspace import unit_rows
from driftsieve.selection import best_first, require_whole


def clustering_nmi(
    X: Any,
    labels: Any,
    *,
    clusters: int | None = None,
    repeats: int = 5,
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Return the NMI of K-means with the labels, from each of `repeats` random starts.

    `clusters` is by default the number of labels that there are.
    """
    batch = _labelled(X, labels, repeats)
    clusters = _clusters(batch, clusters)
    found = [KMeans(clusters, n_init=1, random_state=random_state + i) for i in range(repeats)]
    return np.array([_agreement(batch, model, "fit_predict") for model in found])


def nmi_by_number(
    X: Any,
    labels: Any,
    scores: ArrayLike,
    numbers: Sequence[int],
    *,
    clusters: int | None = None,
    repeats: int = 5,
    random_state: int = 0,
) -> pl.DataFrame:
    """Return the NMI of K-means on the best features, for several numbers of them, as a table.

    `scores` has one for each column, larger is better; columns without one (NaN) are left out.
    Columns: `features` (the number asked for), `repeat`, `nmi`.
    """
    batch = _labelled(X, labels, repeats)
    worth = np.asarray(scores, dtype=np.float64)
    if worth.shape != (batch.n_features,):
        raise ValueError(f"X has {batch.n_features} features, but scores has {worth.shape}")
    order = best_first(worth)[: int(np.sum(~np.isnan(worth)))]
    lines = []
    for number in numbers:
        require_whole("a number of features", number, 1)
        part = batch.X[:, np.sort(order[:number])]
        found = clustering_nmi(
            part, batch.y, clusters=clusters, repeats=repeats, random_state=random_state
        ) if len(order) else np.full(repeats, np.nan)  # fmt: skip
        lines += [(int(number), repeat, float(nmi)) for repeat, nmi in enumerate(found)]
    return pl.DataFrame(lines, schema=["features", "repeat", "nmi"], orient="row")


def streaming_nmi(
    X: Any,
    labels: Any,
    *,
    batch_size: int = 1000,
    clusters: int | None = None,
    repeats: int = 5,
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Return the NMI of K-means that sees the rows once, batch after batch, in their order.

    The streaming reference: scikit-learn's `MiniBatchKMeans`, one `partial_fit` a batch; then all
    rows are given to the centres that it came to.
    """
    require_whole("batch_size", batch_size, 1)
    batch = _labelled(X, labels, repeats)
    clusters = _clusters(batch, clusters)
    step = max(batch_size, clusters)  # the first one has to bring the centres
    ends = [*range(step, batch.n_rows - step + 1, step), batch.n_rows]
    found = []
    for repeat in range(repeats):
        model = MiniBatchKMeans(clusters, n_init=1, random_state=random_state + repeat)
        for begin, end in zip([0, *ends], ends):
            model.partial_fit(batch.X[begin:end])
        found.append(_agreement(batch, model, "predict"))
    return np.array(found)


def nmi_over_time(
    stream: Iterable[Batch],
    selectors: Mapping[str, Any],
    *,
    every: int = 1000,
    recent: int = 2000,
    clusters: int | None = None,
    repeats: int = 3,
    unit: bool = False,
    random_state: int = 0,
) -> pl.DataFrame:
    """Return how well the features selected at a time cluster the rows of that time, as a table.

    Each selector learns the rows of `stream` in their order. Once in `every` rows, K-means runs on
    the last `recent` rows, restricted to what each has selected by then (None in place of a
    selector: all features), for as many clusters as these rows have labels, or `clusters`.
    `unit`: these rows are scaled to length 1 before. Columns: `rows` (seen), `selector`,
    `features` (selected) and `nmi` (the mean of `repeats` starts).
    """
    for name, value in (("every", every), ("recent", recent), ("repeats", repeats)):
        require_whole(name, value, 1)
    choosers = {name: None if s is None else Chooser(s) for name, s in selectors.items()}
    latest: deque[Batch] = deque()
    lines: list[tuple[int, str, int, float]] = []
    rows = 0
    for whole in stream:
        if whole.y is None:
            raise ValueError("the stream gives no labels to compare clusters with")
        for batch in whole.cut(every, rows):
            if not batch.n_rows:
                continue
            for chooser in choosers.values():
                if chooser is not None:
                    chooser.learn(batch)
            rows += batch.n_rows
            latest.append(batch)
            while sum(part.n_rows for part in latest) - latest[0].n_rows >= recent:
                latest.popleft()
            if rows % every:
                continue
            here = concatenate([Batch(part.X, part.y) for part in latest])
            here = here.take(slice(max(0, here.n_rows - recent), None))
            if unit:
                here = here.replace(X=unit_rows(here.X))
            for name, chooser in choosers.items():
                selection = None if chooser is None else chooser.selection(batch, rows)
                chosen = np.arange(here.n_features) if selection is None else selection.indices
                nmi = np.nan
                if len(chosen):
                    part = here.replace(X=here.X[:, np.sort(chosen)])
                    nmi = float(
                        clustering_nmi(
                            part.X, part.y, clusters=clusters, repeats=repeats,
                            random_state=random_state,
                        ).mean()
                    )  # fmt: skip
                lines.append((rows, name, len(chosen), nmi))
    return pl.DataFrame(
        lines,
        schema={"rows": pl.Int64, "selector": pl.String, "features": pl.Int64, "nmi": pl.Float64},
        orient="row",
    )


class Early:
    """A selector that learns the first `rows` rows only: the static selection to compare with."""

    def __init__(self, selector: Any, rows: int) -> None:
        require_whole("rows", rows, 1)
        self.selector = selector
        self.rows = rows
        self._seen = 0

    def learn(self, batch: Batch) -> "Early":
        """Learn from as many of the rows as belong to the first."""
        first = batch.take(slice(0, max(0, self.rows - self._seen)))
        if first.n_rows:
            self.selector.learn(first)
        self._seen += batch.n_rows
        return self

    @property
    def selection_(self) -> Any:
        """What was selected then."""
        return self.selector.selection_


def _labelled(X: Any, labels: Any, repeats: Any) -> Batch:
    require_whole("repeats", repeats, 1)
    batch = as_batch(X, labels)
    if batch.y is None:
        raise ValueError("labels are needed to compare clusters with")
    batch.refuse_infinities()
    batch.refuse_missing("K-means")
    return batch


def _clusters(batch: Batch, clusters: int | None) -> int:
    if clusters is None:
        clusters = len(set(batch.y.tolist()))  # type: ignore[union-attr]
    require_whole("clusters", clusters, 1)
    if batch.n_rows < clusters:
        raise ValueError(f"there are {batch.n_rows} rows, too few for {clusters} clusters")
    return int(clusters)


def _agreement(batch: Batch, model: Any, method: str) -> float:
    with warnings.catch_warnings():  # fewer different rows than clusters is no matter here
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = getattr(model, method)(batch.X)
    codes = {label: code for code, label in enumerate(dict.fromkeys(batch.y.tolist()))}  # type: ignore[union-attr]
    classes = [codes[label] for label in batch.y.tolist()]  # type: ignore[union-attr]
    if min(len(set(classes)), len(np.unique(found))) < 2:
        return float("nan")  # what has no entropy has no share in any
    return float(normalized_mutual_info_score(classes, found, average_method="geometric"))
