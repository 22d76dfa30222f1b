"""What selectors share that learn in steps: from so many rows at a time, in their order.

Rows wait until a step is whole, so the result depends on the sequence of the rows alone, and not on
their batches. A question that is asked while rows wait is answered as if these were a last step: by
a copy, so that nothing is decided by having asked.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch
from driftsieve.selection import require_whole, rule_from_state, rule_to_state
from driftsieve.selectors.base import StreamSelector
from driftsieve.selectors.scaling import NoScaling, Standard, scaler_named
from driftsieve.selectors.steps import Steps
from driftsieve.selectors.targets import ClassTargets, NumberTargets, as_numbers
from driftsieve.summaries.varied import Varied


class Pupil(Protocol):
    """What learns from the rows of a step: finite cells or NaN, and codes of classes or numbers."""

    def take(self, rows: Batch) -> None: ...

    def require_room(self, n_classes: int) -> None: ...

    def copy(self) -> Self: ...

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None: ...

    @property
    def nbytes(self) -> int: ...

    def most_bytes(self) -> int: ...

    def to_state(self) -> dict[str, Any]: ...

    def restore(self, state: dict[str, Any]) -> None: ...


@dataclass
class Course:
    """What changes with every step: how columns are scaled, and what was learnt of them."""

    scaler: NoScaling
    target_scaler: NoScaling
    pupil: Any
    ahead: "Course | None" = None
    """The same after a step of the rows that wait, as long as somebody may ask about it."""

    def take(self, rows: Batch) -> None:
        """Learn from the rows of a step."""
        rows = self.scaler.scaled(rows)
        if type(self.target_scaler) is not NoScaling:
            assert rows.y is not None
            targets: Any = self.target_scaler.scaled(Batch(rows.y[:, None], weight=rows.weight))
            rows = rows.replace(y=targets.X[:, 0])
        self.pupil.take(rows)

    def copy(self) -> "Course":
        return Course(self.scaler.copy(), self.target_scaler.copy(), self.pupil.copy())


class StepwiseSelector(StreamSelector):
    """Base of the selectors that learn in steps. A subclass has parameters `k`, `step`, `scaling`
    and `features`, and says what learns (`_pupil`) and what features are worth then (`_worth`)."""

    step: int
    scaling: str | None

    _holds = ("_steps", "_varied", "_targets", "_course")

    merges = False
    in_steps = True

    @property
    def affine_invariant(self) -> bool:
        """Whether scores stay as they are when a feature is shifted or scaled."""
        return self.scaling is not None

    @property
    def mirror_invariant(self) -> bool:
        """Whether scores stay as they are when a feature changes its sign."""
        return self.scaling == "standard"

    @property
    def classes_(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        check_is_fitted(self)
        if not isinstance(self._targets, ClassTargets):
            raise AttributeError("it learns from numbers, and so there are no classes")
        return list(self._targets.classes.labels)

    def _begin(self, n_features: int) -> None:
        require_whole("step", self.step, 1)
        self._steps = Steps(int(self.step))
        self._varied = Varied(n_features)
        self._targets = self._targets_to_learn()
        scales = self.scaling is not None and isinstance(self._targets, NumberTargets)
        self._course = Course(
            scaler_named(self.scaling, n_features),
            Standard(1) if scales else NoScaling(1),
            self._pupil(n_features),
        )

    def _targets_to_learn(self) -> ClassTargets | NumberTargets:
        return ClassTargets()

    @abstractmethod
    def _pupil(self, n_features: int) -> Any:
        """Check the parameters, and return a `Pupil` that has learnt nothing."""

    @abstractmethod
    def _worth(self, pupil: Any) -> NDArray[np.float64]:
        """Return what each feature is worth, after what `pupil` has learnt."""

    def learn(self, batch: Batch) -> Self:
        """Learn from a validated batch, and remember its position."""
        if self.takes_numbers and batch.y is not None:
            batch = batch.replace(y=as_numbers(batch.y))
        return super().learn(batch)

    def _learn(self, batch: Batch) -> None:
        if batch.y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: "
                "it learns to predict it"
            )
        batch.refuse_infinities()
        if batch.weight is not None and not batch.weight.all():  # a row of no weight is no row
            batch = batch.take(np.flatnonzero(batch.weight))
        assert batch.y is not None
        y, targets = self._targets.read(batch.y)
        if isinstance(targets, ClassTargets):
            self._course.pupil.require_room(len(targets.classes))
        self._targets = targets
        self._varied.update(batch)
        self._course.ahead = None
        for rows in self._steps.add(Batch(batch.X, y, batch.weight)):
            self._course.take(rows)

    def _now(self) -> Any:
        """Return what has learnt from all rows, also from those that wait."""
        if not self._steps.waiting:
            return self._course.pupil
        if self._course.ahead is None:
            ahead = self._course.copy()
            ahead.take(self._steps.rows())
            self._course.ahead = ahead
        return self._course.ahead.pupil

    def _score(self) -> NDArray[np.float64]:
        return self._where_defined(self._worth(self._now()))

    def _where_defined(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put NaN where a feature has not varied, and everywhere while the target has not."""
        return np.where(self._varied.mask & self._targets.varied, values, np.nan)

    def _merge(self, other: Self) -> None:
        raise ValueError(
            f"two {type(self).__name__} that have both learnt cannot be merged: each step begins "
            "where the one before it ended, so that what one learnt cannot follow upon the other's"
        )

    def _rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        self._varied.rearrange(places, n_features)
        self._steps.rearrange(places, n_features)
        self._course.scaler.rearrange(places, n_features)
        self._course.pupil.rearrange(places, n_features)
        self._course.ahead = None

    def _nbytes(self) -> int:
        course = self._course
        scaling = course.scaler.nbytes + course.target_scaler.nbytes
        return scaling + int(course.pupil.nbytes) + self._varied.nbytes + self._steps.nbytes

    def _most_bytes(self) -> int:
        waiting = self._steps.most_bytes(self._varied.n_features)
        learnt = int(self._course.pupil.most_bytes() - self._course.pupil.nbytes)
        return self._nbytes() - self._steps.nbytes + waiting + learnt

    def _to_state(self) -> dict[str, Any]:
        return {
            "targets": self._targets.to_state(),
            "varied": self._varied.to_state(),
            "waiting": self._steps.to_state(),
            "scaling": self._course.scaler.to_state(),
            "target_scaling": self._course.target_scaler.to_state(),
            "pupil": self._course.pupil.to_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        n_features = self._varied.n_features
        self._targets = self._targets.from_state(state["targets"])
        self._varied = Varied.from_state(state["varied"], n_features)
        self._steps.restore(state["waiting"], n_features, self._targets.kind)
        if self._steps.waiting:
            self._targets.require_known(self._steps.rows().y)
        self._course.scaler.restore(state["scaling"])
        self._course.target_scaler.restore(state["target_scaling"])
        self._course.pupil.restore(state["pupil"])

    def _parameters_to_state(self) -> dict[str, Any]:
        parameters = self.get_params(deep=False)
        return {**parameters, "k": rule_to_state(self.k)}

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        return {**state, "k": rule_from_state(state["k"])}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
