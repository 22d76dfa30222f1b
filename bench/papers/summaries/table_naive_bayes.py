"""Naive Bayes over each summary, and Gaussian naive Bayes: accuracy, test-then-train.

The paper leaves its results with naive Bayes to a technical report, so there is nothing to compare
with but Gaussian naive Bayes on the same rows.

Run: python bench/papers/summaries/table_naive_bayes.py
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))
from common import environment, table, write_result
from setting import artificial
from sklearn.naive_bayes import GaussianNB

from data import load
from driftsieve import SummaryNaiveBayes

ROWS, BATCH = 50_000, 1_000
SUMMARIES = ["exact", "quantiles", "exponential", "equal_frequency", "equal_width"]
IN_TIME = ["electricity_8f", "weather"]
SHUFFLED = ["covtype", "kdd99_10pct", "spambase"]


def accuracy(learner: Any, X: Any, y: Any, classes: Any) -> float:
    """Predict each batch before it is learnt; the first one is learnt only."""
    right = 0
    for i in range(0, len(X), BATCH):
        rows, labels = X[i : i + BATCH], y[i : i + BATCH]
        if i:
            right += int((learner.predict(rows) == labels).sum())
        learner.partial_fit(rows, labels, classes=classes)
    return right / (len(X) - BATCH)


def data_sets() -> Any:
    yield "artificial", *artificial(ROWS)
    for name in [*IN_TIME, *SHUFFLED]:
        held = load(name)
        if held is None:
            continue
        X, y = np.asarray(held[0], np.float64), held[1]
        if name in SHUFFLED:
            order = np.random.default_rng(0).permutation(len(X))
            X, y = X[order], y[order]
        yield name, np.ascontiguousarray(X[:ROWS]), y[:ROWS]


def main() -> None:
    lines = []
    for name, X, y in data_sets():
        classes = np.unique(y)
        learners = [GaussianNB(), *(SummaryNaiveBayes(summary) for summary in SUMMARIES)]
        found = [accuracy(learner, X, y, classes) for learner in learners]
        lines.append([name, f"{len(X):,} × {X.shape[1]}", *(f"{one:.3f}" for one in found)])
        print(lines[-1], flush=True)
    write_result(
        "summaries_naive_bayes",
        f"""# Naive Bayes over summaries

{environment("scikit-learn")}

Written by `python bench/papers/summaries/table_naive_bayes.py`. Accuracy, test-then-train, in
batches of {BATCH:,}; at most {ROWS:,} rows; 20 bins to a feature. {" and ".join(IN_TIME)} come
in their own order, the others shuffled.

{table(["data", "rows × features", "GaussianNB", *SUMMARIES], lines)}""",
    )


if __name__ == "__main__":
    main()
