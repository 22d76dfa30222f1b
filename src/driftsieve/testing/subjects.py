"""What the laws are about: summaries and selectors, seen alike."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import isabstract, isclass
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn.base import clone

from driftsieve.batch import Batch
from driftsieve.contracts import Summary
from driftsieve.memory import Fading, Memory, Window
from driftsieve.scores.registry import SCORES, score_named
from driftsieve.summaries.counts import Counts
from driftsieve.summaries.kept import SUMMARIES, summary_class

CLOSE = 1e-9

MEMORIES: tuple[Memory, ...] = (None, Fading(0.99), Fading(0.8, every=40), Window(70))


@dataclass(frozen=True)
class Subject:
    """Something that learns batches and answers with numbers per feature."""

    name: str
    begin: Callable[[], Any]
    """Make one that has learnt nothing."""
    learn: Callable[[Any, Batch], Any]
    answers: Callable[[Any], NDArray[np.float64]]
    """Ask for its scores; an array of (questions, features)."""
    merge: Callable[[Any, Any], Any]
    round_trip: Callable[[Any], Any]
    """Write its state, and read it into a new one."""
    most_bytes: Callable[[Any, int], int]
    """Ask for the most bytes that it can take after so many rows."""
    memory: Memory = None
    affine: bool = True
    """Whether scores stay as they are when a column is shifted or scaled."""
    mirror: bool = True
    """Whether they stay as they are when it changes its sign."""
    supervised: bool = True
    numbers: bool = False
    """Whether it learns from numbers; else, from labels of classes."""
    missing: bool = True
    """Whether cells may be missing (NaN)."""
    whole_weights: bool = False
    """Whether a weight can only be a number of rows."""
    merges: bool = True
    """Whether two that have both learnt can be merged; else, they say why not."""
    step: int | None = None
    """The rows of a step, where it learns in steps, and rows weigh within their step."""
    draws: bool = False
    """Whether it draws random numbers feature by feature: others for columns in another order."""
    within: float = 0.0
    """How far answers may lie apart, and by what share of them, where summaries of the same rows
    need not be the same: where they were merged, or took in weights for rows, or sparse rows for
    dense ones."""

    @property
    def share_missing(self) -> float:
        """The share of cells that the laws take away."""
        return 0.1 if self.missing else 0.0

    def after(self, *batches: Batch) -> Any:
        """Make one that has learnt these batches."""
        learner = self.begin()
        for batch in batches:
            self.learn(learner, batch)
        return learner

    def assert_alike(self, one: Any, other: Any, rtol: float = CLOSE) -> None:
        """Assert that two which learnt the same rows, in other ways, answer alike."""
        rtol = max(rtol, self.within)
        assert_allclose(self.answers(one), self.answers(other), rtol=rtol, atol=self.within)


def summary_subject(make: Callable[[int], Any], n_features: int, name: str) -> Subject:
    """Put a summary before the laws, with all scores that read it."""

    def answers(summary: Any) -> NDArray[np.float64]:
        return np.array([score(summary) for score in _scores_of(type(summary))])

    kind = type(make(n_features))
    return Subject(
        name=name,
        begin=lambda: make(n_features),
        learn=lambda summary, batch: summary.update(batch),
        answers=answers,
        merge=lambda summary, other: summary.merge(other),
        round_trip=lambda summary: type(summary).from_state(_through_a_file(summary.to_state())),
        most_bytes=lambda summary, rows: int(summary.most_bytes(rows)),
        affine=all(score.affine_invariant for score in _scores_of(kind)),
        mirror=all(score.mirror_invariant for score in _scores_of(kind)),
        supervised=getattr(kind, "supervised", True),
        missing=getattr(kind, "takes_missing", True),
        within=getattr(kind, "answers_within", 0.0),
    )


def selector_subject(selector: Any) -> Subject:
    """Put a selector before the laws."""

    def answers(learnt: Any) -> NDArray[np.float64]:
        return np.asarray(learnt.scores_)[None]

    parameters = selector.get_params(deep=False)
    return Subject(
        name=" ".join(repr(selector).split()),
        begin=lambda: clone(selector),
        learn=lambda learner, batch: learner.learn(batch),
        answers=answers,
        merge=lambda learner, other: learner.merge(other),
        round_trip=_saved_and_loaded,
        most_bytes=lambda learner, rows: int(learner.most_bytes),
        memory=parameters.get("memory"),
        affine=selector.affine_invariant,
        mirror=selector.mirror_invariant,
        supervised=selector.__sklearn_tags__().target_tags.required,
        numbers=selector.takes_numbers,
        missing=selector.takes_missing,
        whole_weights=selector.whole_weights,
        merges=selector.merges,
        step=selector.step if selector.in_steps else None,
        draws=selector.draws,
        within=selector.answers_within,
    )


def summary_subjects(n_features: int) -> Iterator[Subject]:
    """Find all summaries that scores read: each is made from a number of features.

    Others are put to the laws by the selectors that are made of them.
    """
    for summary in filter(_scores_of, _summaries()):
        yield summary_subject(summary, n_features, summary.__name__)


def selector_subjects() -> Iterator[Subject]:
    """Find all selectors: the variants that they name, or each memory with each score, and with
    each summary of counts."""
    from driftsieve.selectors.base import KINDS

    for module in iter_modules(import_module("driftsieve.selectors").__path__):
        import_module(f"driftsieve.selectors.{module.name}")
    for kind in KINDS.values():
        if isabstract(kind) or not kind.__module__.startswith("driftsieve."):
            continue
        if hasattr(kind, "law_variants"):
            yield from map(selector_subject, kind.law_variants())
            continue
        parameters = kind().get_params(deep=False)
        for memory in MEMORIES if "memory" in parameters else (None,):
            for score in _score_names() if "score" in parameters else (None,):
                selector = kind(k=3)
                if "memory" in parameters:
                    selector.set_params(memory=memory)
                if score is not None:
                    selector.set_params(score=score)
                yield selector_subject(selector)
            if "summary" in parameters:
                for name in _names_of_counts():
                    wish = {"score": "information_gain", "summary": name, "memory": memory}
                    yield selector_subject(kind(k=3).set_params(**wish))


def everything(n_features: int) -> Iterator[Subject]:
    """Find all that has to obey the laws."""
    yield from summary_subjects(n_features)
    yield from selector_subjects()


def _summaries() -> Iterator[type]:
    for module in iter_modules(import_module("driftsieve.summaries").__path__):
        for value in vars(import_module(f"driftsieve.summaries.{module.name}")).values():
            here = getattr(value, "__module__", "").endswith(f"summaries.{module.name}")
            if isclass(value) and here and _has_all(value, Summary) and not isabstract(value):
                yield value


def _has_all(value: type, contract: type) -> bool:
    verbs = [name for name in vars(contract) if not name.startswith("_")]
    return all(hasattr(value, verb) for verb in verbs)


def _score_names() -> list[str]:
    for module in iter_modules(import_module("driftsieve.scores").__path__):
        import_module(f"driftsieve.scores.{module.name}")
    return sorted(SCORES)


def _names_of_counts() -> list[str]:
    """Return the names of all summaries that the same scores can read."""
    return [name for name in SUMMARIES if issubclass(summary_class(name), Counts)]


def _scores_of(summary: type) -> list[Any]:
    scores = [score_named(name) for name in _score_names()]
    return [score for score in scores if issubclass(summary, score.summary)]


def _through_a_file(state: Any) -> Any:
    from driftsieve.state import load_state, save_state

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        save_state(path, "law", state)
        return load_state(path)[1]


def _saved_and_loaded(selector: Any) -> Any:
    from driftsieve.selectors.stored import load

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "selector.sieve"
        selector.save(path)
        return load(path)
