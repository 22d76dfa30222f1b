"""Feature selection with annealing: a linear classifier that loses features while it learns.

After Barbu, She, Ding and Gramajo (2017): gradient steps, between which only the features with
the largest weights stay, fewer and fewer of them. *Deviations*: the clock counts rows instead of
iterations; features leave when at least one in sixteen is due, so that choosing costs little; a
weight is judged by what it moves, which is the same on standardised features; steps are AdaGrad's.
"""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Matrix
from driftsieve.kernels import logistic as kernels

AT_ONCE = 16
"""Features leave when at least one in so many is due. Choosing them costs time in proportion to
those that are there, so that all choices together cost as much as some sixteen of the first."""


@dataclass(frozen=True)
class Plan:
    """How to learn: the parameters of the method, checked."""

    k: int
    """Features that stay in the end."""
    mu: float
    """How fast they become fewer."""
    rows: int
    """Rows of a whole annealing (N)."""
    again: bool
    """Whether another one begins then, or learning goes on with the features that are left."""
    size: int
    """Rows of a step."""
    rate: float
    l2: float

    def features_at(self, row: int, p: int) -> int:
        """Return how many of p features stay after so many rows (M_e)."""
        left = max(0, self.rows - 2 * row) / (2 * row * self.mu + self.rows)
        return self.k + ceil(max(0, p - self.k) * left)


