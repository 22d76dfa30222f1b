"""The laws for quantile summaries that have joined what they hold.

The rows of the laws are so few that ordinary summaries let them wait, and are exact. Here blocks
are small: entries are joined again and again, and answers that may differ are ranks, which may do
so by twice epsilon.
"""

from dataclasses import replace

import numpy as np
import pytest

from driftsieve.scores.tables import chi2
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles
from driftsieve.testing import LAWS, laws, summary_subject
from driftsieve.testing.data import FEATURES, stream

PROBES = np.linspace(-2, 4, 13)


class Small(Quantiles):
    def __init__(self, n_features, n_jobs=1, *, epsilon=0.05, categories=None):
        super().__init__(n_features, n_jobs, epsilon=epsilon, categories=categories)

    def _block_rows(self):
        return 16

    def _sparse_block(self):
        return 30


class SmallLevels(LevelQuantiles):
    def __init__(self, n_features, n_jobs=1, *, epsilon=0.2, categories=None):
        super().__init__(n_features, n_jobs, epsilon=epsilon, categories=categories)

    def _sparse_block(self):
        return 30


def ranks(summary):
    """The ranks of some values in each feature; NaN where the feature has no score either."""
    found = np.array([_parts(summary, j) for j in range(summary.n_features)]).T
    found[:, np.isnan(chi2(summary))] = np.nan
    return found


def _parts(summary, feature):
    weights = summary.below(feature, [*PROBES, 1e300]).sum(axis=1)
    return weights[:-1] / weights[-1] if weights[-1] else np.full(len(PROBES), np.nan)


def subject(summary):
    exact = summary_subject(summary, FEATURES, summary.__name__)
    return replace(exact, answers=ranks, within=2 * summary(1).epsilon + 1e-9, affine=False)


SUBJECTS = [subject(Small), subject(SmallLevels)]
WITH_SCORES = [
    summary_subject(summary, FEATURES, summary.__name__) for summary in (Small, SmallLevels)
]
EXACTLY = (
    laws.batching_does_not_matter,
    laws.place_and_scale_do_not_matter,
    laws.columns_and_classes_are_only_names,
    laws.states_go_on,
    laws.inputs_are_left_alone,
    laws.refused_batches_change_nothing,
    laws.fading_shrinks_weights,
    laws.features_may_change_places,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_law_of_ranks(subject, law):
    law(subject)


@pytest.mark.parametrize("law", EXACTLY, ids=lambda law: law.__name__)
@pytest.mark.parametrize("subject", WITH_SCORES, ids=lambda subject: subject.name)
def test_law_of_scores(subject, law):
    """What leaves blocks as they are leaves scores as they are."""
    law(subject)


@pytest.mark.parametrize("summary", [Small, SmallLevels])
def test_laws_are_put_to_summaries_that_have_joined_entries(summary):
    learnt = summary(FEATURES)
    learnt.update(stream(missing=0.1))
    assert any(entries.joined.all() for entries, _, _ in learnt._shards.lists(FEATURES))


class DropsWhatIsJoined(Small):
    """Wrong by more than the bound: at every block, what is in doubt is forgotten."""

    def _absorb(self, block):
        super()._absorb(block)
        self._shards.each(
            lambda entries, lo, hi: replace(
                entries, weights=np.where(entries.uncertainty > 0, 0, entries.weights)
            )
        )


def test_what_is_wrong_is_caught():
    broken = []
    for law in LAWS:
        try:
            law(subject(DropsWhatIsJoined))
        except AssertionError:
            broken.append(law.__name__)
    assert {"weights_count_rows", "forms_of_data_do_not_matter"} <= set(broken)
