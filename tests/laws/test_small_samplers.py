"""The laws for samplers that have dropped values.

The rows of the laws are so few that ordinary samplers keep all of them. Here a sampler keeps six
values. What leaves the draws as they are leaves all scores exactly as they are.
"""

import pytest

from driftsieve.summaries.samplers import EqualFrequency, ExponentialFrequency
from driftsieve.summaries.waiting import WaitingRows
from driftsieve.testing import laws, summary_subject
from driftsieve.testing.data import FEATURES, stream


class Few(ExponentialFrequency):
    def __init__(self, n_features, n_jobs=1, *, epsilon=1.0, horizon=2, seed=0):
        super().__init__(n_features, n_jobs, epsilon=epsilon, horizon=horizon, seed=seed)
        self._waiting = WaitingRows(16)


class FewEqual(EqualFrequency):
    def __init__(self, n_features, n_jobs=1, *, epsilon=1.0, horizon=2, seed=0, bins=4):
        super().__init__(n_features, n_jobs, epsilon=epsilon, horizon=horizon, seed=seed, bins=bins)
        self._waiting = WaitingRows(16)


EXACTLY = (
    laws.batching_does_not_matter,
    laws.merging_nothing_changes_nothing,
    laws.place_and_scale_do_not_matter,
    laws.columns_and_classes_are_only_names,
    laws.states_go_on,
    laws.inputs_are_left_alone,
    laws.refused_batches_change_nothing,
    laws.fading_shrinks_weights,
    laws.features_may_change_places,
    laws.forms_of_data_do_not_matter,
    laws.undefined_is_nan,
    laws.memory_is_bounded,
)


@pytest.mark.parametrize("law", EXACTLY, ids=lambda law: law.__name__)
@pytest.mark.parametrize("kind", [Few, FewEqual])
def test_law(kind, law):
    law(summary_subject(kind, FEATURES, kind.__name__))


@pytest.mark.parametrize("kind", [Few, FewEqual])
def test_laws_are_put_to_samplers_that_have_dropped_values(kind):
    summary = kind(FEATURES)
    summary.update(stream())
    assert summary._lists.n_entries < stream().n_rows * FEATURES * 0.9