@dataclass(frozen=True)
class Rows:
    """Rows as the kernels want them: sorted by row, with a code and a weight each."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    codes: NDArray[np.intp]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, X: Matrix, codes: NDArray[np.intp], weights: NDArray[np.float64] | None) -> "Rows":
        """Bring rows into that form; a weight of None is 1 for each."""
        if isinstance(X, np.ndarray):
            indptr = np.zeros(len(X) + 1, np.intp)
            np.cumsum(np.count_nonzero(X, axis=1), out=indptr[1:])
            data, indices = np.empty(indptr[-1], X.dtype), np.empty(indptr[-1], np.int32)
            kernels.take_non_zero(X, data, indices)
        else:
            data, indices, indptr = X.data, X.indices, X.indptr
        return cls(
            data, indices, indptr, codes, np.ones(len(codes)) if weights is None else weights
        )

    def narrowed(self, kept: NDArray[np.bool_]) -> "Rows":
        """Leave out the entries of all features but the kept."""
        indptr = np.empty_like(self.indptr)
        kernels.count_kept(self.indices, self.indptr, kept, indptr)
        data, indices = (np.empty(indptr[-1], a.dtype) for a in (self.data, self.indices))
        kernels.take_kept(self.data, self.indices, self.indptr, kept, data, indices)
        return Rows(data, indices, indptr, self.codes, self.weights)


class Annealed:
    """A linear classifier that loses features while it learns. Symbols: see `kernels.logistic`."""

    def __init__(self, n_features: int, outputs: int) -> None:
        shape = n_features, outputs
        self.V, self.A, self.G = np.zeros(shape), np.zeros(n_features), np.zeros(shape)
        self.b, self.B = np.zeros(outputs), np.zeros(1)
        self.c, self.q, self.u = np.zeros((3, n_features))
        self.norms = np.array([1.0, 0.0, 0.0])
        self.weight = 0.0
        """Weight of the rows that the scales are taken from."""
        self.kept = np.ones(n_features, np.bool_)
        self.n_kept = n_features
        self.clock = 0
        """Rows learnt since the annealing began."""
        self.finished = False
        """Whether that was an annealing that does not begin again."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of every feature, by output."""
        return np.asarray(self.V * self.norms[0])

    def margins(self, X: Any) -> NDArray[np.float64]:
        """Return what each output says of each row."""
        if isinstance(X, np.ndarray):
            kept = np.flatnonzero(self.kept)
            sums = X[:, kept] @ self.V[kept]
        else:
            sums = X @ self.V
        return np.asarray(sums * self.norms[0] + self.b)

    def influence(self) -> NDArray[np.float64]:
        """Return how much each feature moves the outputs: its weight times its root mean square.

        What moves all outputs alike changes no probability, and is not counted.
        """
        V = self.V if self.V.shape[1] == 1 else self.V - self.V.mean(axis=1, keepdims=True)
        return np.asarray(np.sqrt((V**2).sum(axis=1) * self.q / self.weight) * self.norms[0])

    def observe(self, rows: Rows) -> None:
        """Take the scales of the features from these rows, and those observed before."""
        self.weight += float(rows.weights.sum())
        kernels.observe(
            rows.data, rows.indices, rows.indptr, rows.weights, self.kept, self.c, self.q, self.u
        )

    def learn(self, rows: Rows, order: NDArray[np.intp], plan: Plan) -> Rows:
        """Learn rows in this order; return them as they are then needed, without what was dropped
        (they may be learnt again)."""
        begin, width = 0, self.n_kept
        while begin < len(order):
            if plan.again and self.clock >= plan.rows:
                self._begin_again(plan)
                width = self.n_kept
            due = self._next_change(plan) - self.clock
            # As many steps as are over when the change is due, or all that are left.
            end = min(len(order), begin + -(-due // plan.size) * plan.size)
            self._step(rows, order[begin:end], plan)
            self.clock += end - begin
            begin = end
            self._drop(plan)
            if not plan.again and 2 * self.n_kept <= width:
                rows, width = rows.narrowed(self.kept), self.n_kept
        return rows

    def _step(self, rows: Rows, order: NDArray[np.intp], plan: Plan) -> None:
        one = self.V.shape[1] == 1
        V, G = (self.V[:, 0], self.G[:, 0]) if one else (self.V, self.G)
        (kernels.steps_of_one if one else kernels.steps)(
            rows.data, rows.indices, rows.indptr, order, rows.codes, rows.weights,
            plan.size, plan.rate, plan.l2, self.u, V, self.A, self.b, self.B, G, self.norms,
        )  # fmt: skip

    def _due(self, row: int, plan: Plan) -> bool:
        """Tell whether features leave after so many rows."""
        left = plan.features_at(row, len(self.kept))
        return left <= self.n_kept - self.n_kept / AT_ONCE or left == plan.k

    def _next_change(self, plan: Plan) -> int:
        """Return the row of the annealing at which something happens next."""
        if self.n_kept <= plan.k:
            return plan.rows if plan.again else self.clock + (1 << 62)
        rest = range(self.clock + 1, plan.rows + 1)
        return rest[bisect_left(rest, True, key=lambda row: self._due(row, plan))]

    def _drop(self, plan: Plan) -> None:
        """Let the features that are due leave, for good."""
        if self.n_kept <= plan.k or not self._due(self.clock, plan):
            return
        left = plan.features_at(self.clock, len(self.kept))
        there = np.flatnonzero(self.kept)
        # Equal ones leave by column, and are equal in spite of rounding.
        order = np.argsort(-self.influence()[there].astype(np.float32), kind="stable")
        gone = there[order[left:]]
        self.kept[gone] = False
        self.V[gone] = self.u[gone] = 0.0
        self.n_kept = left
        self.norms[1:] = 0.0

    def _begin_again(self, plan: Plan) -> None:
        """Let all features come back, those that had left with a weight of zero.

        Half of what is known of gradients and scales is forgotten: steps get longer again, and
        scales follow the stream.
        """
        self.clock %= plan.rows
        self.kept[:] = True
        self.n_kept = len(self.kept)
        np.divide(self.c, self.q, out=self.u, where=self.q > 0)
        np.sqrt(self.u, out=self.u)
        for part in (self.A, self.B, self.c, self.q):
            part *= 0.5
        self.weight *= 0.5
        self.norms[1:] = 0.0
