"""Quantile summaries in threads, which may still be at work when `update` returns."""

import copy
import itertools
import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from driftsieve import Screening
from driftsieve.batch import Batch
from driftsieve.scores.tables import chi2
from driftsieve.summaries.entries import Entries
from driftsieve.summaries.quantiles import Quantiles

FEATURES = 200
BLOCK, EPSILON = 2000, 0.01


def rows(seed, n=BLOCK):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, FEATURES)), rng.integers(0, 2, n)


def learnt(n_jobs, batches):
    summary = Quantiles(FEATURES, n_jobs, epsilon=EPSILON)
    for X, y in batches:
        summary.update(Batch(X, y))
    return summary


@pytest.fixture
def slow(monkeypatch):
    """Let other threads wait, before they rewrite a shard, until the calling one says go."""
    go, absorb = threading.Event(), Entries.absorb

    def absorb_later(entries, *rest):
        if threading.current_thread() is not threading.main_thread():
            go.wait(60)
        return absorb(entries, *rest)

    monkeypatch.setattr(Entries, "absorb", absorb_later)
    yield go
    go.set()


FIRST = [rows(0, 8000), rows(1, 500)]  # the first block, and some of the next


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs):
    batches = [rows(seed, n) for seed, n in enumerate((8000, 500, 700, 3100, 1, 2000, 4000, 99))]
    one, many = learnt(1, batches), learnt(n_jobs, batches)
    assert_array_equal(chi2(many), chi2(one))
    assert many.nbytes == one.nbytes


def test_questions_wait_for_other_threads(slow):
    expected = chi2(learnt(1, [*FIRST, rows(2)]))
    slow.set()
    summary = learnt(2, FIRST)
    slow.clear()
    summary.update(Batch(*rows(2)))
    threading.Timer(0.2, slow.set).start()
    assert_array_equal(chi2(summary), expected)


@pytest.mark.parametrize("verb", [copy.deepcopy, lambda s: Quantiles.from_state(s.to_state())])
def test_copies_wait_too(slow, verb):
    slow.set()
    summary = learnt(2, FIRST)
    slow.clear()
    summary.update(Batch(*rows(2)))
    threading.Timer(0.2, slow.set).start()
    copied = verb(summary)
    assert_array_equal(chi2(copied), chi2(learnt(1, [*FIRST, rows(2)])))


def test_rows_that_are_not_ours_are_done_with_when_update_returns():
    X, y = rows(0, 8000)
    lent = X.copy(), y.copy()
    summary = learnt(2, [lent])
    for seed in range(1, 6):  # whole blocks, which are taken in without a copy
        lent = rows(seed)
        summary.update(Batch(*lent))
        lent[0][:] = 1e9
    expected = learnt(1, [rows(0, 8000), *(rows(seed) for seed in range(1, 6))])
    assert_array_equal(chi2(summary), chi2(expected))


def test_what_goes_wrong_in_another_thread_is_said_at_the_next_question(monkeypatch):
    summary, absorb = learnt(2, FIRST), Entries.absorb

    def fail(entries, *rest):
        if threading.current_thread() is not threading.main_thread():
            raise MemoryError("no room")
        return absorb(entries, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(Entries, "absorb", fail)
        summary.update(Batch(*rows(2)))
        for _ in range(2):  # it is not forgotten
            with pytest.raises(MemoryError, match="no room"):
                chi2(summary)


def ask(sieve, answers):
    answers.put(sieve.scores_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_all_that_was_learnt():
    X, y = rows(3, 12_500)
    sieve = Screening("chi2", epsilon=EPSILON, n_jobs=2).partial_fit(X[:8500], y[:8500])
    sieve.partial_fit(X[8500:], y[8500:])
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=ask, args=(sieve, answers))
    child.start()
    assert_array_equal(answers.get(timeout=60), sieve.scores_)
    child.join(60)


def test_states_with_other_shards_go_on():
    whole = learnt(1, FIRST)
    entries = Entries.joined_features(whole._shards.shards)
    state = whole.to_state()
    bounds = [0, 7, 150, FEATURES]
    parts = [entries.take(np.arange(lo, hi), np.zeros(0)) for lo, hi in itertools.pairwise(bounds)]
    state["shards"] = {"bounds": bounds, "shards": [part.to_state() for part in parts]}
    other = Quantiles.from_state(state)
    whole.update(Batch(*rows(2)))
    other.update(Batch(*rows(2)))
    assert_array_equal(chi2(other), chi2(whole))
    other.merge(whole)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_batch_is_not_taken_in_at_all(n_jobs, form, monkeypatch):
    first = [(form(X), y) for X, y in FIRST]
    summary = learnt(n_jobs, first)
    then = rows(2, 5000)
    absorb, calls = Entries.absorb, []

    def absorb_until_interrupted(entries, *rest):
        if threading.current_thread() is threading.main_thread():
            calls.append(entries)
            if len(calls) == 3:  # when other shards, or other blocks, are done with already
                signal.raise_signal(signal.SIGINT)
        return absorb(entries, *rest)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Entries, "absorb", absorb_until_interrupted)
        summary.update(Batch(form(then[0]), np.where(then[1] == 1, "new", "old")), fade=0.5)
    expected = learnt(1, first)
    assert summary.classes == expected.classes
    assert_array_equal(chi2(summary), chi2(expected))
    for each in (summary, expected):
        each.update(Batch(form(then[0]), then[1]))
    assert_array_equal(chi2(summary), chi2(expected))
    assert summary.nbytes == expected.nbytes
