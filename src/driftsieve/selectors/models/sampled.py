"""Models without a closed form: their marginal likelihood is the mean over a few samples.

Haug et al. (2020), section 2.1.2: parameters are drawn as θ = μ + σ r with normal r
(reparameterisation), so that gradients by θ lead to gradients by μ and σ. The log is taken of the
mean of the likelihoods: a sample counts by how well it predicts a row.
"""

from abc import abstractmethod
from functools import cache
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from driftsieve.batch import Batch
from driftsieve.kernels.sampling import collect, draw
from driftsieve.selectors.models.model import Blocks, Model, Random
from driftsieve.streams.randomness import generator

Floats = NDArray[np.float64]

LEVELS = 1 << 16

SPREAD = 0.1
"""σ, at the prior, of the parameters that do not belong to a feature."""


@cache
def quantiles() -> NDArray[np.float32]:
    """Return so many equally likely normal numbers, from which r is drawn: their variance is 1.

    Drawing from them costs a fraction of drawing any; their distribution function is nowhere
    further from the normal one than 1 / 2¹⁷.
    """
    table = ndtri((np.arange(LEVELS) + 0.5) / LEVELS)
    levels: NDArray[np.float32] = (table / np.sqrt(np.mean(table**2))).astype(np.float32)
    return levels


_rooms = local()


def room(use: Any, shape: tuple[int, ...]) -> Floats:
    """Return an array to fill, the same one whenever this thread asks for this use and shape.

    The large arrays of a step live no longer than the step; asking the system for new memory each
    time would take longer than filling it. What is returned is overwritten by the next step.
    """
    rooms: dict[Any, Floats] = _rooms.__dict__.setdefault("held", {})
    if use not in rooms or rooms[use].shape != shape:
        rooms[use] = np.empty(shape)
    return rooms[use]


class Sample:
    """The parameters of a block, drawn a few times; into `room(use, ...)`, if that is given."""

    def __init__(
        self,
        mu: Floats,
        sigma: Floats,
        samples: int,
        random: np.random.Generator,
        use: Any = None,
    ) -> None:
        self.shape = mu.shape
        rows = mu.reshape(len(mu), -1) if mu.ndim > 1 else mu[None]
        self._form = (rows.shape[0], samples, rows.shape[1])
        n = rows.shape[0] * samples * rows.shape[1]
        # Row after row: what is drawn for a feature does not depend on how many follow.
        self._codes = np.frombuffer(random.bytes(2 * n), np.uint16).reshape(self._form)
        self.theta = np.empty(self._form) if use is None else room(use, self._form)
        draw(rows, sigma.reshape(rows.shape), self._codes, quantiles(), self.theta)

    @property
    def r(self) -> Floats:
        """The normal numbers of each sample, as rows, samples and columns."""
        numbers: Floats = quantiles()[self._codes].astype(np.float64)
        return numbers

    def lead_back(self, gradient: Any) -> tuple[Floats, Floats]:
        """Return the gradients by μ and σ of one by θ."""
        g, h = np.empty((2, self._form[0], self._form[2]))
        gradient = np.ascontiguousarray(gradient.reshape(self._form))
        collect(gradient, self._codes, quantiles(), g, h)
        return g.reshape(self.shape), h.reshape(self.shape)


