"""Whether methods differ over several streams: the tests of Demšar, and what they say.

Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7: two methods
by Wilcoxon's signed ranks (section 3.1.3), more of them by Friedman's test, and if that finds a
difference, by Nemenyi's (section 3.2.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from driftsieve.evaluation.run import SMALLER_IS_BETTER, Run
from driftsieve.streams.checks import number

DIGITS = 12
"""Values are compared rounded to so many digits, so that equal differences are tied."""


@dataclass(frozen=True)
class Test:
    """What a test found: its statistic, and how likely one so large is by chance."""

    statistic: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods, each measured once on each of several streams."""

    methods: tuple[str, ...]
    streams: tuple[str, ...]
    values: NDArray[np.float64]
    """Streams by methods."""
    measure: str = "accuracy"
    smaller_is_better: bool = False
    alpha: float = 0.05
    """How often a difference may be found where there is none."""

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.shape != (len(self.streams), len(self.methods)):
            raise ValueError(
                f"there must be a value for each of {len(self.streams)} streams and "
                f"{len(self.methods)} methods, but there is a table of shape {values.shape}"
            )
        for what, names in (("methods", self.methods), ("streams", self.streams)):
            if len(names) < 2:
                raise ValueError(f"a comparison needs two {what} or more, and {len(names)} is here")
            if len(set(names)) < len(names):
                raise ValueError(f"two of the {what} have the same name: {', '.join(names)}")
        unknown = np.argwhere(~np.isfinite(values))
        if len(unknown):
            stream, method = self.streams[unknown[0][0]], self.methods[unknown[0][1]]
            raise ValueError(
                f"the {self.measure} of {method!r} on {stream!r} is not known: "
                "leave out that stream, that method or that measure"
            )
        number("alpha", self.alpha, 0.0001, 0.5)
        values = values.copy()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @classmethod
    def of_runs(
        cls,
        runs: Mapping[str, Mapping[str, Run]],
        measure: str = "accuracy",
        *,
        smaller_is_better: bool | None = None,
        alpha: float = 0.05,
    ) -> Self:
        """Compare runs by a figure of their summaries: for each stream by name, a run for each
        method by name."""
        summaries = {
            stream: {method: run.summary() for method, run in found.items()}
            for stream, found in runs.items()
        }
        return cls.of_summaries(
            summaries, measure, smaller_is_better=smaller_is_better, alpha=alpha
        )

    @classmethod
    def of_summaries(
        cls,
        summaries: Mapping[str, Mapping[str, Mapping[str, Any]]],
        measure: str = "accuracy",
        *,
        smaller_is_better: bool | None = None,
        alpha: float = 0.05,
    ) -> Self:
        """Compare figures: for each stream by name, those of each method by name."""
        streams = tuple(summaries)
        methods = tuple(summaries[streams[0]]) if streams else ()
        for stream, found in summaries.items():
            if set(found) != set(methods):
                odd = sorted(set(found) ^ set(methods))[0]
                raise ValueError(
                    f"not all streams have the same methods: see {odd!r} and {stream!r}"
                )
            for method, figures in found.items():
                if measure not in figures:
                    raise ValueError(
                        f"{method!r} has no figure {measure!r}: it has {', '.join(figures)}"
                    )
        table = [[summaries[s][m][measure] for m in methods] for s in streams]
        values = np.array([[np.nan if v is None else v for v in line] for line in table], float)
        if smaller_is_better is None:
            smaller_is_better = measure in SMALLER_IS_BETTER
        shape = values.reshape(len(streams), len(methods))
        return cls(methods, streams, shape, measure, smaller_is_better, alpha)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Streams by methods: 1 is the best; equal ones share the mean of their ranks."""
        worse = self.values if self.smaller_is_better else -self.values
        ranks: NDArray[np.float64] = stats.rankdata(_rounded(worse), axis=1)
        return ranks

    @property
    def mean_ranks(self) -> NDArray[np.float64]:
        means: NDArray[np.float64] = self.ranks.mean(axis=0)
        return means

    @property
    def friedman(self) -> Test:
        """Friedman's test of all methods being alike: χ² with k - 1 degrees of freedom.

        It is Demšar's, without a correction for ties, and so finds rather too few differences.
        """
        n, k = self.values.shape
        spread = np.sum(self.mean_ranks**2) - k * (k + 1) ** 2 / 4
        chi2 = 12 * n / (k * (k + 1)) * max(spread, 0.0)
        return Test(float(chi2), float(stats.chi2.sf(chi2, k - 1)))

    @property
    def iman_davenport(self) -> Test:
        """The less conservative F statistic of Iman & Davenport (1980), with k - 1 and
        (k - 1)(N - 1) degrees of freedom."""
        n, k = self.values.shape
        chi2 = self.friedman.statistic
        left = n * (k - 1) - chi2
        f = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
        return Test(float(f), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))

    @property
    def critical_difference(self) -> float:
        """By how much two mean ranks must differ at least, after Nemenyi."""
        return critical_value(len(self.methods), self.alpha) * self._deviation

    def nemenyi(self, one: str, other: str) -> Test:
        """Return the difference of two mean ranks in units of its deviation, and how likely one so
        large is among all the methods."""
        i, j = self._number(one), self._number(other)
        q = abs(self.mean_ranks[i] - self.mean_ranks[j]) / self._deviation
        return Test(
            float(q), float(stats.studentized_range.sf(q * np.sqrt(2), len(self.methods), np.inf))
        )

    def wilcoxon(self, one: str, other: str) -> Test:
        """Wilcoxon's test of signed ranks of two methods; differences of zero are shared by both
        sides. The statistic is the smaller sum of ranks."""
        i, j = self._number(one), self._number(other)
        differences = _rounded(self.values[:, i] - self.values[:, j])
        if not differences.any():
            n = len(differences)
            return Test(n * (n + 1) / 4, 1.0)
        found = stats.wilcoxon(differences, zero_method="zsplit")
        return Test(float(found.statistic), float(found.pvalue))

    @property
    def differ(self) -> bool:
        """Tell whether the methods differ at all: two by Wilcoxon, more by Friedman."""
        if len(self.methods) == 2:
            return self.wilcoxon(*self.methods).pvalue < self.alpha
        return self.friedman.pvalue < self.alpha

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of methods that the tests do not tell apart, best ranks first.

        A method that differs from all others is in none.
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        names = [self.methods[i] for i in order]
        if not self.differ:
            return (tuple(names),)
        if len(names) == 2:
            return ()
        ranks = self.mean_ranks[order]
        groups: list[tuple[str, ...]] = []
        reached = 0
        for first in range(len(names)):
            last = int(np.searchsorted(ranks, ranks[first] + self.critical_difference, "left"))
            if last > reached and last - first > 1:
                groups.append(tuple(names[first:last]))
            reached = max(reached, last)
        return tuple(groups)

    def to_values(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "measure": self.measure,
            "smaller_is_better": self.smaller_is_better,
            "alpha": self.alpha,
            "values": {
                stream: dict(zip(self.methods, line.tolist(), strict=True))
                for stream, line in zip(self.streams, self.values, strict=True)
            },
            "mean_ranks": dict(zip(self.methods, self.mean_ranks.tolist(), strict=True)),
            "differ": self.differ,
            "friedman": vars(self.friedman),
            "critical_difference": self.critical_difference,
            "groups": [list(group) for group in self.groups],
            "pairs": [
                {
                    "methods": [one, other],
                    "wilcoxon": vars(self.wilcoxon(one, other)),
                    "nemenyi": vars(self.nemenyi(one, other)),
                }
                for one, other in combinations(self.methods, 2)
            ],
        }

    @property
    def _deviation(self) -> float:
        """The standard deviation of the difference of two mean ranks, if all methods are alike."""
        n, k = self.values.shape
        return float(np.sqrt(k * (k + 1) / (6 * n)))

    def _number(self, method: str) -> int:
        if method not in self.methods:
            raise ValueError(f"there is no method {method!r}: there are {', '.join(self.methods)}")
        return self.methods.index(method)


def critical_value(n_methods: int, alpha: float = 0.05) -> float:
    """Return q of Demšar's table 5a: of the studentised range, divided by √2."""
    return float(stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2))


def compared(
    values: ArrayLike, methods: Sequence[str], streams: Sequence[str], **options: Any
) -> Comparison:
    """Compare methods by a table of streams by methods."""
    return Comparison(tuple(methods), tuple(streams), np.asarray(values, float), **options)


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to `DIGITS` digits of the largest value."""
    largest = np.abs(values).max()
    if largest == 0:
        return values
    rounded: NDArray[np.float64] = np.round(values / largest, DIGITS)
    return rounded
