"""Summaries that are wrong in one verb each, and selectors that claim too much or too little, are
caught by the laws."""

import numpy as np
import pytest

from driftsieve import Fading, Screening
from driftsieve.scores.moments import fisher
from driftsieve.scores.registry import SCORES, register
from driftsieve.summaries.moments import Moments
from driftsieve.testing import LAWS, selector_subject, summary_subject
from driftsieve.testing.data import FEATURES


class NeverFades(Moments):
    def fade(self, factor):
        pass


class FadesTheNewRowsToo(Moments):
    def update(self, batch, fade=1.0):
        super().update(batch)
        self.fade(fade)


class StaysInPlace(Moments):
    def rearrange(self, places, n_features):
        super().rearrange(np.arange(len(places)), n_features)


class ForgetsItsScale(Moments):
    def to_state(self):
        return {**super().to_state(), "scale": 1.0}


class MergesUnfaded(Moments):
    def merge(self, other):
        copy = type(self).from_state({**other.to_state(), "scale": 1.0})
        super().merge(copy)


@pytest.fixture
def scored():
    """Give a summary a score for the time of a test."""
    yield lambda summary: register("wrong", summary)(lambda moments: fisher(moments))
    SCORES.pop("wrong", None)  # and no other: what was imported meanwhile does not register again


def broken(subject):
    names = set()
    for law in LAWS:
        try:
            law(subject)
        except AssertionError:
            names.add(law.__name__)
    return names


@pytest.mark.parametrize(
    ("summary", "law"),
    [
        (NeverFades, "fading_shrinks_weights"),
        (FadesTheNewRowsToo, "fading_shrinks_weights"),
        (StaysInPlace, "features_may_change_places"),
        (ForgetsItsScale, "states_go_on"),
        (MergesUnfaded, "merging_continues"),
    ],
)
def test_what_is_wrong_is_caught(summary, law, scored):
    scored(summary)
    alone = broken(summary_subject(summary, FEATURES, "wrong"))
    assert law in alone | broken(selector_subject(Screening("wrong", k=3, memory=Fading(0.99))))


@pytest.mark.parametrize(
    ("claim", "laws"),
    [
        ({"merges": False}, {"merging_continues"}),
        (
            {"takes_missing": False},
            {"refused_batches_change_nothing", "columns_may_come_and_go"},
        ),
    ],
)
def test_what_claims_to_refuse_and_does_not_is_caught(claim, laws, monkeypatch):
    for name, value in claim.items():
        monkeypatch.setattr(Screening, name, value)
    assert broken(selector_subject(Screening("fisher", k=3))) == laws