class SampledModel(Model):
    """What models share that are sampled. A subclass has a number of `samples`, and says how the
    log likelihood of rows changes with its parameters. Its first array is that of the features.

    The weights of the features have μ = 0 and σ = 1 at the prior, as in the paper. All others have
    σ = 0.1, and their weights a μ that is drawn once.

    *Deviation*: in the paper they have μ = 0 and σ = 1, too. But only what follows can tell the
    weight of a feature whether to rise or to fall, and if that is drawn about 0 anew in each step,
    rises and falls cancel: the expected gradient of all weights of features is 0, and remains so.
    """

    draws = True
    samples: int

    def divided_by(self, block: int, shape: tuple[int, ...]) -> int:
        """Return the number by whose root the inputs of an array of parameters are divided, but for
        those of the features."""
        return 1

    def prior(self, block: int, shape: tuple[int, ...], seed: int) -> tuple[Floats, Floats]:
        if block == 0:
            return np.zeros(shape), np.ones(shape)
        if len(shape) == 1:
            return np.zeros(shape), np.full(shape, SPREAD)
        mu: Floats = generator(seed, "prior of FIRES", block).standard_normal(shape)
        return mu, np.full(shape, SPREAD)

    def pace(self, block: int, shape: tuple[int, ...], rows: Batch) -> float:
        """Parameters move in units of their deviations at the prior, and as fast as if not the
        inputs, but they themselves were divided."""
        if block == 0:
            return float(np.count_nonzero(~np.isnan(rows.X).all(axis=0)))
        return self.divided_by(block, shape) * SPREAD**2

    def gradient(
        self, mu: Blocks, sigma: Blocks, rows: Batch, random: Random
    ) -> tuple[Blocks, Blocks]:
        drawn = [
            Sample(m, s, self.samples, random(block), use=block)
            for block, (m, s) in enumerate(zip(mu, sigma))
        ]
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        y: Any = rows.y
        gradients = self.by_theta([block.theta for block in drawn], unit_rows(rows.X), y, weight)
        g, h = zip(*(block.lead_back(by) for block, by in zip(drawn, gradients)))
        return g, h

    @abstractmethod
    def by_theta(self, theta: list[Floats], X: Floats, y: Any, weight: Floats) -> list[Floats]:
        """Return the gradients of Σ weight log(mean over samples of the likelihood), less whatever
        the model is charged for, by the parameters of each sample (rows, samples, columns)."""


AGGREGATIONS = ("size", "mean")


def require_aggregation(aggregation: Any) -> None:
    """Refuse what is no way to make one number of the parameters of a feature."""
    if aggregation not in AGGREGATIONS:
        raise ValueError(f'aggregation must be "size" or "mean", not {aggregation!r}')


def per_feature(block: Floats, aggregation: str) -> Floats:
    """Return one number for each row of a block: the root of the mean square, or the mean."""
    if aggregation == "mean":
        return np.asarray(block.mean(axis=1))
    largest = np.abs(block).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    sizes: Floats = largest[:, 0] * np.sqrt(np.mean((block / largest) ** 2, axis=1))
    return sizes


def unit_rows(X: Any) -> Floats:
    """Return rows with 0 for missing cells, divided by the root of the number of the others.

    So the margins of parameters at the prior are about as large as a cell, however many there are.
    """
    cells: Floats = np.array(X, np.float64)
    missing = np.isnan(cells)
    if missing.any():
        cells[missing] = 0.0
        cells /= np.sqrt(np.maximum(cells.shape[1] - missing.sum(axis=1), 1))[:, None]
    elif cells.shape[1]:
        cells /= np.sqrt(cells.shape[1])
    return cells


def led_to_inputs(X: Floats, by: Floats) -> Floats:
    """Return the gradients by weights of all inputs, of those by what they add up to: samples, rows
    and units. They are features, samples and units, in a `room`."""
    flat = by.transpose(1, 0, 2).reshape(len(X), -1)
    gradient = np.matmul(X.T, flat, out=room("inputs", (X.shape[1], flat.shape[1])))
    return gradient.reshape(X.shape[1], len(by), -1)


def shares(log_likelihood: Floats) -> Floats:
    """Return how much each sample (axis 0) counts for each row: in proportion to its likelihood."""
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=0))
    counts: Floats = likelihood / likelihood.sum(axis=0)
    return counts


def log_softmax(z: Floats) -> Floats:
    """Return the logarithms of probabilities along the last axis."""
    z = z - z.max(axis=-1, keepdims=True)
    logs: Floats = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return logs
