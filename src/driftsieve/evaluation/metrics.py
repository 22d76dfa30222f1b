"""How good predictions are: accuracy, Cohen's kappa and log loss, over the run and over a window.

Exact for labels of any hashable type, and new ones at any time. Nothing is subtracted when a row
leaves the window: its figures are worked out anew from the rows in it, at a cost of O(window).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftsieve.batch import Batch

SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities below this count as this, as in scikit-learn: no row costs more than 36 nats."""


class Tally:
    """All that the three figures need to know of some rows.

    Kappa needs no confusion matrix: the agreements and how often each label was true and was
    predicted are enough, so that many labels cost little.
    """

    def __init__(self) -> None:
        self.right = 0.0
        self.loss = 0.0
        self.true: NDArray[np.float64] = np.zeros(0)
        self.predicted: NDArray[np.float64] = np.zeros(0)

    def add(
        self,
        true: NDArray[np.intp],
        predicted: NDArray[np.intp],
        loss: NDArray[np.float64],
        weight: NDArray[np.float64],
        labels: int,
    ) -> "Tally":
        """Take in rows whose labels are coded as 0 up to `labels`."""
        self.right += float(weight[true == predicted].sum())
        self.loss += float(weight @ loss)
        self.true = _summed(self.true, true, weight, labels)
        self.predicted = _summed(self.predicted, predicted, weight, labels)
        return self

    @property
    def total(self) -> float:
        return float(self.true.sum())

    @property
    def accuracy(self) -> float:
        return self.right / self.total if self.total else np.nan

    @property
    def log_loss(self) -> float:
        """The mean of -log p(true label); NaN if a row has no probabilities."""
        return self.loss / self.total if self.total else np.nan

    @property
    def kappa(self) -> float:
        """Cohen (1960): the agreement beyond chance, of that which chance leaves open.

        NaN where chance leaves nothing open: one label was all that occurred and was predicted.
        """
        by_chance = float(self.true @ self.predicted)
        left_open = self.total**2 - by_chance
        return (self.total * self.right - by_chance) / left_open if left_open else np.nan


class Metrics:
    """The figures over all rows so far, and over the last `window` rows."""

    def __init__(self, window: int) -> None:
        self.rows = 0
        self._codes: dict[Any, int] = {}
        self._run = Tally()
        # Row t is kept at t modulo window, so that nothing depends on how the rows were batched.
        self._true = np.zeros(window, dtype=np.intp)
        self._predicted = np.zeros(window, dtype=np.intp)
        self._loss = np.zeros(window)
        self._weight = np.zeros(window)

    def update(
        self,
        y: NDArray[Any],
        predicted: NDArray[Any],
        probability: NDArray[np.float64] | None = None,
        weight: NDArray[np.float64] | None = None,
    ) -> None:
        """Take in the true and the predicted labels of some rows, and the probability that was
        given to each true label."""
        rows = len(y)
        true, guess = self._coded(y), self._coded(predicted)
        loss = np.full(rows, np.nan) if probability is None else _loss(probability)
        weights = np.ones(rows) if weight is None else weight
        self._run.add(true, guess, loss, weights, len(self._codes))
        kept = slice(max(0, rows - len(self._true)), rows)
        places = np.arange(self.rows + kept.start, self.rows + rows) % len(self._true)
        self._true[places], self._predicted[places] = true[kept], guess[kept]
        self._loss[places], self._weight[places] = loss[kept], weights[kept]
        self.rows += rows

    def figures(self) -> dict[str, float]:
        """Return the three figures of the run and of the window; NaN where undefined."""
        held = slice(0, min(self.rows, len(self._true)))
        window = Tally().add(
            self._true[held],
            self._predicted[held],
            self._loss[held],
            self._weight[held],
            len(self._codes),
        )
        return {
            "accuracy": self._run.accuracy,
            "accuracy_window": window.accuracy,
            "kappa": self._run.kappa,
            "kappa_window": window.kappa,
            "log_loss": self._run.log_loss,
            "log_loss_window": window.log_loss,
        }

    def _coded(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        codes = self._codes
        coded = [codes.setdefault(label, len(codes)) for label in labels.tolist()]
        return np.array(coded, dtype=np.intp)


def probability_of_truth(
    batch: Batch, probabilities: NDArray[np.float64], classes: ArrayLike
) -> NDArray[np.float64]:
    """Return the probability given to the true label of each row: 0 if it was not thought of.

    The columns of `probabilities` belong to `classes`.
    """
    assert batch.y is not None
    columns = {label: j for j, label in enumerate(np.asarray(classes).tolist())}
    places = np.array([columns.get(label, -1) for label in batch.y.tolist()], dtype=np.intp)
    given = np.asarray(probabilities, dtype=np.float64)[np.arange(batch.n_rows), places]
    return np.where(places >= 0, given, 0.0)


def _loss(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.log(np.clip(probability, SMALLEST, 1.0))


def _summed(
    counts: NDArray[np.float64], codes: NDArray[np.intp], weight: NDArray[np.float64], labels: int
) -> NDArray[np.float64]:
    """Add the weight of each label to what was counted before, when there were fewer of them."""
    total = np.bincount(codes, weight, labels).astype(np.float64)
    total[: len(counts)] += counts
    return total
