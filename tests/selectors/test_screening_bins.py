"""Screening by bins: input that is odd or bad, and how near to exact bins the answers are."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve import Fading, Screening, Window
from tests.naive import quantiles as naive

SCORES = ["mutual_information", "chi2", "gini"]
TWINS = {
    "mutual_information": naive.mutual_information,
    "chi2": naive.chi2,
    "gini": naive.gini_decrease,
}
RNG = np.random.default_rng(0)
Y = np.arange(200) % 2
GOOD = RNG.standard_normal(200) + 3 * Y
NOISE = RNG.standard_normal(200)

score = pytest.mark.parametrize("score", SCORES)


def fitted(score, *columns, y=Y, dtype=float, **parameters):
    X = np.column_stack(columns).astype(dtype)
    return Screening(score, k=1, **parameters).fit(X, y)


def exact(score, column, y, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    known = ~np.isnan(column)
    table, _ = naive.table(column[known], y[known], weight[known], int(y.max()) + 1)
    return TWINS[score](table)


@score
def test_missing_values_are_in_no_bin(score):
    column = np.where(np.arange(200) % 3 == 0, np.nan, GOOD)
    sieve = fitted(score, column, NOISE, np.full(200, np.nan))
    assert_allclose(sieve.scores_[0], exact(score, column, Y))
    assert sieve.tables_.table(0).sum() == np.isfinite(column).sum()
    assert np.isnan(sieve.scores_[2])
    assert np.isnan(sieve.bin_edges_[2]).all()
    assert sieve.ranking_.tolist() == [1, 2, 3]


@score
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, -1e8, 1e-300, 5e-324, 1e100])
def test_constant_columns_have_no_score(score, value, form):
    X = np.column_stack([np.full(200, value), GOOD])
    sieve = Screening(score, k=2).fit(form(X), Y)
    assert np.isnan(sieve.scores_[0])
    assert sieve.selection_.names == ("x1",)
    assert_array_equal(sieve.bin_edges_[0], np.full(6, value))


@score
def test_one_class_only(score):
    sieve = fitted(score, GOOD, NOISE, y=np.zeros(200, int))
    assert np.isnan(sieve.scores_).all()
    assert len(sieve.selection_) == 0
    sieve.partial_fit(np.ones((1, 2)), [1])
    assert np.isfinite(sieve.scores_).all()


@score
def test_a_class_that_appears_once(score):
    y = np.where(np.arange(200) == 77, 2, Y)
    assert_allclose(fitted(score, GOOD, y=y).scores_, exact(score, GOOD, y))


@score
def test_weights_of_zero(score):
    weight = np.where(np.arange(200) < 20, 0.0, 1.0)
    y = np.where(np.arange(200) < 20, 5, Y)
    X = np.column_stack([GOOD, NOISE])
    sieve = Screening(score, k=1).partial_fit(X, y, sample_weight=weight)
    assert sieve.classes_ == [0, 1]
    assert_array_equal(sieve.scores_, Screening(score, k=1).fit(X[20:], Y[20:]).scores_)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        Screening(score, k=1).fit(X, y, sample_weight=np.zeros(200))


@score
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_largest_and_the_smallest_numbers(score, dtype, form):
    largest = 3.4e38 if dtype == np.float32 else 9.9e99
    smallest = float(np.finfo(dtype).smallest_subnormal)
    wide = np.choose(np.arange(200) % 4 + 4 * (GOOD > 2), [-largest, -1, 1, largest] * 2)
    tiny = np.where(GOOD > 1.5, smallest, -smallest) * (1 + np.arange(200) % 3)
    X = np.column_stack([wide, tiny, GOOD]).astype(dtype)
    sieve = Screening(score, k=1).fit(form(X), Y)
    assert_allclose(sieve.scores_, [exact(score, column.astype(float), Y) for column in X.T])
    assert sieve.bin_edges_[0][0] == -dtype(largest)
    assert sieve.bin_edges_[1][-1] == tiny.max()
    assert sieve.scores_[1] > 0


@score
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e101])
@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(150)])
def test_what_is_infinite_or_too_large_is_refused_and_changes_nothing(
    score, form, value, memory, tmp_path
):
    X = np.column_stack([GOOD, NOISE])
    sieve = Screening(score, k=1, memory=memory).fit(form(X), Y)
    sieve.save(tmp_path / "before")
    bad = X.copy()
    bad[7, 1] = value
    with pytest.raises(ValueError, match=r"column 1 holds .* in row 7"):
        sieve.partial_fit(form(bad), ["new"] * 200)
    sieve.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@score
def test_zeros_with_a_sign_are_zeros(score):
    signed = np.where(Y, 0.0, -0.0)
    assert np.isnan(fitted(score, signed).scores_[0])
    mixed = np.where(np.arange(200) % 3, signed, GOOD)
    assert_array_equal(fitted(score, mixed).scores_, fitted(score, mixed + 0.0).scores_)
    assert np.signbit(fitted(score, signed).bin_edges_[0]).any() == False  # noqa: E712
    csr = sparse.csr_array((signed, (np.arange(200), np.zeros(200, int))), shape=(200, 1))
    assert csr.nnz == 200
    assert np.isnan(Screening(score, k=1).fit(csr, Y).scores_[0])


@score
def test_a_million_equal_values(score):
    """Beside a few others, which have their own bins; and rows of them alone say nothing."""
    n = 1_000_000
    column = np.full((n, 2), 7.0)
    column[:: n // 100, 0] = np.arange(100) % 3
    y = (np.arange(n) % 2).astype(int)
    y[:: n // 100] = column[:: n // 100, 0] == 2
    sieve = Screening(score, k=1)
    for rows in np.array_split(np.arange(n), 50):
        sieve.partial_fit(column[rows], y[rows])
    assert_allclose(sieve.scores_[0], exact(score, column[:, 0], y), rtol=1e-9)
    assert np.isnan(sieve.scores_[1])
    assert sieve.tables_.table(1).sum(axis=0).tolist() == np.bincount(y).tolist()


@pytest.mark.parametrize("summary", ["quantiles", "levels"])
@score
@pytest.mark.parametrize("epsilon", [0, 0.5, -0.1, 1, float("nan"), True, "0.1", None, 1j])
def test_bad_epsilon(score, summary, epsilon):
    with pytest.raises(ValueError, match=r"epsilon must .*0 and 0.5, not"):
        Screening(score, epsilon=epsilon, summary=summary).fit(GOOD[:, None], Y)


@score
@pytest.mark.parametrize("bins", [1, 0, -3, 2.5, True, "5", None, float("nan")])
def test_bad_bins(score, bins):
    with pytest.raises(ValueError, match="bins must be a whole number"):
        Screening(score, bins=bins).fit(GOOD[:, None], Y)
    sieve = Screening(score, k=1).fit(GOOD[:, None], Y).set_params(bins=bins)
    with pytest.raises(ValueError, match="bins must be a whole number"):
        _ = sieve.scores_
    with pytest.raises(ValueError, match="bins must be a whole number"):
        sieve.partial_fit(GOOD[:, None], Y)


@pytest.mark.parametrize("summary", ["quantiles", "levels"])
@pytest.mark.parametrize("epsilon", [9e-10, 1e-14, 1e-300, 5e-324])
def test_epsilon_too_small(summary, epsilon):
    with pytest.raises(ValueError, match=f"epsilon must be at least 1e-09, not {epsilon}"):
        Screening("chi2", epsilon=epsilon, summary=summary).fit(GOOD[:, None], Y)


@pytest.mark.parametrize("summary", ["quantiles", "levels"])
def test_the_least_epsilon_takes_no_more_room_than_there_are_rows(summary):
    X = np.column_stack([GOOD] * 1000)
    sieve = Screening("chi2", epsilon=1e-9, summary=summary)
    for _ in range(30):
        sieve.partial_fit(X, Y)
    assert sieve.nbytes < 2 * 30 * X.nbytes
    assert_allclose(sieve.scores_[0], 30 * exact("chi2", GOOD, Y))


@score
@pytest.mark.parametrize("bins", [100_001, 10**9, 2**70])
def test_bins_without_number(score, bins):
    with pytest.raises(ValueError, match=f"bins must be at most 100,000, not {bins}"):
        Screening(score, bins=bins).fit(GOOD[:, None], Y)


@score
def test_bins_may_change_and_more_than_rows(score):
    sieve = fitted(score, GOOD, NOISE)
    for bins in (2, 17, 10_000):
        anew = Screening(score, k=1, bins=bins).fit(np.column_stack([GOOD, NOISE]), Y)
        assert_array_equal(sieve.set_params(bins=bins).scores_, anew.scores_)
    assert len(sieve.bin_edges_[0]) == 10_001


@score
def test_k_beyond_the_features_selects_all_that_have_a_score(score):
    assert len(fitted(score, GOOD, NOISE, np.ones(200)).set_params(k=99).selection_) == 2


@score
@pytest.mark.parametrize("summary", ["moments", "none", 3])
def test_bad_summaries(score, summary):
    with pytest.raises(ValueError, match=r"cannot be had from 'moments'|there is no summary"):
        Screening(score, summary=summary).fit(GOOD[:, None], Y)


@score
def test_target_that_is_numeric(score):
    with pytest.raises(ValueError, match="more than 1000 classes"):
        Screening(score).fit(np.ones((1500, 1)), np.linspace(0, 1, 1500))


@score
def test_a_class_after_a_million_rows(score):
    sieve = Screening(score, k=1)
    X = np.column_stack([GOOD, NOISE])
    for _ in range(2):
        sieve.partial_fit(X, Y, sample_weight=np.full(200, 5000.0))
    sieve.partial_fit([[99.0, 0.0]], [7])
    assert sieve.classes_ == [0, 1, 7]
    assert sieve.tables_.table(0)[-1].tolist()[-1] == 1.0
    y, weight = np.append(Y, 7), np.append(np.full(200, 10_000.0), 1.0)
    assert_allclose(sieve.scores_[0], exact(score, np.append(GOOD, 99.0), y, weight), rtol=1e-9)


@score
def test_whole_numbers_beyond_what_a_type_can_tell_apart(score):
    """Neighbours at 2^24 are one value in float32, and told apart in float64 and int64."""
    codes = 2**24 + Y
    assert np.isnan(fitted(score, codes, dtype=np.float32).scores_[0])
    for dtype in (np.float64, np.int64):
        assert fitted(score, codes, dtype=dtype).scores_[0] > 0.4
    table = pl.DataFrame({"code": codes})
    assert Screening(score, k=1).fit(table, Y).scores_[0] > 0.4


# Categories


@score
@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(150)])
@pytest.mark.parametrize("summary", ["quantiles", "levels"])
def test_categories_are_their_own_bins(score, memory, summary):
    code = RNG.integers(0, 60, 300)
    y = (code % 7 == 0).astype(int)
    X = np.column_stack([code, RNG.standard_normal(300)])
    sieve = Screening(score, k=1, memory=memory, summary=summary, categorical=[0])
    for rows in np.array_split(np.arange(300), 7):
        sieve.partial_fit(X[rows], y[rows])
    age = np.arange(299.0, -1, -1)
    weight = {None: np.ones(300), Fading(0.99): 0.99**age, Window(150): age < 150}[memory]
    table, edges = naive.table(X[:, 0], y, weight.astype(float), 2, categorical=True)
    assert_allclose(sieve.scores_[0], TWINS[score](table), rtol=1e-9)
    assert_array_equal(np.unique(sieve.bin_edges_[0]), np.unique(edges))


@score
@pytest.mark.parametrize("memory", [None, Fading(0.99), Window(150)])
def test_categorical_columns_may_come_later_where_columns_are_open(score, memory):
    code, y = RNG.integers(0, 60, 120), np.arange(120) % 2
    sieve = Screening(
        score, k=1, memory=memory, features="open", categorical=["town", "day", "never"]
    )
    sieve.partial_fit(pl.DataFrame({"day": code[:60], "x": GOOD[:60]}), y[:60])
    sieve.partial_fit(pl.DataFrame({"x": GOOD[60:120], "town": code[60:]}), y[60:])
    bins = {name: len(sieve.bin_edges_[j]) for j, name in enumerate(sieve.feature_names_in_)}
    assert bins["x"] == 6
    assert bins["day"] > 20
    assert bins["town"] > 20


@score
def test_categories_stay_apart_when_merged(score):
    code, y = np.arange(6000) % 3000, (np.arange(6000) % 3000 % 5 == 0).astype(int)
    halves = [Screening(score, k=1, epsilon=0.1, categorical=["c"]) for _ in range(2)]
    for half, rows in zip(halves, np.array_split(np.arange(6000), 2)):
        half.partial_fit(pl.DataFrame({"c": code[rows]}), y[rows])
    merged = halves[0].merge(halves[1])
    counts = merged.tables_.table(0)
    assert (counts[counts.sum(axis=1) > 0].sum(axis=1) == 2).all()
    assert (counts.sum(axis=1) > 0).sum() == 3000
    with pytest.raises(ValueError, match="categorical differs"):
        merged.merge(Screening(score, epsilon=0.1).fit(pl.DataFrame({"c": code}), y))


@pytest.mark.parametrize("change", [{"epsilon": 0.01}, {"summary": "levels"}])
def test_summaries_of_another_make_are_not_merged(change):
    sieve = Screening("chi2", k=1).fit(GOOD[:, None], Y)
    with pytest.raises(ValueError, match=f"{next(iter(change))} differs"):
        sieve.merge(Screening("chi2", k=1, **change).fit(GOOD[:, None], Y))


# As near to exact bins as the paper says


def tables_differ(sieve, expected):
    """The largest difference of a bin's weight from that of the exact bin, in parts of all."""
    found = sieve.tables_
    return [
        np.abs(found.table(j) - table[:, found.classes]).max() / table.sum()
        for j, table in enumerate(expected)
    ]


