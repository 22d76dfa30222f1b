"""Talking to selectors: those of driftsieve, and those of scikit-learn that have `partial_fit`."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from driftsieve.batch import Batch
from driftsieve.evaluation.masking import takes
from driftsieve.selection import Selection
from driftsieve.selectors.base import StreamSelector


class Chooser:
    """A selector, whoever wrote it: learns from batches and says what it has selected.

    It is a `contracts.Selector` (with `learn` and `selection_`) or has `partial_fit` and
    `get_support`, as scikit-learn's have.
    """

    def __init__(self, selector: Any) -> None:
        own = callable(getattr(selector, "learn", None))
        foreign = all(callable(getattr(selector, m, None)) for m in ("partial_fit", "get_support"))
        if isinstance(selector, type) or not (own or foreign):
            name = selector.__name__ if isinstance(selector, type) else type(selector).__name__
            raise TypeError(
                f"{name} is not a selector: pass an object with `learn` and `selection_`, or with "
                "`partial_fit` and `get_support`, or None for all features"
            )
        self.selector = selector
        self._own = own
        self._learnt = False

    def warm_up(self, batch: Batch) -> None:
        """Let a copy learn a few rows: compiling its kernels is not to be charged to a step."""
        if isinstance(self.selector, StreamSelector) and not self._learnt:
            copy = clone(self.selector)
            with suppress(ValueError):  # what is wrong is said when the selector itself learns
                copy.learn(batch.take(slice(0, 64)))
                copy.scores_  # noqa: B018

    def learn(self, batch: Batch, classes: Any = None) -> None:
        if self._own:
            self.selector.learn(batch)
        else:
            options = {"sample_weight": batch.weight, "classes": classes}
            options = {
                name: value
                for name, value in options.items()
                if value is not None and takes(self.selector, name)
            }
            self.selector.partial_fit(batch.X, batch.y, **options)
        self._learnt = True

    def selection(self, batch: Batch | None, rows: int) -> Selection | None:
        """Return what is selected now, or None if nothing is known yet."""
        try:
            if self._own:
                selection: Selection = self.selector.selection_
                return selection
            chosen = np.flatnonzero(self.selector.get_support())
        except (AttributeError, ValueError):  # scikit-learn's NotFittedError is both
            if self._learnt:
                raise
            return None
        scores = np.asarray(
            getattr(self.selector, "scores_", np.full(chosen.max(initial=0) + 1, np.nan))
        )
        order = np.argsort(-scores[chosen], kind="stable")
        chosen = chosen[order]
        names = None if batch is None else batch.names
        texts = tuple(f"x{j}" if names is None else names[j] for j in chosen)
        return Selection(chosen, scores[chosen].astype(np.float64), texts, rows)

    def n_features(self, batch: Batch) -> int:
        """How many features there are by now."""
        return max(int(getattr(self.selector, "n_features_in_", 0)), batch.n_features)

    @property
    def nbytes(self) -> int | None:
        """The bytes of state, if the selector tells."""
        nbytes = getattr(self.selector, "nbytes", None)
        return None if nbytes is None else int(nbytes)


def columns_in(selection: Selection, batch: Batch) -> NDArray[np.intp]:
    """Return the columns of a batch that are selected, ascending.

    A selector whose features come and go counts them in its own order: then names tell.
    """
    indices = np.asarray(selection.indices, dtype=np.intp)
    names = batch.names
    if names is None or all(
        j < len(names) and names[j] == name
        for j, name in zip(indices, selection.names, strict=True)
    ):
        return np.sort(indices)
    place = {name: j for j, name in enumerate(names)}
    return np.sort([place[name] for name in selection.names if name in place]).astype(np.intp)
