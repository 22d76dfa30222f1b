"""Quantile summaries against all rows kept, over the input space, step by step."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Batch, Fading
from driftsieve.remembered import remember
from driftsieve.scores.tables import mutual_information
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles
from tests.naive.quantiles import Rows
from tests.summaries.guarantee import COMPILED, ENGINES, assert_guarantee

KINDS = [Quantiles, LevelQuantiles]
FEATURES = 3

values = st.one_of(
    st.sampled_from([0.0, -0.0, np.nan, 1.0, -1.0, 2.0**24 + 1, 3.4e38, -3.4e38, 5e-324, 1e100]),
    st.integers(-3, 3).map(float),
    st.floats(-1e6, 1e6),
)


@st.composite
def streams(draw):
    """Rows, weights, where batches end, and which of them are sparse or of float32."""
    rows = draw(st.integers(1, 40))
    X = draw(arrays(np.float64, (rows, FEATURES), elements=values))
    y = draw(arrays(np.int64, rows, elements=st.integers(0, 6)))
    weight = draw(arrays(np.float64, rows, elements=st.sampled_from([0.0, 0.25, 1.0, 3.0])))
    cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=4)))
    forms = draw(st.lists(st.sampled_from([np.asarray, sparse.csr_array]), min_size=5, max_size=5))
    fades = draw(st.lists(st.sampled_from([1.0, 1.0, 0.5, 0.25]), min_size=5, max_size=5))
    return X, y, weight, list(zip([0, *cuts], [*cuts, rows], forms, fades))


def with_all_zeros(X):
    """The CSR form of a matrix in which every other zero is an entry."""
    csr = sparse.csr_array(X)
    keep = sparse.coo_array(np.where((X == 0) & (np.indices(X.shape).sum(0) % 2 == 0), 1.0, X))
    stored = keep.tocsr()
    stored.data = X[np.repeat(np.arange(len(X)), np.diff(stored.indptr)), stored.indices]
    assert np.array_equal(stored.toarray(), csr.toarray(), equal_nan=True)
    return stored


@given(streams(), st.sampled_from(KINDS), st.integers(2, 6))
def test_few_rows_give_exact_tables_whatever_the_batches_forms_and_weights(stream, kind, bins):
    X, y, weight, parts = stream
    summary, rows = kind(FEATURES), Rows(FEATURES)
    for lo, hi, form, fade in parts:
        matrix = with_all_zeros(X[lo:hi]) if form is sparse.csr_array else X[lo:hi]
        summary.update(Batch(matrix, y[lo:hi], weight[lo:hi]), fade)
        rows.update(X[lo:hi], y[lo:hi], weight[lo:hi], fade)
    assert_tables(summary, rows, bins)


def assert_tables(summary, rows, bins=5, rtol=1e-12):
    found = summary.tables(bins)
    for j in range(found.n_features):
        expected, edges = rows.table(j, max(summary.classes, default=0) + 1, bins)
        assert_allclose(found.table(j), expected[:, summary.classes], rtol=rtol)
        assert_array_equal(found.edges(j), edges)


@given(streams(), st.sampled_from(KINDS))
def test_categories_have_a_bin_each(stream, kind):
    X, y, weight, parts = stream
    categories = np.array([True, False, True])
    summary, rows = kind(FEATURES, categories=categories), Rows(FEATURES)
    for lo, hi, form, fade in parts:
        summary.update(Batch(form(X[lo:hi]), y[lo:hi], weight[lo:hi]), fade)
        rows.update(X[lo:hi], y[lo:hi], weight[lo:hi], fade)
    found = summary.tables()
    for j in range(FEATURES):
        expected, _ = rows.table(j, 7, categorical=categories[j])
        table = found.table(j)
        if categories[j]:
            table = table[table.sum(axis=1) > 0]
        assert_allclose(table, expected[:, summary.classes], rtol=1e-12)


# Sparse rows


def sparse_stream(rows=900, seed=3):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((rows, 6)) < 0.15, rng.standard_normal((rows, 6)).round(1), 0.0)
    X[:, 1] = np.abs(X[:, 1])  # no value below the zeros
    X[:, 2] = -np.abs(X[:, 2])  # none above
    X[:, 3] = 0.0
    X[:, 4] = rng.integers(1, 50, rows)  # no zeros
    X[rng.random(rows) < 0.1, 5] = np.nan
    return X, rng.integers(0, 3, rows), rng.random(rows) + 0.1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fade", [1.0, 0.97, 0.7])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_zeros_enter_when_asked_for(kind, fade, mixed, weighted):
    """Equal to naive row weights to 1e-9, in sparse rows alone and together with dense ones."""
    X, y, weight = sparse_stream(600)
    summary, rows = kind(6), Rows(6)
    for i in range(0, 600, 20):
        w = fade ** np.arange(19.0, -1, -1) * (weight[i : i + 20] if weighted else 1)
        form = np.asarray if mixed and i % 40 else sparse.csr_array
        part, labels = X[i : i + 20], y[i : i + 20]
        summary.update(Batch(form(part), labels, None if (w == 1).all() else w), fade**20)
        rows.update(part, labels, w, fade**20)
    assert_tables(summary, rows, rtol=1e-9)
    assert summary.nbytes <= summary.most_bytes(rows.weight.sum())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", ["sparse", "mixed"])
@pytest.mark.parametrize("fade", [1.0, 0.97])
def test_sparse_rows_keep_the_guarantee(engine, form, fade):
    make, epsilon = ENGINES[engine]
    rng = np.random.default_rng(5)
    n = 1500 if COMPILED else 500
    X = rng.standard_normal((n, 4)) + np.array([0, 0, 1, 9])
    X[rng.random((n, 4)) > [0.1, 0.5, 0.9, 1]] = 0.0
    X[rng.random(n) < 0.1, 2] = np.nan
    y = rng.integers(0, 2, n)
    summary, rows = make(4, epsilon=epsilon), Rows(4)
    for lo in range(0, n, 50):
        part = slice(lo, lo + 50)
        matrix = X[part] if form == "mixed" and lo % 150 == 0 else sparse.csr_array(X[part])
        summary.update(Batch(matrix, y[part]), fade)
        rows.update(X[part], y[part], None, fade)
    assert_holds_with_zeros(summary, rows, epsilon)


def assert_holds_with_zeros(summary, rows, epsilon):
    for j in range(rows.X.shape[1]):
        W = rows.mass(j)
        probes = np.append(
            rows.X[::7, j][~np.isnan(rows.X[::7, j])], [0.0, -9.0, 99.0, 1e-9, -1e-9]
        )
        found = summary.below(j, probes)
        assert np.abs(found.sum(axis=1) - rows.ranks(j, probes)[1]).max() <= (epsilon + 1e-9) * W
        present, _ = rows.by_class(j, len(summary.classes))
        assert_allclose(found[-3], present[summary.classes], rtol=1e-9)


@pytest.mark.parametrize("weight", [0.1, 0.7])
def test_a_sparse_column_that_is_always_there_has_no_zeros(weight):
    """However the sums are rounded: a constant says nothing, and must not seem to say something."""
    n = 1_000_000 if COMPILED else 10_000
    X = np.column_stack([np.full(n, 5.0), np.arange(n) % 3 + 1.0])
    summary = Quantiles(2)
    for rows in np.array_split(np.arange(n), 100):
        w = np.full(len(rows), weight)
        summary.update(Batch(sparse.csr_array(X[rows]), rows % 2, w))
    assert np.isnan(mutual_information(summary)[0])
    assert (summary.below(1, [0.0, 0.5]) == 0).all()


# Weights and fading


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_faded_away_is_no_value_any_more(kind):
    rng = np.random.default_rng(0)
    summary, anew = kind(1), kind(1)
    summary.update(Batch(rng.random((3000, 1)), np.arange(3000) % 2))
    X, y = np.repeat([1.5, 2.5, 3.5], [1, 8, 1])[:, None], np.arange(10) % 2
    summary.update(Batch(X, y), fade=0.0)
    anew.update(Batch(X, y))
    assert_array_equal(summary.tables().counts, anew.tables().counts)
    assert_array_equal(summary.tables().edges(0), anew.tables().edges(0))
    assert_array_equal(summary.quantiles(0, [0, 0.5, 1]), [1.5, 2.5, 3.5])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_categories_that_have_faded_away_take_no_memory(engine, form):
    """Each row brings a new one."""
    make, epsilon = ENGINES[engine]
    rows, entries = 40 * 100, []
    X = np.stack([np.arange(rows) + 1.0, np.arange(rows) % 5 - 2.0], axis=1)
    faded = remember(
        lambda n: make(n, epsilon=epsilon, categories=np.ones(2, bool)), 2, Fading(0.5)
    )
    for part in np.array_split(np.arange(rows), 40):
        faded.update(Batch(form(X[part]), part % 2))
        entries.append(sum(shard.n_entries for shard in faded.summary._shards.shards))
        faded.summary.require_sound()
        assert faded.nbytes <= faded.most_bytes
    assert max(entries) < 1000
    table = faded.summary.tables().table(0)
    assert_allclose(np.sort(table.sum(axis=1))[::-1][:50], 0.5 ** np.arange(50))


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_categories_stay_within_their_formula(kind):
    summary = kind(1, epsilon=0.1, categories=np.ones(1, bool))
    n = 60_000 if COMPILED else 3000
    for rows in np.array_split(np.arange(n), 10):
        summary.update(Batch(rows[:, None].astype(float), rows % 2))
        assert summary.nbytes <= summary.most_bytes(rows[-1] + 1)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [340, 600])
def test_a_class_that_has_faded_away_is_forgotten_however_rows_are_batched(kind, form, rows):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((rows, 2)), np.minimum(np.arange(rows) // 6, 1)
    tables = []
    for size in (rows, 90, 1):
        faded = remember(kind, 2, Fading(0.5))
        for i in range(0, rows, size):
            faded.update(Batch(form(X[i : i + size]), y[i : i + size]))
        tables.append(faded.summary.tables())
    for other in tables[1:]:
        assert_allclose(other.counts, tables[0].counts, rtol=1e-9)
        assert_array_equal(other.upper, tables[0].upper)


@pytest.mark.parametrize("size", [2.0**-300, 2.0**-200, 2.0**200, 2.0**300])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_may_be_very_large_or_small(size, form):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 2)).round(2), rng.integers(0, 3, 3000)
    make, epsilon = ENGINES["compact"]
    unit, scaled = make(2, epsilon=epsilon), make(2, epsilon=epsilon)
    unit.update(Batch(form(X), y))
    scaled.update(Batch(form(X), y, weight=np.full(3000, size)))
    assert_allclose(scaled.tables().counts, unit.tables().counts * size)


def test_billions_of_rows_do_not_overflow():
    """Merged with itself again and again: a column of values, one of missing ones, one of both."""
    make, epsilon = ENGINES["compact"]
    X = np.column_stack(
        [np.full(400, 7.0), np.full(400, np.nan), np.where(np.arange(400) % 2, np.nan, 1)]
    )
    summary = make(3, epsilon=epsilon)
    summary.update(Batch(X, np.zeros(400, int)))
    small = copy.deepcopy(summary)
    for doubled in range(1, 27):
        summary.merge(copy.deepcopy(summary))
        n = 400.0 * 2**doubled
        assert_array_equal(
            summary.tables().counts.sum(axis=(1)).reshape(3, 5).sum(axis=1), [n, 0, n / 2]
        )
        other = copy.deepcopy(small)
        other.merge(summary)
        assert_array_equal(other.below(0, [7.0]), [[n + 400]])
        wider = copy.deepcopy(summary)
        wider.rearrange(np.array([0, 1, 2]), 4)
        wider.update(Batch(sparse.csr_array(np.ones((1, 4))), np.zeros(1, int)))
        assert_array_equal(wider.below(3, [1.0]), [[1.0]])


@pytest.mark.parametrize("missing", [0.0, 0.7])
def test_counts_grow_beyond_any_whole_number_that_holds_them(missing):
    """Joined entries: row by row as far as that is quick, and then by merging."""
    make, epsilon = ENGINES["compact"]
    rng = np.random.default_rng(0)
    n = 140_000 if COMPILED else 3000
    X, y = rng.standard_normal((n, 1)), np.minimum(rng.integers(0, 90, n), 2)
    X[rng.random(n) < missing] = np.nan
    summary, rows = make(1, epsilon=epsilon), Rows(1)
    for part in np.array_split(np.arange(n), 7):
        summary.update(Batch(X[part], y[part]))
        rows.update(X[part], y[part])
        assert_guarantee(summary, rows, epsilon)
    for _ in range(26):
        summary.merge(copy.deepcopy(summary))
        rows.weight *= 2
        assert_guarantee(summary, rows, epsilon)


@pytest.mark.parametrize("value", [3.0, np.nan])
def test_one_heavy_value_beside_many_light_ones(value):
    """Which comes when all is joined, and outweighs everything at once."""
    make, epsilon = ENGINES["compact"]
    rng = np.random.default_rng(0)
    n = 70_000 if COMPILED else 2000
    X = np.append(rng.standard_normal(1000), np.full(n, value))[:, None]
    y = np.arange(len(X)) % 2
    summary, rows = make(1, epsilon=epsilon), Rows(1)
    summary.update(Batch(X, y))
    rows.update(X, y)
    assert_guarantee(summary, rows, epsilon)
    first = make(1, epsilon=epsilon)
    first.update(Batch(X[:1000], y[:1000]))
    heavy = make(1, epsilon=epsilon)
    heavy.update(Batch(X[1000:], y[1000:]))
    first.merge(heavy)
    assert_guarantee(first, rows, epsilon)


def test_a_feature_of_one_over_epsilon_values_stays_exact_however_merged():
    """Missing values beside them are no value."""
    rng = np.random.default_rng(0)
    make, epsilon = ENGINES["compact"]
    summary, rows = make(1, epsilon=epsilon), Rows(1)
    for _ in range(6):
        X, y = rng.integers(0, 50, (400, 1)).astype(float), rng.integers(0, 2, 400)
        X[::9] = np.nan
        other = make(1, epsilon=epsilon)
        other.update(Batch(X, y))
        summary.merge(other)
        rows.update(X, y)
    assert len(np.unique(rows.column(0)[0])) == 50
    assert_tables(summary, rows, bins=7)
    assert_array_equal(summary.below(0, np.arange(50)).sum(axis=1), rows.ranks(0, np.arange(50))[1])


# Verbs


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_may_come_late(kind):
    summary, rows = kind(2, epsilon=0.05), Rows(2)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 2)).round(1), np.zeros(1000, int)
    summary.update(Batch(X, y, np.full(1000, 1000.0)))
    rows.update(X, y, np.full(1000, 1000.0))
    X, y = np.array([[9.0, -9.0], [0.05, np.nan]]), np.array([1, 2])
    summary.update(Batch(X, y))
    rows.update(X, y)
    assert summary.classes == [0, 1, 2]
    assert_guarantee(summary, rows, 0.05)
    assert_array_equal(
        summary.tables().counts.reshape(2, 5, 3).sum(axis=1), [[1e6, 1, 1], [1e6, 1, 0]]
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", KINDS)
def test_merging_with_itself_is_merging_with_a_copy(kind, form):
    rng = np.random.default_rng(0)
    summary = kind(2, epsilon=0.05)
    summary.update(Batch(form(rng.standard_normal((333, 2))), rng.integers(0, 2, 333)))
    twice = copy.deepcopy(summary)
    twice.merge(copy.deepcopy(summary))
    summary.merge(summary)
    assert_array_equal(summary.tables().counts, twice.tables().counts)
    assert summary.tables().counts.sum() == 2 * 2 * 333


def test_blocks_may_become_smaller_while_dense_rows_wait_beside_sparse_ones():
    class Sparse(Quantiles):
        def _sparse_block(self):
            return 500

    rng = np.random.default_rng(0)
    n = 3000
    X, y = rng.standard_normal((n, 2)), rng.integers(0, 2, n)
    tables = []
    for size in (n, 130, 7):
        summary, rows = Sparse(2, epsilon=0.01), Rows(2)
        for form, parts in ((np.asarray, X[:2500]), (sparse.csr_array, X[2500:]), (np.asarray, X)):
            for lo in range(0, len(parts), size):
                part = parts[lo : lo + size]
                labels = y[: len(parts)][lo : lo + size]
                summary.update(Batch(form(part), labels))
                rows.update(part, labels)
                if form is sparse.csr_array:
                    summary = Sparse.from_state(copy.deepcopy(summary.to_state()))
        assert_guarantee(summary, rows, 0.01)
        tables.append(summary.tables())
    for other in tables[1:]:
        assert_array_equal(other.counts, tables[0].counts)


def test_float32_and_float64_of_the_same_values_give_the_same_tables():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((900, 3)).astype(np.float32), rng.integers(0, 2, 900)
    make, epsilon = ENGINES["compact"]
    single, double, both = (make(3, epsilon=epsilon) for _ in range(3))
    single.update(Batch(X, y))
    double.update(Batch(X.astype(float), y))
    for i in range(0, 900, 30):
        both.update(
            Batch(X[i : i + 30].astype([np.float32, np.float64][i // 30 % 2]), y[i : i + 30])
        )
    for other in (double, both):
        assert_array_equal(other.tables().counts, single.tables().counts)
        assert_array_equal(other.tables().upper, single.tables().upper)
    assert single.nbytes < double.nbytes


def test_threads_give_the_same_tables():
    rng = np.random.default_rng(0)
    n, p = (9000, 200) if COMPILED else (100, 130)
    X, y = rng.standard_normal((n, p)).astype(np.float32), rng.integers(0, 3, n)
    tables = []
    for n_jobs in (1, 2, 5):
        summary = Quantiles(p, n_jobs, epsilon=0.01)
        summary.update(Batch(X, y))
        tables.append(summary.tables())
    for other in tables[1:]:
        assert_array_equal(other.counts, tables[0].counts)
        assert_array_equal(other.upper, tables[0].upper)


# Bad input


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_refused_batches_leave_every_part_as_it_was(kind, form):
    summary = kind(2, epsilon=0.1)
    summary.update(Batch(form(np.array([[1.0, 2.0], [3.0, 0.0]])), np.array([0, 1])))
    before = copy.deepcopy(summary.to_state())
    for value, words in ((np.inf, "holds an infinity in row 1"), (1e200, "1e\\+200 in row 1")):
        with pytest.raises(ValueError, match=words):
            X = form(np.array([[1.0, 1.0], [value, 1.0]]))
            summary.update(Batch(X, np.array([0, "new"], dtype=object)), fade=0.5)
    with pytest.raises(ValueError, match="infinity"):
        summary.update(Batch(form(np.array([[np.inf, 1.0]])), np.array([0]), np.zeros(1)))
    with pytest.raises(ValueError, match="more than 1000 classes"):
        summary.update(Batch(form(np.ones((1500, 2))), np.linspace(0, 1, 1500)), fade=0.5)
    with pytest.raises(ValueError, match="3 features, not 2"):
        summary.update(Batch(form(np.ones((1, 3))), np.zeros(1)))
    with pytest.raises(ValueError, match="y is missing"):
        summary.update(Batch(form(np.ones((1, 2)))))
    with pytest.raises(ValueError, match="cannot be merged"):
        summary.merge(kind(3))
    for factor in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            summary.fade(factor)
    after = summary.to_state()
    assert before["labels"] == after["labels"] == [0, 1]
    assert before["scale"] == after["scale"] == 1.0
    assert str(before) == str(after)


def test_questions_that_have_no_answer():
    summary = Quantiles(2)
    assert np.isnan(summary.quantiles(0, [0.5])).all()
    assert np.isnan(summary.tables().edges(1)).all()
    assert summary.below(1, [0.0]).shape == (1, 0)
    for feature in (-1, 2):
        with pytest.raises(IndexError, match=f"no feature {feature} among 2"):
            summary.quantiles(feature, [0.5])
        with pytest.raises(IndexError, match=f"no feature {feature} among 2"):
            summary.below(feature, [0.5])
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            summary.quantiles(0, [0.5, q])
