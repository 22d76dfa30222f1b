"""Parameters that change amid a stream: those that may, and those that may not."""

import numpy as np
import polars as pl
import pytest

from driftsieve import Fading, Screening, TopK, Window, load

RNG = np.random.default_rng(0)
X = pl.DataFrame(RNG.standard_normal((60, 5)), schema=[f"x{j}" for j in range(5)])
Y = np.arange(60) % 2


@pytest.mark.parametrize(
    "change", [{"memory": Fading(0.9)}, {"memory": Window(9)}, {"features": "open"}]
)
def test_what_learning_depends_on_may_not_change(change, tmp_path):
    sieve = Screening().partial_fit(X, Y)
    scores = sieve.scores_
    name = next(iter(change))
    sieve.set_params(**change)
    for go_on in (
        lambda: sieve.partial_fit(X, Y),
        lambda: sieve.save(tmp_path / "s"),
        lambda: Screening(**change).merge(sieve),
        lambda: sieve.merge(Screening(**change).partial_fit(X, Y)),
    ):
        with pytest.raises(ValueError, match=f"{name} was .* when learning began and is"):
            go_on()
    assert np.array_equal(sieve.scores_, scores)
    assert not (tmp_path / "s").exists()
    original = Screening().get_params()[name]
    assert sieve.set_params(**{name: original}).partial_fit(X, Y).n_samples_seen_ == 120


def test_fit_begins_anew_under_new_parameters():
    sieve = Screening().fit(X, Y).set_params(memory=Window(9))
    assert sieve.fit(X, Y).partial_fit(X, Y).n_samples_seen_ == 120


@pytest.mark.parametrize("change", ["set_params", "assignment"])
def test_score_and_k_may_change_and_answers_follow(change):
    sieve = Screening("t", k=1).fit(X, Y)
    assert len(sieve.selection_) == 1
    if change == "assignment":
        sieve.score, sieve.k = "fisher", TopK(4)
    else:
        sieve.set_params(score="fisher", k=TopK(4))
    assert len(sieve.selection_) == 4
    assert np.array_equal(sieve.scores_, Screening("fisher").fit(X, Y).scores_)
    assert sieve.partial_fit(X, Y).n_samples_seen_ == 120


def test_a_loaded_selector_knows_what_it_began_with(tmp_path):
    Screening(memory=Window(9)).fit(X, Y).save(tmp_path / "s")
    sieve = load(tmp_path / "s").set_params(memory=None)
    with pytest.raises(ValueError, match="memory was Window"):
        sieve.partial_fit(X, Y)


def test_a_rule_without_a_hash():
    class First:
        every = None
        __hash__ = None

        def choose(self, scores, held=()):
            return np.array([0])

    assert Screening(k=First()).fit(X, Y).selection_.names == ("x0",)


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, None, "2"])
def test_bad_n_jobs(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a whole number"):
        Screening(n_jobs=n_jobs).fit(X, Y)
