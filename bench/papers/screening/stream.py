"""Beyond the paper: news of 1998 in their order of time, tested and then trained."""

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import table
from selected import SCORES, of_unit_length

import data
from driftsieve import Batch, Fading, Screening, SparseFSA
from driftsieve.evaluation.masking import Masked
from driftsieve.evaluation.prequential import prequential

BATCH = 250
SHARE = 0.05
STAYS = 2_000
"""Rows for which a topic is supposed to be in the news."""


def stream() -> tuple[list[Batch], list[int]] | None:
    """Return the news in batches, sorted by day, and their topics."""
    loaded = data.load("tdt2")
    if loaded is None:
        return None
    X, y, extras = loaded
    order = np.argsort(extras["time"], kind="stable")
    X, y = of_unit_length(X)[order], y[order]
    batches = [Batch(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, len(y), BATCH)]
    return batches, sorted(set(y.tolist()))


def learners(rows: int) -> dict[str, Any]:
    return {
        f"SparseFSA, anneals every {STAYS:,} rows": SparseFSA(SHARE, anneal_rows=STAYS),
        "SparseFSA, anneals once": SparseFSA(SHARE, anneal_rows=rows),
        "SGD": SGDClassifier(loss="log_loss", random_state=0),
    }


def extra() -> str:
    """Return a section for a result page."""
    found = stream()
    if found is None:
        return ""
    batches, topics = found
    n, p = sum(map(len, batches)), batches[0].n_features
    k = round(SHARE * p)
    ways: dict[str, Any] = {"none": lambda: None}
    for name, score in SCORES.items():
        ways[f"{name}, adapting"] = lambda s=score: Screening(s, k, memory=Fading.for_drift(STAYS))
        ways[name] = lambda s=score: Screening(s, k)
    lines = []
    for way, make in ways.items():
        for name, learner in learners(n).items():
            if "once" in name and way != "none":
                continue
            begin = perf_counter()
            run = prequential(
                batches, make(), Masked(learner, scale=False), classes=topics, window=n // 2
            )
            seconds = perf_counter() - begin
            summary = run.summary()
            shown = [f"{1 - summary[key]:.4f}" for key in ("accuracy", "accuracy_window")]
            lines.append([way, name, *shown, f"{seconds:.1f}"])
            print(*lines[-1])
    return f"""## Beyond the paper: a stream that does drift

TDT2: {n:,} news of the first half of 1998 in their order of time, {len(topics)} topics that come
and go, {p:,} words. Each batch of {BATCH} is predicted, and then learnt by selector and learner;
{SHARE:.0%} of the words are selected, and SparseFSA keeps as many. Adapting is
`Fading.for_drift({STAYS})`.

{table(["screening", "learner", "error", "error, later half", "seconds, all"], lines)}"""
