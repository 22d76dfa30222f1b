"""State files with a valid checksum whose content was made up: refused, before a kernel sees it."""

import numpy as np
import pytest
from scipy import sparse

from driftsieve import Hysteresis, Screening, Window, load
from driftsieve.state import StateError, load_state, save_state

X = np.random.default_rng(0).standard_normal((30, 4)).round(1)
Y = np.arange(30) % 3


def dense(memory=None):
    return Screening("t", k=Hysteresis(2, 1, every=5), memory=memory).partial_fit(X, Y)


def csr(memory=None):
    return Screening("t", k=2, memory=memory).partial_fit(sparse.csr_array(X), Y)


def bins():
    return Screening("chi2", k=2).partial_fit(X, Y)


def window():
    return dense(memory=Window(9))


def sparse_window():
    return csr(memory=Window(9))


def narrower(array):
    return np.ascontiguousarray(array[..., :-1])


def beyond(array):
    return array + 2


def summary(state):
    return state["learnt"]["summary"]


def piece(state):
    return state["learnt"]["pieces"][0]


def change(holder, key, how):
    holder[key] = how(holder[key])


FORGERIES = {
    "features": (dense, lambda s: s["columns"].update(count=5)),
    "features of a summary": (dense, lambda s: summary(s).update(n_features=10**9)),
    "more names than columns": (dense, lambda s: s["columns"].update(names=list("abcde"))),
    "a name twice": (dense, lambda s: s["columns"].update(names=list("abca"))),
    "open columns": (dense, lambda s: s["columns"].update(open=True)),
    "ajar": (dense, lambda s: s["parameters"].update(features="ajar")),
    "rule": (dense, lambda s: s["parameters"]["k"].update(rule="Luck")),
    "rows seen": (dense, lambda s: s.update(rows="30")),
    "rows seen by a memory": (dense, lambda s: s["learnt"].update(rows=None)),
    "rows seen by a window": (window, lambda s: s["learnt"].update(rows=-1)),
    "sparse or not": (bins, lambda s: summary(s).update(sparse={})),
    "held": (dense, lambda s: s.update(held=np.array([1, 4]))),
    "labels": (dense, lambda s: summary(s)["labels"].append(7)),
    "scale": (dense, lambda s: summary(s).update(scale=float("nan"))),
    "means": (dense, lambda s: change(summary(s)["dense"], 1, narrower)),
    "type of means": (dense, lambda s: change(summary(s)["dense"], 1, np.float32)),
    "cells": (csr, lambda s: change(summary(s)["sparse"], "cells", lambda a: a[:2].copy())),
    "rows": (csr, lambda s: change(summary(s)["sparse"], "rows", narrower)),
    "window": (window, lambda s: s["learnt"].update(n_features=3)),
    "rows of a window": (window, lambda s: change(piece(s), "X", narrower)),
    "classes of a window": (window, lambda s: change(piece(s), "y", lambda a: a - 1)),
    "weights of a window": (window, lambda s: piece(s).update(weight=-np.ones(1))),
    "columns of a window": (sparse_window, lambda s: change(piece(s), "indices", beyond)),
    "places of a window": (sparse_window, lambda s: change(piece(s), "indptr", beyond)),
}  # fmt: skip


@pytest.mark.parametrize(("made", "forge"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_state_is_refused(made, forge, tmp_path):
    path = tmp_path / "a.sieve"
    made().save(path)
    kind, state = load_state(path)
    save_state(path, kind, state)
    assert load(path).n_samples_seen_ == 30
    forge(state)
    save_state(path, kind, state)
    with pytest.raises(StateError, match=r"a\.sieve does not hold a valid Screening: "):
        load(path)