def exact_tables(X, y):
    return [naive.table(column, y, np.ones(len(y)), 2)[0] for column in X.T]


def generated(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    continuous = rng.standard_normal((n, 12)) + y[:, None] * np.linspace(0, 0.6, 12)
    few = rng.integers(0, 4, (n, 4)) + (y[:, None] & (rng.random((n, 4)) < 0.2))
    counts = rng.poisson(40, (n, 4)) + y[:, None] * np.arange(4)
    return np.column_stack([continuous, few, counts]), y


@pytest.mark.parametrize("n", [187, 2600, 6000])
@pytest.mark.parametrize("epsilon", [0.001, 0.002])
@pytest.mark.parametrize("summary", ["quantiles", "levels"])
def test_bins_of_the_papers_sets_are_exact(n, epsilon, summary):
    """Table 4 of Wang & Barbu (2021): its dense sets have 187 to 6,000 rows."""
    X, y = generated(n)
    sieve = Screening("chi2", k=2, epsilon=epsilon, summary=summary)
    for rows in np.array_split(np.arange(n), 13):
        sieve.partial_fit(X[rows], y[rows])
    differ = tables_differ(sieve, exact_tables(X, y))
    if summary == "quantiles" or n * epsilon < 2:
        assert max(differ) == 0
    else:
        assert max(differ) <= 2 * epsilon


@pytest.fixture(scope="module")
def long_stream():
    X, y = generated(16 * 8200)
    X = X[:, [2, 7, 11, 15, 17]]
    return X, y, exact_tables(X, y)


@pytest.mark.parametrize("parts", [1, 16])
def test_long_streams_are_within_epsilon_of_exact_bins_and_rank_alike(parts, long_stream):
    """Discrete features exactly; of continuous ones each edge is off by epsilon at most."""
    (X, y, expected), epsilon = long_stream, 0.002
    sieves = []
    for rows in np.array_split(np.arange(len(y)), parts):
        sieves.append(Screening("chi2", k=2, epsilon=epsilon))
        for some in np.array_split(rows, 5):
            sieves[-1].partial_fit(X[some], y[some])
    sieve = sieves[0]
    for other in sieves[1:]:
        sieve.merge(other)
    differ = tables_differ(sieve, expected)
    assert 0 < max(differ[:3]) <= 2 * epsilon
    assert max(differ[3:]) == 0
    for score, twin in TWINS.items():
        offline = np.array([twin(table) for table in expected])
        sieve.set_params(score=score)
        assert_array_equal(sieve.selection_.indices, np.argsort(-offline)[:2])
        assert_allclose(sieve.scores_[3:], offline[3:], rtol=1e-9)
