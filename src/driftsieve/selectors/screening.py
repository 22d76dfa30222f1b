"""Screening: each feature is scored on its own, from a summary of it by class.

Wang & Barbu (2021), *Online Feature Screening for Data Streams with Concept Drift*.
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from driftsieve.batch import Batch
from driftsieve.memory import Memory
from driftsieve.remembered import remember
from driftsieve.scores.registry import Registered, score_named
from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.columns import Columns
from driftsieve.selectors.learnt import comparable
from driftsieve.selectors.remembering import RememberingSelector
from driftsieve.summaries import kept
from driftsieve.summaries.class_tables import ClassTables
from driftsieve.summaries.counts import Counts
from driftsieve.summaries.kept import Keep
from driftsieve.summaries.quantiles import Quantiles

MOST_BINS = 100_000
"""Bins to a feature: of more, each would hold next to nothing."""


class Screening(RememberingSelector):
    """Select the features that tell the classes apart best, one by one.

    Parameters
    ----------
    score : str, default="fisher"
        "t", "fisher" and "aed" compare means and variances; "mutual_information", "chi2", "gini",
        "symmetrical_uncertainty" and "information_gain" compare how the values of each class are
        spread: see `driftsieve.scores`.
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    bins : int, default=5
        Bins of equal frequency, for the scores that need bins ("information_gain" looks at all cut
        points that the summary has).
    epsilon : float, default=0.001
        The largest error of a rank in a quantile summary, relative to the weight of all rows.
    memory : Fading, Window or None, default=None
        How the past is forgotten. None: all rows count alike.
    summary : str or Keep, default="auto"
        What is remembered: "moments"; or "quantiles", "levels", "exponential", "equal_frequency",
        "equal_width" or "exact", each of which feeds every score that needs bins. `Keep` names one
        with its options. "auto" is what docs/summaries.md recommends: "moments" or "quantiles", as
        the score needs them.
    categorical : sequence of str or int, default=()
        Names or numbers of columns whose values are codes of categories: each has its own bin.
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
    raw_scores_, pvalues_ : ndarray of shape (n_features_in_,)
        The scores as the literature has them (for "gini", the least impurity of a split: smaller
        is better), and how likely they are for a feature that does not matter ("chi2" only).
    thresholds_ : ndarray of shape (n_features_in_,)
        The value up to which the one side of each feature's best split goes ("information_gain"
        only).
    tables_ : ClassTables
        The weight of each class in each bin of each feature, for the scores that need bins.
    bin_edges_ : list of ndarray
        The edges of each feature's bins, from its least value to its largest.
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

    _changeable = ("k", "n_jobs", "score", "bins")

    def __init__(
        self,
        score: str = "fisher",
        k: int | Rule = 10,
        *,
        bins: int = 5,
        epsilon: float = 1e-3,
        memory: Memory = None,
        summary: str | Keep = "auto",
        categorical: Sequence[str | int] = (),
        features: str = "closed",
        n_jobs: int = 1,
    ) -> None:
        self.score = score
        self.k = k
        self.bins = bins
        self.epsilon = epsilon
        self.memory = memory
        self.summary = summary
        self.categorical = categorical
        self.features = features
        self.n_jobs = n_jobs

    @property
    def classes_(self) -> list[Any]:
        """The labels seen, in order of appearance."""
        classes: list[Any] = self._answer("classes", lambda: self._remembered.summary.classes)
        return classes

    @property
    def raw_scores_(self) -> NDArray[np.float64]:
        """The scores as the literature has them."""
        raw: NDArray[np.float64] = self._answer("raw", lambda: self._asked(Registered.raw_of))
        return raw.copy()

    @property
    def pvalues_(self) -> NDArray[np.float64]:
        """How likely such scores are for features that do not matter."""
        found: NDArray[np.float64] = self._answer("p", lambda: self._asked(Registered.pvalue_of))
        return found.copy()

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """The value up to which the one side of each feature's best split goes."""
        found: NDArray[np.float64] = self._answer(
            "at", lambda: self._asked(Registered.threshold_of)
        )
        return found.copy()

    @property
    def tables_(self) -> ClassTables:
        """The weight of each class in each bin of each feature."""
        check_is_fitted(self)
        summary = self._remembered.summary
        if not hasattr(summary, "tables"):
            raise AttributeError(f"the score {self.score!r} needs no bins, and so there are none")
        tables: ClassTables = self._answer("tables", lambda: summary.tables(self._bins()))
        return tables

    @property
    def bin_edges_(self) -> list[NDArray[np.float64]]:
        """The edges of each feature's bins, from its least value to its largest."""
        tables = self.tables_
        return [tables.edges(feature) for feature in range(tables.n_features)]

    @property
    def affine_invariant(self) -> bool:
        """Whether scores stay as they are when a feature is shifted or scaled."""
        return score_named(self.score).affine_invariant

    @property
    def mirror_invariant(self) -> bool:
        """Whether scores stay as they are when a feature changes its sign."""
        return score_named(self.score).mirror_invariant

    @property
    def answers_within(self) -> float:
        """How far scores may lie apart where rows were merged or weighted."""
        reads = score_named(self.score).summary
        return float(getattr(kept.chosen_class(self.summary, reads), "answers_within", 0.0))

    def _begin(self, n_features: int) -> None:
        self._bins()
        score = score_named(self.score)
        epsilon = _epsilon(self.epsilon) if issubclass(score.summary, Counts) else None
        make = kept.chosen(self.summary, score.summary, self.score, epsilon)
        self._remembered = remember(make, n_features, self.memory)

    def _know(self, columns: Columns) -> None:
        if len(self.categorical):
            if not issubclass(self._remembered.kind, Quantiles):
                kind = self._remembered.kind.__name__
                raise ValueError(
                    f"categories need bins of their own, and {kind} has none for them: "
                    'take a score that needs bins, and the summary "quantiles"'
                )
            self._remembered.use_categories(columns.mask(self.categorical, "categorical"))

    def _bins(self) -> int:
        require_whole("bins", self.bins, 2)
        if self.bins > MOST_BINS:
            raise ValueError(f"bins must be at most {MOST_BINS:,}, not {self.bins!r}")
        return int(self.bins)

    def _learn(self, batch: Batch) -> None:
        if batch.y is None:
            raise ValueError(
                "Screening requires y to be passed, but the target y is None: "
                "it compares features between classes"
            )
        require_whole("n_jobs", self.n_jobs, 1)
        self._bins()
        self._registered_score()  # may have become another one, which a rule will ask for
        self._remembered.use_threads(int(self.n_jobs))
        self._remembered.update(batch)

    def _score(self) -> NDArray[np.float64]:
        return self._asked(Registered.__call__)

    def _asked(self, question: Callable[..., NDArray[np.float64]]) -> NDArray[np.float64]:
        score = self._registered_score()
        return question(score, self._remembered.summary, bins=self._bins())

    def _registered_score(self) -> Registered:
        score = score_named(self.score)
        if not issubclass(self._remembered.kind, score.summary):
            raise ValueError(
                f"the score {self.score!r} reads {score.summary.__name__}, and what was learnt is "
                f"{self._remembered.kind.__name__}: begin anew with fit"
            )
        return score

    def _parameters_to_state(self) -> dict[str, Any]:
        return {
            **super()._parameters_to_state(),
            "epsilon": float(self.epsilon),
            "summary": kept.to_state(self.summary),
            "categorical": comparable(self.categorical),
        }

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        return {
            **super()._parameters_from_state(state),
            "summary": kept.from_state(state.get("summary", "auto")),
            "categorical": tuple(state.get("categorical", ())),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _epsilon(epsilon: float) -> float:
    """Refuse what is not a number; which ones will do, a summary knows."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real):
        raise ValueError(f"epsilon must be a number between 0 and 0.5, not {epsilon!r}")
    return float(epsilon)
