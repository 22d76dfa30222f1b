"""Parameters that change amid a stream: those that may, and those that may not."""

import copy

import numpy as np
import polars as pl
import pytest

from driftsieve import Fading, Hysteresis, Screening, TopK, Window, load

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


@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(100)])
def test_threads_may_change_and_outlive_a_state_file(memory, tmp_path, monkeypatch):
    used = []
    monkeypatch.setattr(
        "driftsieve.summaries.class_moments.over_blocks",
        lambda work, n, values, n_jobs: (used.append(n_jobs), work(0, n)),
    )
    sieve = Screening(n_jobs=2, memory=memory).partial_fit(X, Y)
    sieve.save(tmp_path / "s")
    for then in (sieve, load(tmp_path / "s"), sieve.set_params(n_jobs=3)):
        del used[:]
        assert np.isfinite(then.partial_fit(X, Y).scores_).all()
        assert used
        assert set(used) == {then.n_jobs}
    with pytest.raises(ValueError, match="n_jobs must be a whole number"):
        sieve.set_params(n_jobs="all").partial_fit(X, Y)


def test_a_bad_score_is_refused_before_anything_is_learnt(tmp_path):
    sieve = Screening("t", k=Hysteresis(2, 1, every=30)).partial_fit(X[:30], Y[:30])
    sieve.save(tmp_path / "before")
    with pytest.raises(ValueError, match="there is no score 'none'"):
        sieve.set_params(score="none").partial_fit(X[30:], Y[30:])
    sieve.set_params(score="t").save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@pytest.mark.parametrize("memory", [None, Fading(0.9), Fading(0.9, every=5), Window(70)])
def test_merging_with_itself_is_merging_with_a_copy(memory):
    sieve = Screening("t", memory=memory).partial_fit(X, Y)
    expected = copy.deepcopy(sieve).merge(copy.deepcopy(sieve)).scores_
    assert np.array_equal(sieve.merge(sieve).scores_, expected)
    assert sieve.n_samples_seen_ == 120


def test_columns_are_described_when_they_change_only():
    sieve = Screening("t", features="open").partial_fit(X, Y)
    described = sieve.feature_names_in_
    assert sieve.partial_fit(X, Y).feature_names_in_ is described
    wider = X.with_columns(new=pl.col("x0"))
    assert sieve.partial_fit(wider, Y).feature_names_in_.tolist() == wider.columns
