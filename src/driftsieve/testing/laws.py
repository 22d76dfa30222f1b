"""The laws. Each takes a `Subject` and raises AssertionError where it is broken.

That compiled kernels equal their naive twins, with the JIT and without (law 11), is a matter of
kernels, not of subjects: the project's own test suite sees to it.
"""

from collections.abc import Callable

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.border import as_batch
from driftsieve.memory import Fading, Window
from driftsieve.testing.data import FEATURES, ROWS, arrays_of, pieces, stream
from driftsieve.testing.merging import merging_continues, merging_nothing_changes_nothing
from driftsieve.testing.subjects import CLOSE, Subject
from driftsieve.testing.verbs import (
    columns_may_come_and_go,
    fading_shrinks_weights,
    features_may_change_places,
)


def batching_does_not_matter(subject: Subject) -> None:
    """Law 1: any split of the rows gives the same answers."""
    whole = stream(missing=subject.share_missing)
    expected = subject.answers(subject.after(whole))
    uneven = [whole.take(slice(a, b)) for a, b in zip((0, 3, 3, 64), (3, 3, 64, ROWS))]
    for split in (pieces(whole, 1), pieces(whole, 7), pieces(whole, 40), uneven):
        assert_allclose(subject.answers(subject.after(*split)), expected, rtol=CLOSE)


