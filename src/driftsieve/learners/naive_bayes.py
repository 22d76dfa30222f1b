"""Naive Bayes over a summary: how likely a value is in each class, from the bins of its feature.

Pawling, Chawla & Chaudhary (2006), section 2, name this as the second use of their summaries, and
leave it to a report. Here a class y has the probability P(y) Π P(a < x ≤ b | y), ]a, b] being the
bin of a value x among bins of equal frequency. A value that is missing says nothing.

P(bin | y) is (w + s / B) / (W + s): w the weight of y in the bin, W that of y in all B bins of the
feature, and s the smoothing (Laplace's, spread over the bins). P(y) is read off a feature of ones
that is learnt beside the others: so it fades, and leaves a window, as they do.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch, dense
from driftsieve.border import as_batch, as_labels
from driftsieve.learners.labels import codes_of, distinct, require_two
from driftsieve.memory import Memory
from driftsieve.remembered import remember
from driftsieve.selectors.columns import Columns
from driftsieve.streams.checks import number, whole
from driftsieve.summaries import kept
from driftsieve.summaries.class_tables import ClassTables
from driftsieve.summaries.counts import Counts
from driftsieve.summaries.kept import Keep

NOTHING = 1e-300


class SummaryNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes from how the values of every feature are spread in each class.

    Parameters
    ----------
    summary : str or Keep, default="auto"
        What is remembered of the values: any summary that feeds `Screening("mutual_information")`.
    bins : int, default=20
        Bins of equal frequency to a feature.
    epsilon : float, default=0.001
        The largest error of a rank in a quantile summary.
    memory : Fading, Window or None, default=None
        How the past is forgotten. None: all rows count alike.
    smoothing : float, default=1.0
        The weight of rows, spread evenly over the bins, that each class is taken to have had.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, n_samples_seen_
        As in scikit-learn.
    """

    _columns: Columns
    _remembered: Any
    _answers: dict[Any, tuple[ClassTables, NDArray[np.float64], NDArray[np.float64]]]
    n_samples_seen_: int

    def __init__(
        self,
        summary: str | Keep = "auto",
        *,
        bins: int = 20,
        epsilon: float = 1e-3,
        memory: Memory = None,
        smoothing: float = 1.0,
    ) -> None:
        self.summary = summary
        self.bins = bins
        self.epsilon = epsilon
        self.memory = memory
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then learn these rows."""
        batch = self._batch(X, y, sample_weight, order=None)
        if batch.n_rows == 0:
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required.")
        if batch.weight is not None and not batch.weight.any():
            raise ValueError("all sample weights are zero: there is nothing to learn from")
        assert batch.y is not None
        weighing = batch.y if batch.weight is None else batch.y[batch.weight > 0]
        return self._learn(batch, distinct(weighing), None)

    def partial_fit(
        self, X: Any, y: Any, classes: Sequence[Any] | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn some more rows of a stream; a batch that is refused changes nothing.

        `classes` are all labels to come; by default those of the first batch.
        """
        first = not self.__sklearn_is_fitted__()
        batch = self._batch(X, y, sample_weight, None if first else self._columns.names)
        told = None if classes is None else distinct(as_labels(classes, len(classes)))
        if not first:
            if told is not None and told.tolist() != self.classes_.tolist():
                raise ValueError(
                    f"classes is {told.tolist()!r} now, and was {self.classes_.tolist()!r} when "
                    "learning began: leave it out, or begin anew"
                )
            return self._learn(batch, self.classes_, self._columns)
        assert batch.y is not None
        return self._learn(batch, distinct(batch.y) if told is None else told, None)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of P(y) P(x | y) of each row and class."""
        check_is_fitted(self)
        batch = as_batch(X, order=self._columns.names)
        self._columns.place(batch, type(self).__name__)
        batch.refuse_infinities()
        asked = self.bins, self.smoothing
        if asked not in self._answers:
            self._answers.clear()
            self._answers[asked] = self._log_probabilities()
        tables, prior, logs = self._answers[asked]
        found = np.tile(prior, (batch.n_rows, 1))
        values = dense(batch.X)
        for j in range(batch.n_features):
            known = np.flatnonzero(~np.isnan(values[:, j]))
            edges = tables.edges(j)[1:]
            if len(edges) and not np.isnan(edges[-1]):
                places = np.minimum(np.searchsorted(edges, values[known, j]), len(edges) - 1)
                found[known] += logs[tables.starts[j] + places]
        return found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row."""
        return np.asarray(softmax(self.predict_joint_log_proba(X), axis=1))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return its logarithm."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - np.logaddexp.reduce(joint, axis=1)[:, None])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row."""
        best = self.predict_joint_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @property
    def nbytes(self) -> int:
        """The bytes that what was learnt takes in memory."""
        return int(self._remembered.nbytes) if self.__sklearn_is_fitted__() else 0

    def __sklearn_is_fitted__(self) -> bool:
        return "_remembered" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _batch(self, X: Any, y: Any, sample_weight: Any, order: Any) -> Batch:
        who = type(self).__name__
        if y is None and not isinstance(X, Batch):
            raise ValueError(f"{who} requires y to be passed, but the target y is None")
        batch = as_batch(X, y, sample_weight, order=order)
        if batch.y is None:
            raise ValueError(f"{who} learns from labels, and the batch has none")
        if batch.n_features == 0:
            shape = batch.X.shape
            raise ValueError(
                f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
            )
        return batch

    def _learn(self, batch: Batch, labels: NDArray[Any], known: Columns | None) -> Self:
        """Learn a batch; labels and columns as known from before, or to begin with."""
        who = type(self).__name__
        require_two(labels, who, "pass all labels to come as classes=[...]")
        whole("bins", self.bins, 2)
        if number("smoothing", self.smoothing) <= 0:
            raise ValueError(f"smoothing must be above 0, not {self.smoothing!r}")
        assert batch.y is not None
        codes = codes_of(batch.y, labels, who)
        _, columns = (Columns(open=False) if known is None else known).place(batch, who)
        remembered = self._remembered if known is not None else None
        if remembered is None:
            make = kept.chosen(self.summary, Counts, who, self.epsilon)
            remembered = remember(make, batch.n_features + 1, self.memory)
        with batch.blamed_for_infinities():
            remembered.update(_with_ones(batch.replace(y=codes)))
        seen = self.n_samples_seen_ if known is not None else 0
        self._remembered, self.classes_, self._columns = remembered, labels, columns
        self.n_samples_seen_ = seen + batch.n_rows
        self._answers = {}
        columns.describe(self)
        return self

    def _log_probabilities(self) -> tuple[ClassTables, NDArray[np.float64], NDArray[np.float64]]:
        """Return the tables of all features, log P(y), and log P(bin | y) of each bin."""
        tables: ClassTables = self._remembered.summary.tables(whole("bins", self.bins, 2))
        counts = np.zeros((len(tables.counts), len(self.classes_)))
        counts[:, tables.classes] = tables.counts
        logs = np.zeros_like(counts)
        weight = np.zeros(len(self.classes_))
        for j in range(tables.n_features):
            bins = slice(int(tables.starts[j]), int(tables.starts[j + 1]))
            filled = max(int(np.count_nonzero(counts[bins].sum(axis=1))), 1)
            weight = counts[bins].sum(axis=0)
            smooth = counts[bins] + self.smoothing / filled
            logs[bins] = np.log(smooth / (weight + self.smoothing))
        with np.errstate(divide="ignore"):  # a class that has not come yet: -inf
            prior = np.log(weight / max(float(weight.sum()), NOTHING))
        return tables, prior if weight.any() else np.zeros_like(prior), logs


def _with_ones(batch: Batch) -> Batch:
    """Return the rows with a last feature of ones, whose tables tell what the classes weigh."""
    X: Any = batch.X
    ones = np.ones((batch.n_rows, 1), X.dtype)
    if batch.is_sparse:
        return batch.replace(X=sparse.hstack([X, ones], format="csr"), names=None, relevant=None)
    return batch.replace(X=np.hstack([X, ones]), names=None, relevant=None)
