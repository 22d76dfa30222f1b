"""Runs made by hand: what a report is drawn from, without anything being evaluated."""

from dataclasses import replace

import numpy as np
import polars as pl

from driftsieve.evaluation.run import DRIFTS, SELECTIONS, STEPS, Run
from driftsieve.streams.truth import Truth


def run_of(selected, *, batch=100, names=None, score=1.0, drifts=(), settings=None, **measures):
    """A run that selected these features (a list of columns per step, best first)."""
    steps = [
        {
            **dict.fromkeys(STEPS),
            "step": i,
            "rows": (i + 1) * batch,
            "n_selected": len(columns),
            **{name: values[i] for name, values in measures.items()},
        }
        for i, columns in enumerate(selected)
    ]
    choices = [
        {
            "step": i,
            "rows": (i + 1) * batch,
            "rank": rank + 1,
            "feature": column,
            "name": f"x{column}" if names is None else names[column],
            "score": score / (rank + 1),
        }
        for i, columns in enumerate(selected)
        for rank, column in enumerate(columns)
    ]
    return Run(
        pl.DataFrame(steps, schema=STEPS, orient="row"),
        pl.DataFrame(choices, schema=SELECTIONS, orient="row"),
        pl.DataFrame(list(drifts), schema=DRIFTS, orient="row"),
        {"selector": "Screening(k=2)", "versions": {"numpy": "2.0"}} | (settings or {}),
    )


def drifting(steps=20, batch=100):
    """A run of two features that become two others half-way, and the truth about it."""
    half = steps // 2
    rng = np.random.default_rng(0)
    measure = 0.8 + 0.1 * rng.random(steps)
    run = run_of(
        [[0, 1]] * (half + 1) + [[2, 0]] * (steps - half - 1),
        batch=batch,
        drifts=[(half * batch, 2 * batch)],
        accuracy=measure,
        accuracy_window=measure,
        stability=measure,
        stability_low=measure - 0.1,
        stability_high=measure + 0.1,
        recall=measure,
        precision=measure,
        selector_seconds=measure,
    )
    rows = steps * batch
    truth = Truth(rows, 5, ((0, 1), (2, 4)), ((0, 0), (half * batch, 1)))
    return replace(run, truth=truth)


def unknown(run):
    """The same run of a stream that does not know the truth."""
    return replace(run, truth=None)


def huge(steps=10_000, features=1000, k=30, batch=100):
    """As much as a report promises to show in less than a megabyte, and as restless as can be."""
    rng = np.random.default_rng(0)
    rows = (np.arange(steps) + 1) * batch
    measures = {
        name: rng.random(steps) if kind.is_float() else np.full(steps, k)
        for name, kind in STEPS.items()
    }
    measures |= {"step": np.arange(steps), "rows": rows}
    chosen = np.concatenate([rng.permutation(features)[:k] for _ in range(steps)])
    choices = {
        "step": np.repeat(np.arange(steps), k),
        "rows": np.repeat(rows, k),
        "rank": np.tile(np.arange(1, k + 1), steps),
        "feature": chosen,
        "name": [f"a_rather_long_name_of_a_feature_{column}" for column in chosen],
        "score": rng.random(steps * k),
    }
    drifts = {"row": rows[::25], "lag": rows[::25] % 1000}
    return Run(
        pl.DataFrame(measures).cast(STEPS),
        pl.DataFrame(choices).cast(SELECTIONS),
        pl.DataFrame(drifts).cast(DRIFTS),
        {"selector": "restless"},
    )
