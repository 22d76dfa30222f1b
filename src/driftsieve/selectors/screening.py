"""Screening: each feature is scored on its own, from a summary of it by class.

Wang & Barbu (2021), *Online Feature Screening for Data Streams with Concept Drift*.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.memory import Memory, memory_from_state, memory_to_state, remember
from driftsieve.scores.registry import Registered, score_named
from driftsieve.selection import Rule, require_whole, rule_from_state, rule_to_state
from driftsieve.selectors.base import StreamSelector


class Screening(StreamSelector):
    """Select the features that tell the classes apart best, one by one.

    Parameters
    ----------
    score : str, default="fisher"
        "fisher" or "t": see `driftsieve.scores`.
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    memory : Fading, Window or None, default=None
        How the past is forgotten. None: all rows count alike.
    features : {"closed", "open"}, default="closed"
        "closed": every batch has the same columns. "open": named columns may come, go and
        change places; one that is absent is not updated.
    n_jobs : int, default=1
        Threads for large batches.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features_in_,)
        The score of each feature (larger is better, NaN undefined) and its rank (1 is best).
    selection_ : Selection
        The selected features, best first.
    classes_ : list
        The labels seen, in order of appearance.
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import Fading, Screening
    >>> rng = np.random.default_rng(0)
    >>> sieve = Screening("t", k=2, memory=Fading.half_life(500))
    >>> for _ in range(10):
    ...     X = rng.standard_normal((100, 5))
    ...     sieve = sieve.partial_fit(X, X[:, 3] - X[:, 1] > 0)
    >>> sorted(sieve.selection_.names)
    ['x1', 'x3']
    """

    _holds = ("_remembered",)
    _changeable = ("k", "n_jobs", "score")

    def __init__(
        self,
        score: str = "fisher",
        k: int | Rule = 10,
        *,
        memory: Memory = None,
        features: str = "closed",
        n_jobs: int = 1,
    ) -> None:
        self.score = score
        self.k = k
        self.memory = memory
        self.features = features
        self.n_jobs = n_jobs

    @property
    def classes_(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        classes: list[Any] = self._answer("classes", lambda: self._remembered.summary.classes)
        return classes

    @property
    def affine_invariant(self) -> bool:
        """Whether scores stay as they are when a feature is shifted or scaled."""
        return score_named(self.score).affine_invariant

    def _begin(self, n_features: int) -> None:
        self._remembered = remember(score_named(self.score).summary, n_features, self.memory)

    def _learn(self, batch: Batch) -> None:
        if batch.y is None:
            raise ValueError(
                "Screening requires y to be passed, but the target y is None: "
                "it compares features between classes"
            )
        require_whole("n_jobs", self.n_jobs, 1)
        self._registered_score()  # may have become another one, which a rule will ask for
        self._remembered.use_threads(int(self.n_jobs))
        self._remembered.update(batch)

    def _score(self) -> NDArray[np.float64]:
        return self._registered_score()(self._remembered.summary)

    def _registered_score(self) -> Registered:
        score = score_named(self.score)
        if not issubclass(self._remembered.kind, score.summary):
            raise ValueError(
                f"the score {self.score!r} reads {score.summary.__name__}, and what was learnt is "
                f"{self._remembered.kind.__name__}: begin anew with fit"
            )
        return score

    def _merge(self, other: Self) -> None:
        self._remembered.merge(other._remembered)

    def _rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        self._remembered.rearrange(places, n_features)

    def _nbytes(self) -> int:
        return self._remembered.nbytes

    def _to_state(self) -> dict[str, Any]:
        return self._remembered.to_state()

    def _restore(self, state: dict[str, Any]) -> None:
        self._remembered.restore(state)

    def _parameters_to_state(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "k": rule_to_state(self.k),
            "memory": memory_to_state(self.memory),
            "features": self.features,
            "n_jobs": int(self.n_jobs),
        }

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        return {
            **state,
            "k": rule_from_state(state["k"]),
            "memory": memory_from_state(state["memory"]),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
