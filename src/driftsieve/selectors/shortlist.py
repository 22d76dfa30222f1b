"""Storing a stream by the features that may still be selected in the end.

H. Huang, S. Yoo and S. Kasiviswanathan (2015), *Unsupervised Feature Selection on Data Streams*,
section 5.5.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.kept import bytes_of, rows_from_state, rows_to_state
from driftsieve.selection import best_first, require_whole
from driftsieve.state import StateError, load_state, save_state
from driftsieve.state_values import require_array, require_within
from driftsieve.tables import distinct_names

KIND = "shortlist"


class Shortlist:
    """A stream on disk, each batch restricted to the features that may be among the final ones.

    The best `g` times `h` features are taken after each batch; what is final are those that were
    among them every time, the best `h` of them by their latest scores. With g = 1 hardly any bytes
    are spent on features that are dropped later; a larger g lets more features through that took
    their time.

    The paper stores the top g·h of each batch. A feature that was once outside is not final any
    more, so here it is not stored from then on either: the same final features in fewer bytes.

    Parameters
    ----------
    folder : path
        Where to write: a part for each batch, as a state file, whole or not at all. It must be
        empty, or hold what this selector was stored with so far.
    selector : StreamSelector
        Learns each batch before it is stored. Its scores decide; its own k does not matter.
    h : int
        How many features are wanted in the end.
    g : int, default=4
        How many times as many are looked at on the way.

    Attributes
    ----------
    features : ndarray or None
        The columns that are still candidates, best first; None before the first batch.
    nbytes, whole_bytes : int
        The bytes of the rows stored, and what they would have been with all their features.
    """

    def __init__(
        self, folder: str | os.PathLike[str], selector: Any, h: int, *, g: int = 4
    ) -> None:
        require_whole("h", h, 1)
        require_whole("g", g, 1)
        if getattr(selector, "features", "closed") == "open":
            raise ValueError(
                "a shortlist tells columns by their numbers, and those of a selector with "
                'features="open" may come and go: make it with features="closed"'
            )
        self.folder = Path(folder)
        self.selector = selector
        self.h = int(h)
        self.g = int(g)
        self.features: NDArray[np.intp] | None = None
        self.nbytes = self.whole_bytes = self.rows = 0
        self.folder.mkdir(parents=True, exist_ok=True)
        for part in _parts(self.folder):
            self._count(part)
        self._require_same_rows()

    @property
    def final(self) -> NDArray[np.intp]:
        """The final features as things stand: at most `h` columns, best first."""
        return np.empty(0, np.intp) if self.features is None else self.features[: self.h]

    def append(self, batch: Batch) -> None:
        """Let the selector learn a batch, then store it by the features that are candidates."""
        self._require_same_rows()
        self.selector.learn(batch)
        if not batch.n_rows:
            return
        scores = self.selector.scores_
        order = best_first(scores)[: int(np.sum(~np.isnan(scores)))]
        best = order[: self.g * self.h]
        if self.features is not None:
            best = best[np.isin(best, self.features)]
        kept = Batch(batch.X[:, best], batch.y, batch.weight)
        state = {
            "features": best.astype(np.int64),
            "names": None if batch.names is None else [batch.names[j] for j in best],
            "of": batch.n_features,
            "whole_bytes": bytes_of(batch),
            "rows": rows_to_state(kept),
        }
        save_state(self.folder / f"part-{len(_parts(self.folder)):08}.sieve", KIND, state)
        self._add(best, kept, bytes_of(batch))

    def batches(self) -> Iterator[Batch]:
        """Yield all rows, batch by batch, restricted to the final features."""
        yield from read_shortlist(self.folder, self.h)

    def _require_same_rows(self) -> None:
        seen = getattr(self.selector, "n_samples_seen_", 0)
        if seen != self.rows:
            raise ValueError(
                f"{self.folder} holds {self.rows:,} rows and the selector has seen {seen:,}: "
                "give a new selector and an empty folder, or the two that belong together"
            )

    def _count(self, path: Path) -> None:
        part = _read(path)
        self._add(part.features, part.batch, part.whole_bytes)

    def _add(self, features: NDArray[np.intp], kept: Batch, whole_bytes: int) -> None:
        self.features = features
        self.rows += kept.n_rows
        self.nbytes += bytes_of(kept)
        self.whole_bytes += whole_bytes


class _Part:
    """One batch as it was stored, looked at."""

    def __init__(self, state: dict[str, Any]) -> None:
        features, of = state["features"], int(state["of"])
        require_array(features, "features", (len(features),), np.int64)
        require_within(features, of, "features")
        if len(np.unique(features)) < len(features):
            raise ValueError("a feature is named twice")
        self.features = features.astype(np.intp)
        names = state["names"] or [f"x{j}" for j in features]
        self.names = distinct_names(names)
        if len(self.names) != len(features):
            raise ValueError("there are not as many names as features")
        self.batch = rows_from_state(state["rows"], len(features))
        self.whole_bytes = int(state["whole_bytes"])


def read_shortlist(folder: str | os.PathLike[str], h: int) -> Iterator[Batch]:
    """Yield the rows that a `Shortlist` stored, restricted to the final features, best first.

    Columns have their names, or x0, x1 ... by their number in the stream.
    """
    require_whole("h", h, 1)
    parts = _parts(Path(folder))
    if not parts:
        raise ValueError(f"there is no shortlist in {os.fspath(folder)}")
    last = _read(parts[-1])
    final, names = last.features[:h], last.names[:h]
    for path in parts:
        part = _read(path)
        place = {feature: i for i, feature in enumerate(part.features.tolist())}
        missing = [j for j in final.tolist() if j not in place]
        if missing:
            raise StateError(f"{path} lacks feature {missing[0]}, which later parts have")
        columns = [place[j] for j in final.tolist()]
        yield part.batch.replace(X=part.batch.X[:, columns], names=names)


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.sieve"))


def _read(path: Path) -> _Part:
    kind, state = load_state(path)
    if kind != KIND:
        raise StateError(f"{path} holds a {kind!r}, not a part of a shortlist")
    try:
        return _Part(state)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise StateError(f"{path} does not hold a valid part of a shortlist: {error}") from error
