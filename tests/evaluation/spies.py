"""Selectors and learners that tell what was done to them, for the tests of evaluation."""

import numpy as np

from driftsieve.batch import Batch
from driftsieve.selection import Selection


class Spy:
    """A selector that selects what it is told, one after the other, and keeps a log."""

    def __init__(self, choices, log=None):
        self.choices = [np.array(choice, dtype=np.intp) for choice in choices]
        self.log = [] if log is None else log
        self.learnt = 0
        self.batches = []

    def learn(self, batch):
        self.log.append(("selector learns", batch.n_rows))
        self.batches.append(batch)
        self.learnt += 1
        if batch.position is not None:
            self.position_ = batch.position
        return self

    @property
    def selection_(self):
        if not self.learnt:
            raise AttributeError("nothing learnt yet")
        indices = self.choices[(self.learnt - 1) % len(self.choices)]
        names = tuple(f"x{j}" for j in indices)
        return Selection(indices, -np.arange(len(indices), dtype=float), names, self.learnt)


class SpyLearner:
    """A learner that keeps what it saw, and always predicts `answer`."""

    def __init__(self, log=None, answer=0):
        self.log = [] if log is None else log
        self.answer = answer
        self.trained, self.asked = [], []

    def partial_fit(self, X, y):
        self.log.append(("learner learns", len(y)))
        self.trained.append(X)

    def predict(self, X):
        self.log.append(("learner predicts", X.shape[0]))
        self.asked.append(X)
        return np.full(X.shape[0], self.answer)


class Memoriser:
    """Knows the label of each row that it has learnt by heart, and guesses 0 for others."""

    def __init__(self):
        self.known = {}

    def partial_fit(self, X, y):
        self.known.update({row.tobytes(): label for row, label in zip(X, y, strict=True)})

    def predict(self, X):
        return np.array([self.known.get(row.tobytes(), 0) for row in X])


class Reader:
    """Predicts by the sign of one column, without learning."""

    def __init__(self, column):
        self.column = column

    def partial_fit(self, X, y):
        pass

    def predict(self, X):
        return (X[:, self.column] > 0).astype(int)


def batches(sizes, n_features=4, seed=0, **more):
    """Random rows with labels that are random, too; positions are rows."""
    rng = np.random.default_rng(seed)
    made, row = [], 0
    for size in sizes:
        row += size
        X, y = rng.standard_normal((size, n_features)), rng.integers(0, 2, size)
        made.append(Batch(X, y, position=row, **more))
    return made
