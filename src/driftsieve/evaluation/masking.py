"""Selection meets learner: what a learner sees, the same in training and in prediction.

A learner that cannot change its width sees all columns, with those not selected held at zero
(`Masked`), so that its weights stay with their features while the selection moves. One that can
sees the selected columns only, under their names (`Narrow`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from driftsieve.batch import Batch, Matrix, named
from driftsieve.evaluation.metrics import probability_of_truth

ADAPTERS = {"river": ("driftsieve.adapters.river", "RiverLearner")}
"""Who makes a learner of the models of another library, by the name of its package."""

Columns = NDArray[np.intp] | None
"""The columns selected, ascending; None: all of them."""


class View(ABC):
    """A learner behind a view of the features: base of `Masked` and `Narrow`."""

    def __init__(self, learner: Any) -> None:
        learner = _adapted(learner)
        for method in ("partial_fit", "predict"):
            if not callable(getattr(learner, method, None)):
                raise TypeError(
                    f"{type(learner).__name__} has no method `{method}`: a learner is a river "
                    "classifier or a scikit-learn classifier with `partial_fit`"
                )
        if isinstance(learner, type):
            raise TypeError(f"{learner.__name__} is a class: pass an instance of it")
        if _kind(learner) not in (None, "classifier"):
            raise TypeError(f"{type(learner).__name__} is a {_kind(learner)}, and no classifier")
        self.learner = learner
        self.classes: NDArray[Any] | None = None
        """What the learner was told of the labels when it began."""
        self.rows = 0
        """Rows learnt."""
        # Who takes new columns takes new labels, too: such models are made of dicts.
        narrow = getattr(learner, "takes_any_width", False)
        self._needs_classes = takes(learner, "classes") and not narrow
        self._takes_weight = takes(learner, "sample_weight")

    @abstractmethod
    def see(self, batch: Batch, columns: Columns) -> Matrix:
        """Return what the learner sees of a batch when `columns` are selected."""

    def learn(self, batch: Batch, columns: Columns, classes: Sequence[Any] | None = None) -> None:
        """Train on a batch. `classes` are all labels to come, for learners that have to know."""
        if batch.weight is not None and not batch.weight.all():
            batch = batch.take(np.flatnonzero(batch.weight))
        if batch.n_rows == 0:
            return
        options: dict[str, Any] = {}
        if self._takes_weight and batch.weight is not None:
            options["sample_weight"] = batch.weight
        elif batch.weight is not None and not (batch.weight == 1).all():
            raise ValueError(f"{type(self.learner).__name__} cannot weigh its rows")
        if self._needs_classes:
            self._require_known(batch, classes)
            if self.rows == 0:
                options["classes"] = self.classes
                if self._numbered:
                    options["classes"] = np.arange(len(options["classes"]))
        self._prepare(batch)
        self._fit(self.see(batch, columns), batch, options)
        self.rows += batch.n_rows

    def predict(self, batch: Batch, columns: Columns) -> tuple[NDArray[Any], Any]:
        """Return for each row the predicted label and the probability given to the true one
        (None from a learner that gives no probabilities)."""
        X = self.see(batch, columns)
        # log 0, of a class that was told but not met yet; 0/0, where nothing was selected before
        with np.errstate(divide="ignore", invalid="ignore"):
            labels = self._labels(np.asarray(self.learner.predict(X)))
            if not hasattr(self.learner, "predict_proba"):
                return labels, None
            probabilities = self.learner.predict_proba(X)
        known = self._labels(self.learner.classes_)
        return labels, probability_of_truth(batch, probabilities, known)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.learner!r})"

    def _prepare(self, batch: Batch) -> None:  # noqa: B027 (most views need nothing)
        """Learn what the view itself has to know of the rows."""

    def _fit(self, X: Matrix, batch: Batch, options: dict[str, Any]) -> None:
        assert batch.y is not None
        y: NDArray[Any] = batch.y
        if self._numbered and self.classes is not None:
            numbers = {label: i for i, label in enumerate(self.classes.tolist())}
            y = np.array([numbers[label] for label in y.tolist()])
        try:
            self.learner.partial_fit(X, y, **options)
        except ValueError as error:
            if str(error).startswith("Unknown label type"):  # and goes on to list all of them
                raise ValueError(
                    f"{type(self.learner).__name__} learns classes, and y holds numbers such as "
                    f"{batch.y.tolist()[0]!r}: cut them into a few classes first, for example "
                    "with numpy.digitize"
                ) from error
            if self.rows == 0 and self.classes is not None and len(self.classes) == 1:
                raise ValueError(
                    f"{type(self.learner).__name__} has to know all labels when it begins, and the "
                    f"first batch holds only {self.classes.tolist()[0]!r}: pass classes=[...]"
                ) from error
            raise
        except TypeError as error:
            if batch.is_sparse and "parse" in str(error):
                raise ValueError(
                    f"{type(self.learner).__name__} takes no sparse rows: choose a learner that "
                    "does, such as SGDClassifier"
                ) from error
            raise

    @property
    def _numbered(self) -> bool:
        """Tell whether the learner is told the numbers of the labels, because they are of a type
        that scikit-learn does not take: tuples, dates, or a mixture."""
        return self._needs_classes and self.classes is not None and self.classes.dtype == object

    def _labels(self, told: NDArray[Any]) -> NDArray[Any]:
        """Return labels that the learner gives as what they were before they were numbered."""
        return self.classes[told] if self._numbered and self.classes is not None else told

    def _require_known(self, batch: Batch, classes: Sequence[Any] | None) -> None:
        """Take note of the labels to come, by default those of the first batch, and refuse others
        in words that help: scikit-learn's learners cannot learn a label that comes later."""
        assert batch.y is not None
        met = dict.fromkeys(batch.y.tolist())
        if self.classes is None:
            told = getattr(self.learner, "classes_", None) if classes is None else classes
            self.classes = _as_classes(_sorted(met) if told is None else told)
        known = self.classes.tolist()
        new = [label for label in met if label not in set(known)]
        if new:
            raise ValueError(
                f"the label {new[0]!r} is new to {type(self.learner).__name__}, which has to know "
                f"all labels when it begins: pass classes={_sorted([*known, *new])!r}, "
                "and whatever follows"
            )