def weights_count_rows(subject: Subject) -> None:
    """Law 3: weight 2 is the row twice, weight 0 is the row absent.

    Of what learns in steps, so many rows at a time, this is true of the rows of one step.
    """
    if subject.memory is not None:
        return  # there a repeated row is one tick older, and an absent row ticks too
    rows = ROWS if subject.step is None else min(ROWS, subject.step // 2)  # twice of each at most
    batch = stream(rows=rows)
    weight = np.random.default_rng(4).integers(0, 3, rows)
    weighted = batch.replace(weight=weight.astype(float))
    repeated = batch.take(np.repeat(np.arange(rows), weight))
    expected = subject.after(repeated)
    subject.assert_alike(subject.after(weighted), expected)
    new_class = Batch(np.ones((1, FEATURES)), np.array([99]), weight=np.zeros(1))
    subject.assert_alike(subject.after(weighted, new_class), expected)


def memory_is_row_weights(subject: Subject) -> None:
    """Law 4: fading and windows are row weights, on one clock for all classes and features."""
    if subject.memory is None:
        return
    batch = stream(missing=subject.share_missing)
    age = ROWS - 1 - np.arange(ROWS)
    if isinstance(subject.memory, Fading):
        every = subject.memory.every
        weight = subject.memory.alpha ** ((ROWS - 1) // every - np.arange(ROWS) // every)
    else:
        weight = (age < subject.memory.rows).astype(float)
    plain = subject.begin().set_params(memory=None)
    plain.learn(batch.replace(weight=weight))
    for form in (np.asarray, sparse.csr_array):
        parts = [part.replace(X=form(part.X)) for part in pieces(batch, 9)]
        subject.assert_alike(subject.after(*parts), plain, rtol=1e-8)


def forgetting_nothing_is_no_memory(subject: Subject) -> None:
    """Law 4: alpha = 1, or a window longer than the stream, equals no memory."""
    if subject.memory is None:
        return
    batch = stream()
    expected = subject.answers(subject.begin().set_params(memory=None).learn(batch))
    for memory in (Fading(1.0), Window(10 * ROWS)):
        selector = subject.begin().set_params(memory=memory).learn(batch)
        assert_allclose(subject.answers(selector), expected, rtol=CLOSE)


def place_and_scale_do_not_matter(subject: Subject) -> None:
    """Law 5: adding 1e8 to a column, or scaling it, changes no score that should not change."""
    if not subject.affine:
        return
    batch = stream(missing=subject.share_missing)
    X = np.round(np.asarray(batch.X) * 2**10) / 2**10  # so that adding 1e8 loses no digits
    expected = subject.answers(subject.after(*pieces(batch.replace(X=X), 16)))
    mirrored = [X * -(2.0**-60)] if subject.mirror else []
    for moved in (X + 1e8, X - 1e8, X * 2.0**60, *mirrored):
        answers = subject.answers(subject.after(*pieces(batch.replace(X=moved), 16)))
        assert_allclose(answers, expected, rtol=1e-6)


def columns_and_classes_are_only_names(subject: Subject) -> None:
    """Law 6: permuting columns permutes the scores; renaming the classes changes nothing."""
    batch = stream(missing=subject.share_missing)
    expected = subject.answers(subject.after(batch))
    if not subject.draws:
        order = np.random.default_rng(5).permutation(FEATURES)
        permuted = batch.replace(X=np.asarray(batch.X)[:, order])
        assert_allclose(subject.answers(subject.after(permuted)), expected[:, order], rtol=CLOSE)
    if subject.supervised and not subject.numbers and batch.y is not None:
        for names in (["b", "c", "a"], [(2, 1), "2", 2], [True, -1.5, b"x"]):
            labels = np.empty(ROWS, dtype=object)
            labels[:] = [names[label] for label in batch.y]
            renamed = subject.answers(subject.after(batch.replace(y=labels)))
            assert_allclose(renamed, expected, rtol=CLOSE)


def states_go_on(subject: Subject) -> None:
    """Law 7: a state round trip is exact, and going on equals never having stopped."""
    first, then = pieces(stream(1, missing=subject.share_missing), 40), pieces(stream(2), 11)
    stopped, never = subject.after(*first), subject.after(*first)
    resumed = subject.round_trip(stopped)
    assert_array_equal(subject.answers(resumed), subject.answers(never))
    for batch in then:
        subject.learn(resumed, batch)
        subject.learn(never, batch)
    assert_array_equal(subject.answers(resumed), subject.answers(never))
    assert resumed.nbytes == never.nbytes


def memory_is_bounded(subject: Subject) -> None:
    """Law 8: however long the stream, its bytes stay within the documented formula."""
    for rows in (2 * ROWS, 20 * ROWS):
        learner = subject.after(*pieces(stream(rows=rows), 20))
        assert 0 < learner.nbytes <= subject.most_bytes(learner, rows)


def undefined_is_nan(subject: Subject) -> None:
    """Law 9: constant columns, one class, no rows, nothing but missing: NaN and never a crash."""
    for value in (0.0, 0.1, -1e8, 1e-300, *([np.nan] if subject.missing else [])):
        batch = stream()
        X = np.asarray(batch.X).copy()
        X[:, 2] = value
        for batches in ([batch.replace(X=X)], pieces(batch.replace(X=X), 7)):
            learner = subject.after(*batches)
            answers = subject.answers(learner)
            assert np.isnan(answers[:, 2]).all(), f"a column of {value} scores {answers[:, 2]}"
            assert not hasattr(learner, "ranking_") or learner.ranking_[2] == FEATURES
            assert not np.isnan(np.delete(answers, 2, axis=1)).any()
        if np.isfinite(value):
            csr = batch.replace(X=sparse.csr_array(X))
            answers = subject.answers(subject.after(*pieces(csr, 7)))
            assert np.isnan(answers[:, 2]).all(), f"sparse, a column of {value}: {answers[:, 2]}"
    if subject.supervised:
        one_class = stream().replace(y=np.zeros(ROWS, dtype=int))
        assert np.isnan(subject.answers(subject.after(one_class))).all()
    assert np.isnan(subject.answers(subject.after(stream().take(slice(0, 0))))).all()
    one_row = subject.answers(subject.after(stream().take(slice(0, 1))))
    assert np.isnan(one_row).all() or not subject.supervised


def inputs_are_left_alone(subject: Subject) -> None:
    """Law 10: inputs are neither changed nor kept; no global seed is touched; runs repeat."""
    weight = np.linspace(0, 2, ROWS)
    weight = np.round(weight) if subject.whole_weights else weight
    batch = stream(missing=subject.share_missing).replace(weight=weight)
    assert batch.y is not None and batch.weight is not None
    for X in (np.asarray(batch.X), sparse.csr_array(np.nan_to_num(np.asarray(batch.X)))):
        mine = batch.replace(X=X.copy(), y=batch.y.copy(), weight=batch.weight.copy())
        held = arrays_of(mine)
        copies = [array.copy() for array in held]
        for array in held:
            array.flags.writeable = False
        random = np.random.get_state()  # noqa: NPY002
        learner = subject.after(mine)
        answers = subject.answers(learner).copy()
        for before, after in zip(copies, held):
            assert_array_equal(before, after)
        for array in held:
            array.flags.writeable = True
            array[...] = 1
        assert_array_equal(subject.answers(learner), answers)
        assert_array_equal(subject.answers(subject.round_trip(learner)), answers)
        now = np.random.get_state()  # noqa: NPY002
        assert all(np.array_equal(a, b) for a, b in zip(random, now))
        again = subject.after(batch.replace(X=X))
        assert_array_equal(subject.answers(again), answers)


def forms_of_data_do_not_matter(subject: Subject) -> None:
    """Law 12: dense, CSR, data frame and dict rows of the same data give the same scores."""
    import polars as pl

    batch = stream()
    X, y = np.asarray(batch.X), batch.y
    expected = subject.after(batch)
    names = [f"f{j}" for j in range(FEATURES)]
    table = pl.DataFrame({name: X[:, j] for j, name in enumerate(names)})
    forms = (
        np.asfortranarray(X),
        sparse.csr_array(X),
        sparse.coo_matrix(X),
        table,
        table.to_dicts(),
    )
    for form in forms:
        whole = as_batch(form, y)
        for batches in ([whole], pieces(whole, 13)):
            subject.assert_alike(subject.after(*batches), expected, rtol=1e-8)
    half = ROWS // 2
    mixed = [as_batch(sparse.csr_array(X[:half]), y[:half]), as_batch(X[half:], y[half:])]  # type: ignore[index]
    subject.assert_alike(subject.after(*mixed), expected, rtol=1e-8)
    narrow = X.astype(np.float32)
    single = subject.answers(subject.after(as_batch(narrow, y)))
    double = subject.answers(subject.after(as_batch(narrow.astype(float), y)))
    assert_allclose(single, double, rtol=1e-8)


def refused_batches_change_nothing(subject: Subject) -> None:
    """The contract of `update` and `learn`: a batch is taken in whole or not at all."""
    learner, never = subject.after(stream(1)), subject.after(stream(1))
    X = np.asarray(stream(2).X)
    infinite = X.copy()
    infinite[ROWS - 1, 4] = -np.inf
    y = stream(2).y
    for bad in (
        Batch(infinite, y),
        Batch(infinite.astype(np.float32), y),
        Batch(sparse.csr_array(infinite), y),
        Batch(X[:, :3], y),
        *([Batch(X)] if subject.supervised else []),
        *([Batch(X, y, np.full(ROWS, 0.5))] if subject.whole_weights else []),
        *([] if subject.missing else [Batch(np.where(X.max() == X, np.nan, X), y)]),
    ):
        try:
            subject.learn(learner, bad)
        except ValueError:
            pass
        else:
            raise AssertionError("a bad batch was taken in")
    for batch in pieces(stream(3), 50):
        subject.learn(learner, batch)
        subject.learn(never, batch)
    assert_array_equal(subject.answers(learner), subject.answers(never))


LAWS: tuple[Callable[[Subject], None], ...] = (
    batching_does_not_matter,
    merging_continues,
    merging_nothing_changes_nothing,
    weights_count_rows,
    memory_is_row_weights,
    forgetting_nothing_is_no_memory,
    place_and_scale_do_not_matter,
    columns_and_classes_are_only_names,
    states_go_on,
    memory_is_bounded,
    undefined_is_nan,
    inputs_are_left_alone,
    forms_of_data_do_not_matter,
    refused_batches_change_nothing,
    fading_shrinks_weights,
    features_may_change_places,
    columns_may_come_and_go,
)


def check(subject: Subject) -> None:
    """Put one subject to all laws."""
    for law in LAWS:
        law(subject)
