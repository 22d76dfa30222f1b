"""The laws of driftsieve, as functions that anything which claims a contract can be put to.

`check(subject)` puts one thing to all of them; `everything()` finds every summary and selector
that driftsieve has, by reflection. A new one is checked from the moment it exists; one of your own
is checked by `check(selector_subject(MySelector(k=3)))`.
"""

from driftsieve.testing.laws import LAWS, check
from driftsieve.testing.subjects import (
    Subject,
    everything,
    selector_subject,
    selector_subjects,
    summary_subject,
    summary_subjects,
)

__all__ = [
    "LAWS",
    "Subject",
    "check",
    "everything",
    "selector_subject",
    "selector_subjects",
    "summary_subject",
    "summary_subjects",
]