class Masked(View):
    """A learner that sees all columns, with those not selected held at zero.

    With `scale`, columns are standardised by their mean and deviation over the rows learnt so far
    (sparse ones are only divided by the deviation), which makes zero their mean; a missing value
    becomes zero, too. Without, values stay as they are, and so do missing ones.
    """

    def __init__(self, learner: Any, *, scale: bool = True) -> None:
        super().__init__(learner)
        self.scale = scale
        self._scaler: StandardScaler | None = None
        self._names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return super().__repr__() if self.scale else f"Masked({self.learner!r}, scale=False)"

    def see(self, batch: Batch, columns: Columns) -> Matrix:
        if batch.is_sparse:
            return self._see_sparse(batch.X, columns)
        some = slice(None) if columns is None else columns
        part = np.array(batch.X[:, some], dtype=np.float64)
        if self._scaler is not None:
            part -= self._scaler.mean_[some]
            part /= self._scaler.scale_[some]
        if self.scale:
            part[np.isnan(part)] = 0.0
        if columns is None:
            return part
        seen = np.zeros(batch.X.shape)
        seen[:, columns] = part
        return seen

    def _see_sparse(self, X: Any, columns: Columns) -> Matrix:
        factors = np.ones(X.shape[1]) if self._scaler is None else 1 / self._scaler.scale_
        if columns is not None:
            factors[np.delete(np.arange(X.shape[1]), columns)] = 0.0
        # A factor of zero makes NaN out of NaN: what is not selected has to be cut out instead.
        data = np.where(factors[X.indices] == 0, 0.0, X.data * factors[X.indices])
        if self.scale:
            data[np.isnan(data)] = 0.0
        seen = sparse.csr_array((data, X.indices.copy(), X.indptr.copy()), shape=X.shape)
        seen.eliminate_zeros()
        return seen

    def _prepare(self, batch: Batch) -> None:
        if self.rows and batch.names != self._names:
            raise ValueError(
                f"{type(self.learner).__name__} cannot change its width: every batch needs the "
                "same columns in the same order (a river learner takes any)"
            )
        self._names = batch.names
        if self.scale:
            if self._scaler is None:
                self._scaler = StandardScaler(with_mean=not batch.is_sparse)
            # A column without any value yet has no mean: NaN, without a warning.
            with np.errstate(invalid="ignore", divide="ignore"):
                self._scaler.partial_fit(batch.X, sample_weight=batch.weight)


class Narrow(View):
    """A learner that sees the selected columns only, and tells them by their names.

    For learners whose columns may differ from batch to batch (attribute `takes_any_width`). They
    find the names as `X.names` (of a `NamedArray` or `NamedCSR`).
    """

    def see(self, batch: Batch, columns: Columns) -> Matrix:
        names = batch.names or tuple(f"x{j}" for j in range(batch.n_features))
        if columns is None:
            return named(batch.X, names)
        return named(batch.X[:, columns], tuple(names[j] for j in columns))


def as_view(learner: Any) -> View:
    """Return a learner behind the view that fits it, or the view that it is."""
    if isinstance(learner, View):
        return learner
    learner = _adapted(learner)
    return Narrow(learner) if getattr(learner, "takes_any_width", False) else Masked(learner)


def takes(estimator: Any, option: str) -> bool:
    """Tell whether the `partial_fit` of an estimator, or of the one within it, has an option."""
    partial_fit = getattr(estimator, "partial_fit", None)
    if partial_fit is not None and option in signature(partial_fit).parameters:
        return True
    inner = getattr(estimator, "estimator", None)
    return inner is not None and takes(inner, option)


def _kind(learner: Any) -> str | None:
    """Return what scikit-learn calls an estimator, such as "classifier", if it says so."""
    tags = getattr(learner, "__sklearn_tags__", None)
    return None if tags is None else tags().estimator_type


def _adapted(learner: Any) -> Any:
    """Return a learner of batches, made from a model of another library if it is one."""
    package = type(learner).__module__.partition(".")[0]
    if package not in ADAPTERS:
        return learner
    # By name, because the flow leads from evaluation to adapters and optional packages.
    module, name = ADAPTERS[package]
    return getattr(import_module(module), name)(learner)


def _sorted(labels: Iterable[Any]) -> list[Any]:
    """Sort labels if they can be."""
    labels = list(labels)
    try:
        return sorted(labels)
    except TypeError:
        return labels


def _as_classes(labels: Any) -> NDArray[Any]:
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if len({type(label) for label in labels}) == 1 and not isinstance(labels[0], tuple):
        return np.array(labels)
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    return classes
