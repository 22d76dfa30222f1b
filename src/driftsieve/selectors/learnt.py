"""What an estimator has learnt, as against its parameters: asked, kept whole, taken back."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

_names_of: dict[Any, tuple[str, ...]] = {}


def _parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the names of a class's parameters: scikit-learn works them out at every call."""
    if kind not in _names_of:
        _names_of[kind] = tuple(kind._get_param_names())
    return _names_of[kind]


def comparable(value: Any) -> Any:
    """Return a parameter as a value that is equal or not: arrays and tuples as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [item.item() if isinstance(item, np.generic) else item for item in value]
    return value


class Learnt:
    """Mixin of estimators that keep the private part of what they learnt in named attributes."""

    _holds: tuple[str, ...] = ()  # the attributes in which a subclass keeps what it learnt
    _changeable: tuple[str, ...] = ("k", "n_jobs")  # the parameters that may change amid a stream

    _answers: dict[str, Any]
    _begun: dict[str, Any]

    def __sklearn_is_fitted__(self) -> bool:
        return "_columns" in self.__dict__

    def _answer(self, question: str, find: Callable[[], Any]) -> Any:
        """Work an answer out once for as long as nothing is learnt and no parameter changes."""
        check_is_fitted(self)
        parameters = [comparable(getattr(self, name)) for name in _parameter_names(type(self))]
        if question not in self._answers or self._answers[question][0] != parameters:
            self._answers[question] = parameters, find()
        return self._answers[question][1]

    def _decisive_parameters(self) -> dict[str, Any]:
        """Return the parameters on which everything learnt depends."""
        names = _parameter_names(type(self))
        decisive = [name for name in names if name not in self._changeable]
        return {name: comparable(getattr(self, name)) for name in decisive}

    def _note_parameters(self) -> None:
        self._begun = self._decisive_parameters()

    def _require_same_parameters(self) -> None:
        """Refuse to go on under other parameters than those that learning began with."""
        for name, then in self._begun.items():
            now = comparable(getattr(self, name))
            if now is not then and now != then:
                raise ValueError(
                    f"{name} was {then!r} when learning began and is {now!r} now: "
                    "set it back, or begin anew with fit"
                )

    def _learnt(self) -> dict[str, Any]:
        """What was learnt; parameters, and what scikit-learn keeps in an estimator, are not."""
        own = ("_columns", "_held", "_answers", "_begun", *self._holds)
        return {name: v for name, v in vars(self).items() if name in own or name.endswith("_")}

    def _become(self, learnt: dict[str, Any]) -> None:
        for name in self._learnt():
            delattr(self, name)
        self.__dict__.update(learnt)

    @contextmanager
    def _all_or_nothing(self, *, deep: bool = False) -> Iterator[None]:
        """Go back to what was learnt before if something fails.

        `deep`: what was learnt may have been changed itself, and not only been replaced.
        """
        before = copy.deepcopy(self._learnt()) if deep else self._learnt()
        try:
            yield
        except BaseException:
            self._become(before)
            raise
