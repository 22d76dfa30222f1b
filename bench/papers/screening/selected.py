"""The setting of section 3.3: a learner on features that were selected in one pass, and its error.

Wang & Barbu (2021), Online Feature Screening for Data Streams with Concept Drift.
"""

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import table

from driftsieve import Fading, Screening, SparseFSA

SCORES = {
    "T-score": "t", "Fisher": "fisher", "MI": "mutual_information", "Chi2": "chi2", "Gini": "gini",
}  # fmt: skip
SEEDS = range(5)
BATCH = 250


@dataclass(frozen=True)
class Task:
    """Rows in time order; the first are learnt, the others are predicted."""

    X: Any
    y: Any
    n_train: int

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def train(self) -> tuple[Any, Any]:
        return self.X[: self.n_train], self.y[: self.n_train]

    @property
    def test(self) -> tuple[Any, Any]:
        return self.X[self.n_train :], self.y[self.n_train :]

    def share(self, share: float) -> int:
        return max(1, round(share * self.n_features))

    @property
    def memory(self) -> Fading:
        """As advised where things stay the same for about as long as the training part."""
        return Fading.for_drift(self.n_train)


@dataclass(frozen=True)
class Outcome:
    """The mean error over several seeds, and the median seconds of training."""

    error: float
    seconds: float
    features: float


def of_unit_length(X: Any) -> sparse.csr_array:
    """Dampen counts, and give each row the length 1, as in the data of Keerthi and DeCoste."""
    X = sparse.csr_array(X, dtype=np.float32)
    X.data = np.log1p(X.data)
    lengths = np.sqrt((X * X).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ X)


def screened(task: Task, score: str, k: int, adapts: bool) -> tuple[Any, float]:
    """Return the columns selected after one pass in minibatches, and the seconds it took."""
    X, y = task.train
    sieve = Screening(score, k=k, memory=task.memory if adapts else None)
    batches = [(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, len(y), BATCH)]
    begin = perf_counter()
    for batch in batches:
        sieve.partial_fit(*batch)
    selected = np.sort(sieve.selection_.indices)
    return selected, perf_counter() - begin


def screening_seconds(task: Task, score: str, rounds: int = 3) -> float:
    """The median time of a pass with adaptation."""
    return median(screened(task, score, 10, adapts=True)[1] for _ in range(rounds))


def sparse_fsa(task: Task, k: int) -> Any:
    return lambda seed: SparseFSA(k, random_state=seed)


def sgd(seed: int) -> Any:
    return SGDClassifier(loss="log_loss", random_state=seed)


def outcome(task: Task, make: Any, columns: Any = None) -> Outcome:
    """Train once per seed on the columns (a list of them: one for each seed) and predict."""
    return outcomes(task, {"": make}, columns)[""]


def outcomes(task: Task, makes: dict[str, Any], columns: Any = None) -> dict[str, Outcome]:
    """Train each once per seed, in turn, so that a noisy machine disturbs all of them alike."""
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in makes}
    for seed in SEEDS:
        chosen = columns[seed] if isinstance(columns, list) else columns
        (X, y), (X_test, y_test) = task.train, task.test
        if chosen is not None:
            X, X_test = X[:, chosen], X_test[:, chosen]
        for name, make in makes.items():
            learner = make(seed)
            begin = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                learner.fit(X, y)
            seconds = perf_counter() - begin
            features = np.count_nonzero(np.any(learner.coef_ != 0, axis=0))
            taken[name].append((1 - learner.score(X_test, y_test), seconds, features))
    found = {}
    for name, rounds in taken.items():
        errors, seconds, features = zip(*rounds, strict=True)
        found[name] = Outcome(mean(errors), median(seconds), mean(features))
    return found


def random_columns(task: Task, k: int) -> list[Any]:
    return [
        np.sort(np.random.default_rng(seed).choice(task.n_features, k, replace=False))
        for seed in SEEDS
    ]


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables, which name a row by adaptation, method and learner."""

    adapts: str
    method: str
    selected: int | None
    learner: str
    outcome: Outcome


def rows(task: Task, for_fsa: int, fsa_keeps: int, for_sgd: int) -> Iterator[Row]:
    """Yield the rows below the first two, in the paper's order."""
    for learner, k in (("SparseFSA", for_fsa), ("SGD", for_sgd)):
        make = sparse_fsa(task, fsa_keeps) if learner == "SparseFSA" else sgd
        yield Row("0", "(all features)", None, learner, outcome(task, make))
        columns = random_columns(task, k)
        yield Row("0", "random select", k, learner, outcome(task, make, columns))
        for name, score in SCORES.items():
            for adapts in (True, False):
                chosen, _ = screened(task, score, k, adapts)
                yield Row(str(int(adapts)), name, k, learner, outcome(task, make, chosen))


def main_table(task: Task, shares: tuple[float, float, float], paper: dict[Any, Any]) -> str:
    """Return the table of the paper with ours beside; `paper` has (seconds, error) by row."""
    header = ["adaptation", "screening", "selected", "learner", "kept"]
    header += ["seconds: paper", "ours", "error: paper", "ours"]
    lines = []
    for name, score in (("Quantile based", "mutual_information"), ("Moving average", "fisher")):
        ours = screening_seconds(task, score)
        lines.append([1, name, "", "", "", paper[name][0], f"{ours:.3g}", "", ""])
    for row in rows(task, *(task.share(share) for share in shares)):
        seconds, error = paper.get((row.adapts, row.method, row.learner), ("", ""))
        found = row.outcome
        lines.append(
            [
                row.adapts, row.method, row.selected or "", row.learner, f"{found.features:.0f}",
                seconds, f"{found.seconds:.3g}", error, f"{found.error:.4f}",
            ]
        )  # fmt: skip
    return table(header, lines)


def peers_table(task: Task, ks: tuple[int, ...]) -> str:
    """Return errors and times of SparseFSA beside those of scikit-learn's, on all features."""
    l1 = {"loss": "log_loss", "penalty": "l1"}
    elastic = {"loss": "log_loss", "penalty": "elasticnet"}
    makes = {f"SparseFSA({k})": sparse_fsa(task, k) for k in (task.n_features, *ks)}
    makes |= {
        "SGDClassifier": sgd,
        "SGDClassifier(alpha=1e-5)": lambda s: SGDClassifier(
            loss="log_loss", alpha=1e-5, random_state=s
        ),
        "SGDClassifier, l1, alpha=1e-5": lambda s: SGDClassifier(**l1, alpha=1e-5, random_state=s),
        "SGDClassifier, elastic net, alpha=1e-5": lambda s: SGDClassifier(
            **elastic, alpha=1e-5, random_state=s
        ),
    }
    if len(set(task.y.tolist())) == 2:
        for C in (1, 10):
            makes[f"LogisticRegression, l1, C={C}"] = lambda s, C=C: LogisticRegression(
                l1_ratio=1, solver="liblinear", C=C, random_state=s
            )
    found = outcomes(task, makes)
    base = found["SGDClassifier"].seconds
    return table(
        ["on all features", "kept", "error", "training time, SGDClassifier = 1"],
        [
            [name, f"{o.features:.0f}", f"{o.error:.4f}", f"{o.seconds / base:.2f}"]
            for name, o in found.items()
        ],
    )
