"""A selector in river's pipelines, row by row and in mini-batches."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import checks, compose, evaluate, linear_model, metrics, preprocessing

from driftsieve import Screening
from driftsieve.adapters.river import RiverSelector
from tests.adapters.test_river import rows, seeded  # noqa: F401  (a fixture)


@pytest.mark.usefixtures("seeded")
def test_a_pipeline_passes_as_well():
    sieve = RiverSelector(Screening("t", k=2))
    checks.check_estimator(
        preprocessing.StandardScaler() | sieve | linear_model.LogisticRegression()
    )


def linear_rows(n, p=30):
    rng = np.random.default_rng(1)
    X = rng.normal(3, 2, (n, p))
    return [dict(zip((f"f{j}" for j in range(p)), x.tolist())) for x in X], (X[:, 4] > X[:, 7])


def pipeline(refresh):
    return (
        preprocessing.StandardScaler()
        | RiverSelector(Screening("t", k=2), refresh)
        | linear_model.LogisticRegression()
    )


@pytest.mark.parametrize("refresh", [1, 50])
def test_in_a_pipeline_the_learner_sees_only_what_is_selected(refresh):
    X, y = linear_rows(600)
    model = pipeline(refresh)
    score = evaluate.progressive_val_score(zip(X, y.tolist()), model, metrics.Accuracy())
    assert score.get() > 0.85
    assert set(model["RiverSelector"].learnt.selection_.names) == {"f4", "f7"}
    assert set(model.transform_one(X[0])) == {"f4", "f7"}

    # The pipeline, taken apart: its learner never sees the label's selection before the label.
    scaler, sieve, learner = pipeline(refresh).steps.values()
    for x, label in zip(X, y.tolist()):
        scaler.learn_one(x)
        scaled = scaler.transform_one(x)
        kept = sieve.transform_one(scaled)
        sieve.learn_one(scaled, label)
        learner.learn_one(kept, label)
    assert learner.weights == model["LogisticRegression"].weights


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_pipeline_learns_mini_batches(frame):
    X, y = linear_rows(3000)
    series = pd.Series if frame is pd.DataFrame else pl.Series
    model = pipeline(refresh=1)
    right = []
    for start in range(0, 3000, 20):
        table, labels = frame(X[start : start + 20]), y[start : start + 20]
        right += (np.asarray(model.predict_many(table)) == labels).tolist()
        model.learn_many(table, series(labels))
    assert np.mean(right[1000:]) > 0.85
    assert set(model["RiverSelector"].learnt.selection_.names) == {"f4", "f7"}


def test_it_unites_with_other_transformers():
    sieve = RiverSelector(Screening("t", k=1))
    model = compose.TransformerUnion(sieve, compose.Select("c"))
    for x, y in rows(100):
        model.learn_one(x, y)
    assert set(model.transform_one({"a": 1, "c": 2, "late": 3})) == {"c", "late"}
