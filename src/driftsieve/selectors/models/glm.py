"""Linear models whose marginal likelihood has a closed form.

The weight of feature j is normal with mean μ_j and deviation σ_j, so that the margin of a row x is
normal as well: its mean is m = Σ μ_j x_j, and with the unit noise of the link its variance is
ρ² = 1 + Σ σ_j² x_j².
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from driftsieve.batch import Batch
from driftsieve.kernels.linear import dense_margins, dense_pulls, sparse_margins, sparse_pulls
from driftsieve.selectors.models.model import Blocks, Model, Random

Column = NDArray[np.float64]


class LinearModel(Model):
    """What linear models share: passes over the rows, at the cost of their entries."""

    sparse = True

    def layout(self) -> list[tuple[int | str, ...]]:
        return [("outputs", "features")]

    def gradient(
        self, mu: Blocks, sigma: Blocks, rows: Batch, random: Random
    ) -> tuple[Blocks, Blocks]:
        g, h = np.empty_like(mu[0]), np.empty_like(sigma[0])
        weight = 1.0 if rows.weight is None else rows.weight
        m, q = np.empty((2, rows.n_rows))
        squares = np.empty(g.shape[1])
        margins, pulls, matrix = _passes(rows)
        for c in range(len(g)):
            margins(*matrix, mu[0][c], sigma[0][c], squares, m, q)
            if np.isnan(m).any():  # missing cells: with a zero in their place, they take no part
                matrix = np.where(np.isnan(matrix[0]), 0, matrix[0]), *matrix[1:]
                margins(*matrix, mu[0][c], sigma[0][c], squares, m, q)
            a, b = self.pulls(rows.y, c, len(g), m, np.sqrt(1.0 + q))
            pulls(*matrix, weight * a, weight * b, g[c], h[c])
            h[c] *= sigma[0][c]
        return [g], [h]

    @abstractmethod
    def pulls(
        self, y: Any, output: int, outputs: int, m: Column, rho: Column
    ) -> tuple[Column, Column]:
        """Return a and b of each row, so that the log likelihood changes by Σ a x_j with μ_j and by
        σ_j Σ b x_j² with σ_j."""

    def aggregate(self, mu: Blocks, sigma: Blocks) -> tuple[Column, Column]:
        """Return the root of the mean square over the outputs, so that the weight of a feature is
        the mean of its weights for the outputs."""
        if len(mu[0]) == 1:
            return np.abs(mu[0][0]), sigma[0][0].copy()
        return np.sqrt(np.mean(mu[0] ** 2, axis=0)), np.sqrt(np.mean(sigma[0] ** 2, axis=0))


@dataclass(frozen=True)
class ProbitGLM(LinearModel):
    """Classes by a probit link: P(y | x) = Φ(y m / ρ), y = ±1 (Haug et al. 2020, section 2.1.1).

    More than two classes are told one from all others, by an output for each. Until a third class
    appears, the outputs of two are each other's mirror image, and one is kept.

    *Deviation*: φ/Φ is found from the scaled complementary error function, which is exact at
    margins where both are zero in floats.
    """

    def outputs(self, n_classes: int) -> int:
        return 1 if n_classes <= 2 else n_classes

    def with_more_outputs(self, mu: list[Any], sigma: list[Any], before: int) -> None:
        """Let the output of the second class, which was not kept, begin as what it was."""
        if before == 1:
            mu[0][1], sigma[0][1] = -mu[0][0], sigma[0][0]

    def pulls(
        self, y: Any, output: int, outputs: int, m: Column, rho: Column
    ) -> tuple[Column, Column]:
        sign = np.where(y == output, 1.0, -1.0)
        z = sign * m / rho
        r = np.sqrt(2 / np.pi) / erfcx(-z / np.sqrt(2))  # φ(z) / Φ(z)
        return r * sign / rho, -r * z / rho**2


@dataclass(frozen=True)
class GaussianGLM(LinearModel):
    """Numbers with unit noise: y is normal with mean m and variance ρ².

    There is no intercept: targets should be centred and scaled, as FIRES does if it scales at all.
    """

    task = "regression"

    def outputs(self, n_classes: int) -> int:
        return 1

    def pulls(
        self, y: Any, output: int, outputs: int, m: Column, rho: Column
    ) -> tuple[Column, Column]:
        e = (y - m) / rho
        return e / rho, (e**2 - 1.0) / rho**2


def _passes(rows: Batch) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return the two passes over such rows, and the arrays that they go over."""
    X: Any = rows.X
    if rows.is_sparse:
        return sparse_margins, sparse_pulls, (X.data, X.indices, X.indptr)
    return dense_margins, dense_pulls, (np.ascontiguousarray(X),)
