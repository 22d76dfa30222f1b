"""Obvious and slow: feature selection with annealing on dense rows, one step after the other."""

from fractions import Fraction
from math import ceil

import numpy as np


def features_at(row, p, k, mu, rows):
    """M_e of Barbu et al. (2017), exactly; what is not whole is rounded up."""
    left = Fraction(rows - 2 * row) / (2 * row * Fraction(mu) + rows)
    return k + ceil((p - k) * max(Fraction(0), left))


def probabilities(margins):
    """Of each class; one margin stands for the second of two."""
    z = np.array([0.0, *margins]) if len(margins) == 1 else np.asarray(margins)
    e = np.exp(z - z.max())
    return e / e.sum()


def loss(X, codes, weights, W, b):
    """The weighted negative log-likelihood of some rows."""
    return -sum(w * np.log(probabilities(x @ W + b)[code]) for x, code, w in zip(X, codes, weights))


class Annealed:
    def __init__(self, p, outputs, *, k, mu, rows, again, size, rate, l2):
        self.p, self.outputs, self.k, self.mu, self.rows = p, outputs, k, mu, rows
        self.again, self.size, self.rate, self.l2 = again, size, rate, l2
        self.W, self.A = np.zeros((p, outputs)), np.zeros(p)
        self.b, self.B = np.zeros(outputs), 0.0
        self.kept, self.clock = list(range(p)), 0
        self.seen = np.zeros((2, p))  # weight and squares of the values that are not zero
        self.weight = 0.0
        self.lengths = []  # (weight, squared length) of the rows since features last left

    def observe(self, X, weights):
        self.weight += sum(weights)
        for x, w in zip(X, weights):
            self.seen[0] += w * (x != 0)
            self.seen[1] += w * x**2

    def learn(self, X, codes, weights, order):
        for at in range(0, len(order), self.size):
            if self.again and self.clock >= self.rows:
                self.clock %= self.rows
                self.kept = list(range(self.p))
                self.A, self.B, self.seen = self.A / 2, self.B / 2, self.seen / 2
                self.weight /= 2
                self.lengths = []
            rows = order[at : at + self.size]
            self.step(X[rows], codes[rows], weights[rows])
            self.clock += len(rows)
            left = features_at(self.clock, self.p, self.k, self.mu, self.rows)
            enough = left <= len(self.kept) * 15 / 16
            if left < len(self.kept) and (enough or left == self.k):
                influence = np.float32(self.influence())  # so that equal ones are
                self.kept = sorted(sorted(self.kept, key=lambda j: (-influence[j], j))[:left])
                self.W[[j for j in range(self.p) if j not in self.kept]] = 0
                self.lengths = []

    def influence(self):
        spread = self.W - self.W.mean(axis=1, keepdims=True) if self.outputs > 1 else self.W
        return np.sqrt((spread**2).sum(axis=1) * self.seen[1] / self.weight)

    def step(self, X, codes, weights):
        X = np.where(np.isin(np.arange(self.p), self.kept), X, 0)
        scale = np.sqrt(np.divide(*self.seen[::-1], out=np.ones(self.p), where=self.seen[0] > 0))
        lengths = [(w, 1 + sum((x / scale) ** 2)) for x, w in zip(X, weights)]
        self.lengths += lengths
        longest = max(
            sum(w * length for w, length in part) / sum(w for w, _ in part)
            for part in (self.lengths, lengths)
        )
        G, Gb = np.zeros_like(self.W), np.zeros_like(self.b)
        for x, code, w in zip(X, codes, weights):
            by_margin = probabilities(x @ self.W + self.b)
            by_margin[code] -= 1
            by_margin = w * by_margin[-self.outputs :]
            G += np.outer(x, by_margin)
            Gb += by_margin
        step = self.rate * np.sqrt(max(1, self.outputs / 2) / longest)
        self.W *= 1 - self.rate * self.l2
        G /= scale[:, None]
        self.A += (G**2).sum(axis=1)
        self.B += (Gb**2).sum()
        for j in np.flatnonzero(self.A):
            self.W[j] -= step / scale[j] * G[j] / np.sqrt(self.A[j])
        if self.B:
            self.b -= step * Gb / np.sqrt(self.B)
