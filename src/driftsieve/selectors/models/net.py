"""A neural net whose weights are random (Haug et al. 2020, section 2.1.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from driftsieve.selection import require_whole
from driftsieve.selectors.models.model import Blocks
from driftsieve.selectors.models.sampled import (
    Floats,
    SampledModel,
    led_to_inputs,
    log_softmax,
    per_feature,
    require_aggregation,
    room,
    shares,
)


@dataclass(frozen=True)
class NeuralNet(SampledModel):
    """A fully connected net with rectified linear units and a softmax over the classes.

    hidden
        Units of each hidden layer.
    samples
        How often parameters are drawn for a step.

    The inputs of every layer are divided by the root of their number, because at the prior, where
    all weights have a deviation of 1, the outputs would grow with every layer otherwise.

    aggregation
        How μ and σ of a feature come from those of its weights. "size": the root of their mean
        square, over the weights that leave it. "mean": as in section 2.1.4, the sum over the layers
        of the mean of the weights on its paths; the layers after the first are common to all.

    *Deviation*: "size" is the default, because weights of either sign cancel in a mean: of a
    feature that matters it is as near to zero as that of any other.
    """

    learning_rate = 0.03

    hidden: tuple[int, ...] = (100, 100, 100)
    samples: int = 5
    aggregation: str = "size"

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        if not self.hidden:
            raise ValueError("a net needs a hidden layer at least: hidden is empty")
        for units in self.hidden:
            require_whole("the number of units of a layer", units, 1)
        require_whole("samples", self.samples, 1)
        require_aggregation(self.aggregation)

    def layout(self) -> Sequence[tuple[int | str, ...]]:
        sizes: list[int | str] = ["features", *self.hidden, "outputs"]
        shapes: list[tuple[int | str, ...]] = []
        for before, after in pairwise(sizes):
            shapes += [(before, after), (after,)]
        return shapes

    def divided_by(self, block: int, shape: tuple[int, ...]) -> int:
        return shape[0] if len(shape) > 1 else 1

    def by_theta(self, theta: list[Floats], X: Floats, y: Any, weight: Floats) -> list[Floats]:
        inputs, z = self._forward(theta, X)
        logs = log_softmax(z)
        rows = np.arange(len(X))
        by: Floats = -np.exp(logs)
        by[:, rows, y] += 1.0
        by *= (weight * shares(logs[:, rows, y]))[..., None]
        gradients: list[Floats] = []
        for layer in range(len(self.hidden), -1, -1):
            W, x = theta[2 * layer], inputs[layer]
            bias = by.sum(axis=1)[None]
            if layer == 0:  # all samples have the same inputs
                return [led_to_inputs(x, by), bias, *gradients]
            scale = 1 / np.sqrt(len(W))
            by *= scale
            by_W = room(("weights", layer), W.shape)
            np.matmul(x.transpose(0, 2, 1), by, out=by_W.transpose(1, 0, 2))
            gradients = [by_W, bias, *gradients]
            by = np.matmul(by, W.transpose(1, 2, 0), out=room(("units", layer), x.shape))
            by *= x > 0
        return gradients

    def _forward(self, theta: list[Floats], X: Floats) -> tuple[list[Floats], Floats]:
        """Return the inputs of each layer, and the outputs of the last: samples, rows, units."""
        samples = theta[0].shape[1]
        inputs, z = [X], X
        for layer, (W, b) in enumerate(zip(theta[::2], theta[1::2])):
            shape = (samples, len(X), W.shape[2])
            if layer == 0:
                flat = np.matmul(X, W.reshape(len(W), -1), out=room("flat", (len(X), W[0].size)))
                z = flat.reshape(len(X), *W.shape[1:]).transpose(1, 0, 2)
                z += b[0][:, None]
                continue
            inputs.append(np.maximum(z, 0.0, out=room(("inputs", layer), z.shape)))
            z = np.matmul(inputs[-1], W.transpose(1, 0, 2), out=room(("sums", layer), shape))
            z *= 1 / np.sqrt(len(W))
            z += b[0][:, None]
        return inputs, z

    def aggregate(self, mu: Blocks, sigma: Blocks) -> tuple[Floats, Floats]:
        shared = [0.0, 0.0]
        if self.aggregation == "mean":
            shared = [sum(float(W.mean()) for W in blocks[2::2]) for blocks in (mu, sigma)]
        importance, uncertainty = (
            per_feature(blocks[0], self.aggregation) for blocks in (mu, sigma)
        )
        return importance + shared[0], uncertainty + shared[1]
