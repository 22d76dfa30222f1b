"""What FIRES asks of a model.

Haug, Pawelczyk, Broelemann and Kasneci (2020), section 2: the parameters of a model are random,
each normal with a mean μ and a deviation σ of its own. FIRES lets both ascend the log of the
marginal likelihood (eq. 2 to 4). A model says how that likelihood changes, and what its parameters
have to do with the features.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.classes import MOST

Blocks: TypeAlias = Sequence[NDArray[np.float64]]
"""The means, deviations or gradients of all parameters, in arrays as `Model.layout` has them."""

Random: TypeAlias = Callable[[int], np.random.Generator]
"""The random numbers of a step: a generator for each block of parameters."""


class Model(ABC):
    """Base of the models. A model holds settings only: FIRES keeps the parameters."""

    task = "classification"
    """"classification": targets are codes of classes; "regression": numbers."""
    draws = False
    """Whether gradients are estimated from random numbers."""
    learning_rate = 0.01
    """How far a step goes along the gradient, unless FIRES is told."""
    sparse = False
    """Whether the last axis of every block is one of features, and `gradient` takes sparse rows.
    It is then asked about the columns that have entries only, and all rows are dense otherwise."""

    @abstractmethod
    def layout(self) -> Sequence[tuple[int | str, ...]]:
        """Return the shape of each array of parameters, with "features" and "outputs" for the
        numbers of these."""

    @abstractmethod
    def gradient(
        self, mu: Blocks, sigma: Blocks, rows: Batch, random: Random
    ) -> tuple[Blocks, Blocks]:
        """Return the gradients, by μ and by σ, of the log marginal likelihoods of all rows, each
        times its weight, added up. Missing cells are NaN, and take no part."""

    @abstractmethod
    def aggregate(
        self, mu: Blocks, sigma: Blocks
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return μ and σ for each feature (section 2.1.4)."""

    def prior(
        self, block: int, shape: tuple[int, ...], seed: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return μ and σ of an array of parameters before anything is learnt."""
        return np.zeros(shape), np.ones(shape)

    def pace(self, block: int, shape: tuple[int, ...], rows: Batch) -> float:
        """Return how fast rows move an array of parameters, as a multiple of the learning rate."""
        return 1.0

    def begin(self, n_features: int) -> None:  # noqa: B027 (most take any number)
        """Raise ValueError if there cannot be so many features."""

    def most_classes(self) -> int:
        """Return how many classes there can be."""
        return MOST

    def outputs(self, n_classes: int) -> int:
        """Return how many outputs there are for so many classes."""
        return max(n_classes, 2)

    def with_more_outputs(  # noqa: B027 (most need not adjust anything)
        self, mu: list[Any], sigma: list[Any], before: int
    ) -> None:
        """Adjust parameters when the first outputs, `before` of them, have got company, which is at
        the prior."""
