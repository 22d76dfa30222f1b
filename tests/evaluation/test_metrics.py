import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from driftsieve.batch import Batch
from driftsieve.evaluation.metrics import SMALLEST, Metrics, probability_of_truth
from tests.naive import evaluation as naive

LABELS = {
    "numbers": [0, 1, 2],
    "strings": ["no", "yes"],
    "one": ["only"],
    "mixed": [1, "1", ("a", 2), None, frozenset({3})],
}


def column(labels):
    out = np.empty(len(labels), dtype=object)
    out[:] = labels
    return out


def drawn(kind, rows, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    labels = LABELS[kind]
    weight = rng.integers(0, 3, rows).astype(float) if weighted else np.ones(rows)
    return [
        (
            labels[rng.integers(len(labels))],
            labels[rng.integers(len(labels))],
            rng.choice([0.0, 1.0, rng.random()]),
            weight[i],
        )
        for i in range(rows)
    ]


def feed(metrics, rows):
    true, guess, p, weight = zip(*rows, strict=True)
    metrics.update(column(true), column(guess), np.array(p), np.array(weight))


def expected(rows, window):
    last = rows[-window:]
    return {
        "accuracy": naive.accuracy(rows),
        "accuracy_window": naive.accuracy(last),
        "kappa": naive.kappa(rows),
        "kappa_window": naive.kappa(last),
        "log_loss": naive.log_loss(rows, SMALLEST),
        "log_loss_window": naive.log_loss(last, SMALLEST),
    }


def assert_figures(found, wanted):
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("kind", LABELS)
def test_equals_its_naive_twin_at_every_prefix(kind, weighted):
    rows = drawn(kind, 120, weighted=weighted)
    metrics, seen = Metrics(window=25), 0
    for size in (1, 3, 30, 2, 60, 24):
        feed(metrics, rows[seen : seen + size])
        seen += size
        assert_figures(metrics.figures(), expected(rows[:seen], 25))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 60))
def test_batching_does_not_matter(sizes, window):
    rows = drawn("mixed", sum(sizes), seed=3)
    one, many = Metrics(window), Metrics(window)
    feed(one, rows)
    for stop, size in zip(np.cumsum(sizes), sizes, strict=True):
        feed(many, rows[stop - size : stop])
    assert_figures(many.figures(), one.figures())


def test_equals_scikit_learn():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, 300)
    P = rng.dirichlet(np.ones(4), 300)
    guess = P.argmax(axis=1)
    metrics = Metrics(1000)
    batch = Batch(np.zeros((300, 1)), y)
    metrics.update(y, guess, probability_of_truth(batch, P, np.arange(4)))
    figures = metrics.figures()
    assert figures["accuracy"] == pytest.approx(reference.accuracy_score(y, guess))
    assert figures["kappa"] == pytest.approx(reference.cohen_kappa_score(y, guess))
    assert figures["log_loss"] == pytest.approx(reference.log_loss(y, P))


def test_a_weight_of_two_is_the_row_twice_and_of_zero_the_row_absent():
    rows = drawn("numbers", 40, seed=1, weighted=True)
    copies = [(*row[:3], 1.0) for row in rows for _ in range(int(row[3]))]
    one, other = Metrics(1000), Metrics(1000)
    feed(one, rows)
    feed(other, copies)
    assert_figures(one.figures(), other.figures())


def test_nothing_counted_is_undefined():
    assert all(np.isnan(value) for value in Metrics(10).figures().values())


def test_without_probabilities_only_the_log_loss_is_undefined():
    metrics = Metrics(10)
    metrics.update(np.array([0, 1, 1]), np.array([0, 1, 0]))
    figures = metrics.figures()
    assert np.isnan([figures["log_loss"], figures["log_loss_window"]]).all()
    assert figures["accuracy"] == pytest.approx(2 / 3)


def test_kappa_is_undefined_where_chance_leaves_nothing_open():
    metrics = Metrics(10)
    metrics.update(np.array(["a", "a"]), np.array(["a", "a"]), None, np.array([0.1, 0.7]))
    assert metrics.figures()["accuracy"] == 1
    assert np.isnan(metrics.figures()["kappa"])


def test_a_certain_mistake_costs_much_but_not_everything():
    metrics = Metrics(10)
    metrics.update(np.array([1]), np.array([0]), np.array([0.0]))
    assert metrics.figures()["log_loss"] == pytest.approx(-np.log(SMALLEST))


def test_the_probability_of_a_label_that_was_not_thought_of_is_zero():
    batch = Batch(np.zeros((3, 1)), np.array(["b", "new", "a"]))
    P = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    found = probability_of_truth(batch, P, np.array(["a", "b"]))
    np.testing.assert_array_equal(found, [0.8, 0.0, 0.9])
