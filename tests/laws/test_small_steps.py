"""The laws for sketches that have lost something.

The rows of the laws are so few, and their features, that sketches of the usual size lose nothing.
Here they are smaller than the features are many, and take a step every few rows. What they answer
with is the energy of each feature, which may differ by what they say themselves, where rows were
merged or weighted.
"""

from dataclasses import replace

import numpy as np
import pytest

from driftsieve.summaries.sketch import FrequentDirections
from driftsieve.testing import LAWS, laws, summary_subject
from driftsieve.testing.data import FEATURES, stream


class Small(FrequentDirections):
    step = 7

    def __init__(self, n_features, n_jobs=1, *, size=3, unit=False, fill=True, seed=0):
        super().__init__(n_features, n_jobs, size=size, unit=unit, fill=fill, seed=seed)


def energies(summary):
    """The energy of each feature in the sketch; NaN where it has not varied."""
    directions, _ = summary.directions()
    found = np.sum(directions**2, axis=1)
    found[~summary.varied.mask] = np.nan
    return found[None]


def subject():
    exact = summary_subject(Small, FEATURES, "Small")
    lost = Small(FEATURES)
    for seed in (1, 2, 3):
        lost.update(stream(seed))
    return replace(
        exact,
        answers=energies,
        within=2 * lost.covariance_error(),
        affine=False,
        supervised=False,
    )


EXACTLY = (
    laws.batching_does_not_matter,
    laws.columns_and_classes_are_only_names,
    laws.states_go_on,
    laws.inputs_are_left_alone,
    laws.refused_batches_change_nothing,
    laws.fading_shrinks_weights,
    laws.features_may_change_places,
    laws.forms_of_data_do_not_matter,
    laws.merging_nothing_changes_nothing,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law):
    law(subject())


@pytest.mark.parametrize("law", EXACTLY, ids=lambda law: law.__name__)
def test_what_leaves_rows_as_they_are_leaves_answers_as_they_are(law):
    law(replace(subject(), within=0.0))


def test_laws_are_put_to_a_sketch_that_has_lost_something():
    learnt = Small(FEATURES)
    learnt.update(stream())
    assert learnt.covariance_error() > 0.1 * energies(learnt).max()


class ForgetsToFadeWhatWaits(Small):
    def fade(self, factor):
        rows = self._rows
        super().fade(factor)
        rows.scale(1 / np.sqrt(factor)) if factor else None


class LosesWhatWaits(Small):
    def merge(self, other):
        waiting = other._rows
        other._rows = type(waiting)()
        super().merge(other)
        other._rows = waiting


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (ForgetsToFadeWhatWaits, "fading_shrinks_weights"),
        (LosesWhatWaits, "merging_nothing_changes_nothing"),
    ],
)
def test_what_is_wrong_is_caught(wrong, law):
    broken = []
    for each in EXACTLY:
        try:
            each(replace(subject(), begin=lambda: wrong(FEATURES), within=0.0))
        except AssertionError:
            broken.append(each.__name__)
    assert law in broken
