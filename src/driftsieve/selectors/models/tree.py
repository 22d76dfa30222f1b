"""A soft decision tree whose weights are random (Haug et al. 2020, section 2.1.3).

Soft decision trees are those of Irsoy, Yildiz and Alpaydin (2012); the penalty on their inner nodes
is that of Frosst and Hinton (2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_expit, logsumexp

from driftsieve.selection import require_whole
from driftsieve.selectors.models.model import Blocks
from driftsieve.selectors.models.sampled import (
    Floats,
    SampledModel,
    led_to_inputs,
    log_softmax,
    per_feature,
    require_aggregation,
    shares,
)
from driftsieve.streams.checks import number


@dataclass(frozen=True)
class SoftTree(SampledModel):
    """A complete binary tree. At an inner node a row goes right with the probability that a
    logistic regression says; each leaf has a probability for each class.

    depth
        Levels of inner nodes.
    samples
        How often parameters are drawn for a step.
    penalty
        What a node is charged whose rows all go one way: this times, for its level, 2 to the power
        of minus the level, times the cross-entropy of half and half with its share of rows that go
        right.

    aggregation
        How μ and σ of a feature come from those of its weights at the inner nodes: "size", the root
        of their mean square, or "mean", as in section 2.1.4. *Deviation*: "size" is the default, as
        in `NeuralNet`.
    """

    depth: int = 3
    samples: int = 5
    penalty: float = 0.01
    aggregation: str = "size"

    def __post_init__(self) -> None:
        require_whole("depth", self.depth, 1)
        if self.depth > 12:
            raise ValueError(f"depth must be 12 at most, because of 2^depth leaves: {self.depth}")
        require_whole("samples", self.samples, 1)
        number("penalty", self.penalty, 0)
        require_aggregation(self.aggregation)

    def layout(self) -> Sequence[tuple[int | str, ...]]:
        leaves = 1 << self.depth
        return [("features", leaves - 1), (leaves, "outputs")]

    def by_theta(self, theta: list[Floats], X: Floats, y: Any, weight: Floats) -> list[Floats]:
        W, leaves = theta
        margins = (X @ W.reshape(len(W), -1)).reshape(len(X), *W.shape[1:]).transpose(1, 0, 2)
        right, left = log_expit(margins), log_expit(-margins)  # samples, rows, nodes
        reached = self._reached(right, left)
        logs = log_softmax(leaves.transpose(1, 0, 2))  # samples, leaves, outputs
        nodes = margins.shape[2]
        by_path = reached[..., nodes:] + logs[:, :, y].transpose(0, 2, 1)
        likelihood = logsumexp(by_path, axis=2)
        counts = weight * shares(likelihood)
        # How much of its row's likelihood each leaf stands for, and each node with all below it.
        part = np.empty(reached.shape)
        part[..., nodes:] = counts[..., None] * np.exp(by_path - likelihood[..., None])
        by_leaf = np.zeros(logs.shape)
        for output in range(logs.shape[2]):
            by_leaf[..., output] = part[:, y == output, nodes:].sum(axis=1)
        by_leaf -= part[..., nodes:].sum(axis=1)[..., None] * np.exp(logs)
        for node in range(nodes - 1, -1, -1):
            part[..., node] = part[..., 2 * node + 1] + part[..., 2 * node + 2]
        # d log(right) = left, and d log(left) = -right, by the margin.
        by = part[..., 2 : 2 * nodes + 1 : 2] * np.exp(left)
        by -= part[..., 1 : 2 * nodes : 2] * np.exp(right)
        if self.penalty:
            by -= self._charge(right, left, reached[..., :nodes], weight)
        return [led_to_inputs(X, by), by_leaf.transpose(1, 0, 2)]

    def _reached(self, right: Floats, left: Floats) -> Floats:
        """Return the log probability of reaching each node, inner ones first, level by level."""
        nodes = right.shape[2]
        reached = np.zeros((*right.shape[:2], 2 * nodes + 1))
        for level in range(self.depth):
            at = slice((1 << level) - 1, (2 << level) - 1)
            below = (2 << level) - 1
            reached[..., below : 2 * below + 1 : 2] = reached[..., at] + left[..., at]
            reached[..., below + 1 : 2 * below + 1 : 2] = reached[..., at] + right[..., at]
        return reached

    def _charge(self, right: Floats, left: Floats, reached: Floats, weight: Floats) -> Floats:
        """Return the gradient, by the margins, of the mean charge of the samples, times the weight
        of all rows."""
        p, q = np.exp(right), np.exp(left)
        presence = weight[:, None] * np.exp(reached)
        total = np.maximum(presence.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        share = np.clip((presence * p).sum(axis=1, keepdims=True) / total, 1e-6, 1 - 1e-6)
        level = np.floor(np.log2(np.arange(1, p.shape[2] + 1)))
        price = self.penalty * 0.5**level * weight.sum() / self.samples
        by_share = price * (0.5 / (1 - share) - 0.5 / share)
        by: Floats = by_share * presence * p * q / total
        # Rows also come to a node, or not, by what the nodes above it say.
        coming = by_share * presence * (p - share) / total
        for node in range(p.shape[2] - 1, 0, -1):
            parent = (node - 1) // 2
            by[..., parent] += coming[..., node] * (q if node % 2 == 0 else -p)[..., parent]
            coming[..., parent] += coming[..., node]
        return by

    def aggregate(self, mu: Blocks, sigma: Blocks) -> tuple[Floats, Floats]:
        return per_feature(mu[0], self.aggregation), per_feature(sigma[0], self.aggregation)
