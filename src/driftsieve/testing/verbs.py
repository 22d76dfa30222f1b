"""Laws of single verbs: fading, rearranging, and columns that come and go."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from driftsieve.batch import Batch
from driftsieve.testing.data import FEATURES, pieces, stream
from driftsieve.testing.subjects import CLOSE, Subject


def fading_shrinks_weights(subject: Subject) -> None:
    """Law 4, of summaries: fading is to multiply the weights of all rows seen."""
    summary = subject.begin()
    if not hasattr(summary, "fade"):
        return
    parts = pieces(stream(missing=subject.share_missing), 40)
    for part, fade in zip(parts, (1.0, 1.0, 0.5, 0.25)):
        summary.update(part, fade)
    summary.fade(0.125)
    subject.learn(summary, stream(1))
    weights = (2.0**-6, 2.0**-6, 2.0**-5, 2.0**-3)
    weighted = [p.replace(weight=np.full(p.n_rows, w)) for p, w in zip(parts, weights)]
    expected = subject.answers(subject.after(*weighted, stream(1)))
    assert_allclose(subject.answers(summary), expected, rtol=CLOSE)


def features_may_change_places(subject: Subject) -> None:
    """Law 6, of summaries: features keep what is known of them, and of new ones nothing is."""
    summary, wider = subject.after(stream(missing=subject.share_missing)), FEATURES + 2
    if not hasattr(summary, "rearrange"):
        return
    known = subject.answers(summary)
    places = np.random.default_rng(6).permutation(wider)[:FEATURES]
    summary.rearrange(places, wider)
    answers = subject.answers(summary)
    assert_allclose(answers[:, places], known, rtol=CLOSE)
    assert np.isnan(np.delete(answers, places, axis=1)).all()
    later = stream(1)
    subject.learn(summary, later.spread(places, wider))
    expected = subject.answers(subject.after(stream(missing=subject.share_missing), later))
    assert_allclose(subject.answers(summary)[:, places], expected, rtol=CLOSE)


def columns_may_come_and_go(subject: Subject) -> None:
    """Open columns are told by their names, and one that is absent is missing in those rows.

    Where nothing may be missing, it is refused.
    """
    selector = subject.begin()
    if not hasattr(selector, "get_params") or "features" not in selector.get_params():
        return
    batch = stream(missing=subject.share_missing)
    X, names = np.asarray(batch.X).copy(), np.array(list("abcdef"))
    selector.set_params(features="open")
    parts = [[0, 1, 2, 3], [4, 3, 2, 1, 0, 5], [5, 0], [2, 0, 3, 5, 1, 4]]
    for number, columns in enumerate(parts):
        rows = slice(number * 40, number * 40 + 40)
        part = batch.take(rows).replace(X=X[rows][:, columns], names=tuple(names[columns]))
        if number and not subject.missing:
            _assert_refused(subject, selector, part)
            return
        subject.learn(selector, part)
        X[rows, [[j] for j in range(FEATURES) if j not in columns]] = np.nan
    expected = subject.answers(subject.after(batch.replace(X=X)))
    assert_allclose(subject.answers(selector), expected, rtol=CLOSE)


def _assert_refused(subject: Subject, selector: Any, batch: Batch) -> None:
    before = subject.answers(selector)
    try:
        subject.learn(selector, batch)
    except ValueError:
        assert_array_equal(subject.answers(selector), before)
    else:
        raise AssertionError("missing columns were taken in")
