"""A river classifier as a learner of batches."""

import copy
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from river import base
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch
from driftsieve.border import as_batch, as_labels


def _gives_probabilities(learner: "RiverLearner") -> bool:
    model = learner.model
    while hasattr(model, "steps"):
        model = model[-1]
    return type(model).predict_proba_one is not base.Classifier.predict_proba_one


class RiverLearner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A river classifier with the verbs of scikit-learn's.

    The model sees each row as a dict under the names of its columns ("x0", "x1" and so on where
    they have none). Missing values, and the zeros that sparse rows leave out, have no key in it,
    as is usual in river. So the columns may change from batch to batch: pass the selected ones
    only, with `names` that stay with the features.

    Parameters
    ----------
    model
        A river classifier, or a pipeline that ends in one. A copy of it learns.
    mini_batches
        Whether to learn by `learn_many` where the model has it. River's linear models then make
        one step per batch instead of one per row: faster, but the result depends on the batches.

    Attributes
    ----------
    model_
        The model that has learnt.
    classes_
        The labels given or seen, sorted if they can be.

    Examples
    --------
    >>> from river.naive_bayes import GaussianNB
    >>> from driftsieve.adapters.river import RiverLearner
    >>> learner = RiverLearner(GaussianNB())
    >>> learner.predict([[1.0, 0.0]])
    array([None], dtype=object)
    >>> X = [[1.0, 0.0], [1.2, 3.0], [8.0, 1.0], [8.1, 2.0]]
    >>> learner.partial_fit(X, ["low", "low", "high", "high"]).predict([[1.1, 2.0]])
    array(['low'], dtype='<U4')
    """

    model_: Any
    classes_: NDArray[Any]

    takes_any_width = True
    """Columns may differ from call to call, if their names stay with the features."""

    def __init__(self, model: Any, *, mini_batches: bool = False) -> None:
        self.model = model
        self.mini_batches = mini_batches

    def fit(self, X: Any, y: Any, names: Sequence[str] | None = None) -> Self:
        """Forget everything, then learn these rows."""
        self.__dict__.pop("model_", None)
        return self.partial_fit(X, y, names=names)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> Self:
        """Learn the rows of a batch one after the other; `names` are those of its columns."""
        batch = as_batch(X, y, names=names)
        if batch.y is None:
            raise ValueError("a classifier learns from labels: y is missing")
        batch.refuse_infinities()
        labels = batch.y.tolist()
        if not self.__sklearn_is_fitted__():
            if not isinstance(self.model, base.Classifier):
                raise TypeError(f"{self.model!r} is not a river classifier")
            self.model_ = copy.deepcopy(self.model)
            self.classes_ = _as_classes([])
        known = [] if classes is None else list(classes)
        self.classes_ = _as_classes([*self.classes_.tolist(), *known, *labels])
        frame = _as_frame(batch) if self.mini_batches and _takes_frames(self.model_) else None
        if frame is not None:
            self.model_.learn_many(frame, _as_series(labels))
            return self
        for row, label in zip(_as_rows(batch), labels):
            self.model_.learn_one(row, label)
        return self

    def predict(self, X: Any, names: Sequence[str] | None = None) -> NDArray[Any]:
        """Predict a label for each row: None where the model does not answer, as many do not
        before they have learnt."""
        batch = as_batch(X, names=names)
        frame = self._frame_to_ask(batch)
        if frame is not None:
            return self._as_labels(self.model_.predict_many(frame))
        model = getattr(self, "model_", self.model)
        return self._as_labels(model.predict_one(row) for row in _as_rows(batch))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, names: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Return the probability of each of `classes_`, or NaN where the model does not answer."""
        check_is_fitted(self)
        batch = as_batch(X, names=names)
        classes = self.classes_.tolist()
        frame = self._frame_to_ask(batch)
        if frame is not None:
            answer = self.model_.predict_proba_many(frame)
            columns = {label: answer.iloc[:, j] for j, label in enumerate(answer.columns)}
            nothing = np.full(batch.n_rows, 0.0 if columns else np.nan)
            return np.column_stack([columns.get(label, nothing) for label in classes])
        chances = np.full((batch.n_rows, len(classes)), np.nan)
        for chance, row in zip(chances, _as_rows(batch)):
            said = self.model_.predict_proba_one(row)
            if said:
                chance[:] = [said.get(label, 0.0) for label in classes]
        return chances

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _frame_to_ask(self, batch: Batch) -> Any:
        """Return a batch as a frame if the model can be asked about all its rows at once."""
        if self.__sklearn_is_fitted__() and _takes_frames(self.model_):
            return _as_frame(batch)
        return None

    def _as_labels(self, answers: Iterable[Any]) -> NDArray[Any]:
        """Return answers as labels of `classes_`: some models say True where it has a 1."""
        given = list(answers)
        places = {
            label: i for i, label in enumerate(getattr(self, "classes_", np.empty(0)).tolist())
        }
        if places and all(label in places for label in given):
            return self.classes_[[places[label] for label in given]]
        labels = np.empty(len(given), dtype=object)
        labels[:] = given
        return labels


def _as_classes(labels: Sequence[Hashable]) -> NDArray[Any]:
    distinct: list[Any] = list(dict.fromkeys(labels))
    with suppress(TypeError):  # 1 and "one" stay in order of appearance
        distinct = sorted(distinct)
    return as_labels(distinct, len(distinct))


def _names(batch: Batch) -> Sequence[str]:
    return batch.names or [f"x{j}" for j in range(batch.n_features)]


def _as_rows(batch: Batch) -> Iterator[dict[str, float]]:
    """Yield each row as a dict, without what is missing."""
    names: Any = np.array(_names(batch), dtype=object)
    X: Any = batch.X
    for i in range(batch.n_rows):
        if batch.is_sparse:
            entries = slice(X.indptr[i], X.indptr[i + 1])
            keys, values = names[X.indices[entries]], X.data[entries]
        else:
            keys, values = names, X[i]
        yield {key: value for key, value in zip(keys, values.tolist()) if value == value}


def _takes_frames(model: Any) -> bool:
    """Tell whether a model, and each step of a pipeline before it, works in batches."""
    if not isinstance(model, base.MiniBatchClassifier):
        return False
    steps = list(getattr(model, "steps", {}).values())[:-1]
    return all(
        isinstance(step, (base.MiniBatchTransformer, base.MiniBatchSupervisedTransformer))
        for step in steps
    )


def _as_frame(batch: Batch) -> Any:
    """Return a batch as a pandas frame, or None where that cannot say the same as rows do."""
    X: Any = batch.X
    if batch.is_sparse or X.size == 0 or np.isnan(X).any():
        return None
    try:
        import pandas as pd
    except ImportError:
        return None
    return pd.DataFrame(X, columns=list(_names(batch)))


def _as_series(labels: Sequence[Any]) -> Any:
    import pandas as pd

    return pd.Series(labels)
