"""SparseFSA: a classifier of wide and sparse rows that chooses its features while it learns."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch
from driftsieve.border import as_batch, as_labels
from driftsieve.learners.annealing import Annealed, Plan, Rows
from driftsieve.learners.labels import codes_of, distinct, require_two
from driftsieve.selectors.columns import Columns
from driftsieve.streams.checks import number, whole


class SparseFSA(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression by gradient steps that keeps ever fewer features, in the end `k`.

    Feature selection with annealing (Barbu, She, Ding and Gramajo, 2017), as Wang and Barbu (2021)
    use it on sparse rows. After e of N rows, M_e = k + (p - k) max(0, (N - 2e) / (2 e mu + N)) of
    p features are left: k from the middle on. With more than two classes it is softmax regression,
    with one budget of features for all classes.

    Parameters
    ----------
    k
        Features that stay: a number, or a share of all (a float up to 1.0).
    epochs
        How often `fit` goes through its rows, in random order. N is epochs times rows.
    mu
        How fast features leave: 0 evenly, larger ones most of them at once.
    learning_rate
        How far the first steps go. Each is scaled to the lengths of the rows.
    l2
        Share of its length, times `learning_rate`, by which a weight shrinks at each step.
    batch_size
        Rows of a step. The last step of a call may have fewer.
    anneal_rows
        N of `partial_fit`, whose clock counts rows, over all calls. Every N rows the annealing
        begins again with all features, so that one that did not matter then may matter now.
    random_state
        Seeds the order of rows in `fit`: a whole number, a NumPy generator or None.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, n_samples_seen_
        As in scikit-learn.
    coef_, intercept_
        A row per class, or one row for two classes. What was dropped has a coefficient of 0.

    A feature's values are divided by the root mean square of those that are not zero, so that
    units do not matter; they are not centred, because that would cost a sparse row its zeros.
    Centre dense columns that lie far from zero.
    """

    _model: Annealed
    _columns: Columns

    def __init__(
        self,
        k: float = 0.5,
        *,
        epochs: int = 20,
        mu: float = 10.0,
        learning_rate: float = 0.5,
        l2: float = 0.0,
        batch_size: int = 16,
        anneal_rows: int = 10_000,
        random_state: Any = 0,
    ) -> None:
        self.k = k
        self.epochs = epochs
        self.mu = mu
        self.learning_rate = learning_rate
        self.l2 = l2
        self.batch_size = batch_size
        self.anneal_rows = anneal_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then anneal over these rows."""
        batch = self._batch(X, y, sample_weight)
        if batch.n_rows == 0:
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required.")
        _, columns = Columns(open=False).place(batch, type(self).__name__)
        batch = _weighing(batch)
        if batch.n_rows == 0:
            raise ValueError("all sample weights are zero: there is nothing to learn from")
        assert batch.y is not None
        classes = distinct(batch.y)
        require_two(classes, type(self).__name__, "there is nothing to learn")
        epochs = whole("epochs", self.epochs, 1)
        plan = self._plan(batch.n_features, epochs * batch.n_rows, again=False)
        random = np.random.default_rng(self.random_state)
        model = _model(batch, classes)
        rows = self._rows(batch, classes)
        model.observe(rows)
        for _ in range(epochs):
            rows = model.learn(rows, random.permutation(batch.n_rows), plan)
        model.finished = True
        return self._become(model, classes, columns, batch.n_rows)

    def partial_fit(
        self, X: Any, y: Any, classes: Sequence[Any] | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn some more rows of a stream, each once; a batch that is refused changes nothing.

        `classes` are all labels to come; by default those of the first batch.
        """
        batch = self._batch(X, y, sample_weight)
        first = not hasattr(self, "_model")
        known = Columns(open=False) if first else self._columns
        _, columns = known.place(batch, type(self).__name__)
        plan = self._plan(batch.n_features, whole("anneal_rows", self.anneal_rows, 2), again=True)
        batch = _weighing(batch)
        labels = self._labels_to_come(batch, classes)
        rows = self._rows(batch, labels)
        model = _model(batch, labels) if first else self._model
        if model.finished:  # by fit: the features have just been chosen
            model.clock, model.finished = plan.rows // 2, False
        model.observe(rows)
        model.learn(rows, np.arange(batch.n_rows), plan)
        seen = 0 if first else self.n_samples_seen_
        return self._become(model, labels, columns, seen + batch.n_rows)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the margin of each row: one for two classes (positive: the second), else one for
        each class."""
        check_is_fitted(self)
        batch = as_batch(X, order=self._columns.names)
        self._columns.place(batch, type(self).__name__)
        _refuse_odd_values(batch)
        margins = self._model.margins(batch.X)
        return margins[:, 0] if margins.shape[1] == 1 else margins

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row."""
        margins = self.decision_function(X)
        if margins.ndim == 2:
            return np.asarray(softmax(margins, axis=1))
        return np.column_stack([expit(-margins), expit(margins)])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row."""
        margins = self.decision_function(X)
        codes = margins.argmax(axis=1) if margins.ndim == 2 else (margins > 0).astype(np.intp)
        return np.asarray(self.classes_[codes])

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return the features that are left, as a mask or as column numbers."""
        check_is_fitted(self)
        return np.flatnonzero(self._model.kept) if indices else self._model.kept.copy()

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The coefficients: a row per class, or one row for two classes."""
        check_is_fitted(self)
        return np.ascontiguousarray(self._model.weights.T)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept of each row of `coef_`."""
        check_is_fitted(self)
        return self._model.b.copy()

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _batch(self, X: Any, y: Any, sample_weight: Any) -> Batch:
        if y is None and not isinstance(X, Batch):
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        known = self._columns.names if self.__sklearn_is_fitted__() else None
        batch = as_batch(X, y, sample_weight, order=known)
        if batch.y is None:
            raise ValueError(f"{type(self).__name__} learns from labels, and the batch has none")
        if batch.n_features == 0:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={batch.X.shape}) while a minimum of 1 is "
                "required."
            )
        _refuse_odd_values(batch)
        return batch

    def _plan(self, n_features: int, rows: int, *, again: bool) -> Plan:
        """Check the parameters."""
        rate = number("learning_rate", self.learning_rate)
        if rate <= 0:
            raise ValueError(f"learning_rate must be above 0, not {rate!r}")
        l2 = number("l2", self.l2, 0)
        if l2 * rate >= 1:
            raise ValueError(f"l2 must be below 1 / learning_rate, which is {1 / rate:g}, not {l2}")
        return Plan(
            k=self._count(n_features),
            mu=number("mu", self.mu, 0),
            rows=rows,
            again=again,
            size=whole("batch_size", self.batch_size, 1),
            rate=rate,
            l2=l2,
        )

    def _count(self, n_features: int) -> int:
        """Return the number of features that `k` stands for."""
        k: Any = self.k
        if isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 1:
            if k > n_features:
                raise ValueError(f"k is {k}, but there are only {n_features} features to keep")
            return int(k)
        if isinstance(k, (float, np.floating)) and 0 < k <= 1:
            return max(1, round(float(k) * n_features))
        raise ValueError(
            "k must be a number of features (at least 1) or a share of them (a float above 0 and "
            f"up to 1.0), not {k!r}"
        )

    def _labels_to_come(self, batch: Batch, classes: Sequence[Any] | None) -> NDArray[Any]:
        told = None if classes is None else distinct(as_labels(classes, len(classes)))
        if hasattr(self, "_model"):
            if told is not None and told.tolist() != self.classes_.tolist():
                raise ValueError(
                    f"classes is {told.tolist()!r} now, and was {self.classes_.tolist()!r} when "
                    "learning began: leave it out, or begin anew"
                )
            return self.classes_
        if told is None:
            assert batch.y is not None
            told = distinct(batch.y)
        require_two(told, type(self).__name__, "pass all labels to come as classes=[...]")
        return told

    def _rows(self, batch: Batch, classes: NDArray[Any]) -> Rows:
        assert batch.y is not None
        return Rows.of(batch.X, codes_of(batch.y, classes, type(self).__name__), batch.weight)

    def _become(
        self, model: Annealed, classes: NDArray[Any], columns: Columns, n_samples: int
    ) -> Self:
        self._model, self.classes_, self._columns = model, classes, columns
        self.n_samples_seen_ = n_samples
        columns.describe(self)
        return self


def _model(batch: Batch, classes: NDArray[Any]) -> Annealed:
    return Annealed(batch.n_features, 1 if len(classes) == 2 else len(classes))


def _weighing(batch: Batch) -> Batch:
    """Leave out the rows of weight zero."""
    if batch.weight is None or batch.weight.all():
        return batch
    return batch.take(np.flatnonzero(batch.weight))


def _refuse_odd_values(batch: Batch) -> None:
    """Refuse infinities and missing values by their places."""
    batch.refuse_infinities()
    X: Any = batch.X
    values = X if isinstance(X, np.ndarray) else X.data
    if not np.isnan(values.sum()):
        return
    rows, columns = np.nonzero(np.isnan(X)) if values is X else _places_of_nan(X)
    raise ValueError(
        f"{batch.column(int(columns[0]))} holds NaN in row {rows[0]} of the batch: a missing value "
        "moves no margin, so fill it in first, for example with SimpleImputer"
    )


def _places_of_nan(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    at = np.flatnonzero(np.isnan(X.data))
    return np.searchsorted(X.indptr, at, side="right") - 1, X.indices[at]
