"""Every summary and selector that exists is put to every law."""

import pytest

from driftsieve.testing import LAWS, everything
from driftsieve.testing.data import FEATURES

SUBJECTS = list(everything(FEATURES))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_law(subject, law):
    law(subject)
