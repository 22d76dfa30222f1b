"""A selector in river's hands: river's own checks, and a twin that does everything row by row."""

import copy
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import checks, linear_model

import driftsieve
from driftsieve import Fading, Hysteresis, Screening, Threshold, Window
from driftsieve.adapters.river import RiverSelector

SELECTORS = {
    "t": Screening("t", k=2),
    "fading": Screening("fisher", k=2, memory=Fading.half_life(30)),
    "window": Screening("t", k=2, memory=Window(40)),
    "steady": Screening("fisher", k=Hysteresis(2, slack=1, every=10), memory=Fading(0.98, every=5)),
}


@pytest.fixture(params=SELECTORS)
def selector(request):
    return copy.deepcopy(SELECTORS[request.param])


@pytest.fixture
def seeded():
    """River's checks draw from the global generator."""
    state = random.getstate()
    random.seed(0)
    yield
    random.setstate(state)


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize("refresh", [1, 25])
def test_river_finds_nothing_to_complain_about(selector, refresh):
    checks.check_estimator(RiverSelector(selector, refresh))


def rows(n=150, seed=0):
    """Rows of six features, of which two tell the classes apart, and each is there at times."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        y = bool(rng.integers(2))
        x = {key: rng.standard_normal() for key in "abcdef" if rng.random() < 0.8}
        if i > n / 3:
            x["late"] = rng.standard_normal() + 2 * y
        if "b" in x and i < n / 2:
            x["b"] += y
        yield x, y


class Twin:
    """The same, obviously: each row is a batch, and after every `refresh` rows one looks."""

    def __init__(self, selector, refresh):
        self.selector = copy.deepcopy(selector).set_params(features="open")
        self.refresh, self.seen, self.names = refresh, 0, None

    def learn(self, x, y):
        self.selector.partial_fit([dict(sorted(x.items()))], [y])
        self.seen += 1
        if self.seen % self.refresh == 0:
            self.names = self.selector.selection_.names

    def transform(self, x):
        return {key: x[key] for key in x if self.names is None or key in self.names}


@pytest.mark.parametrize("refresh", [1, 7, 1000])
def test_each_answer_is_that_of_the_plain_selector(selector, refresh):
    sieve, twin = RiverSelector(selector, refresh), Twin(selector, refresh)
    for x, y in rows():
        assert sieve.transform_one(x) == twin.transform(x)
        sieve.learn_one(x, y)
        twin.learn(x, y)
    np.testing.assert_allclose(sieve.learnt.scores_, twin.selector.scores_, rtol=1e-9)
    assert sieve.learnt.selection_.names == twin.selector.selection_.names


@pytest.mark.parametrize("refresh", [1, 7, 40])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_batches_and_questions_in_any_order_change_no_answer(selector, refresh, frame):
    sieve, twin = RiverSelector(selector, refresh), Twin(selector, refresh)
    rng = np.random.default_rng(refresh)
    stream = list(rows(300))
    while stream:
        chunk, stream = stream[: rng.integers(1, 30)], stream[30:]
        if rng.random() < 0.5:
            for x, y in chunk:
                sieve.learn_one(x, y)
        else:
            # A frame has the same columns in all rows; what is missing is NaN.
            keys = dict.fromkeys(key for x, _ in chunk for key in x)
            table = {key: [x.get(key, np.nan) for x, _ in chunk] for key in keys}
            sieve.learn_many(frame(table), pd.Series([y for _, y in chunk]))
        for x, y in chunk:
            twin.learn(x, y)
        if rng.random() < 0.3:
            assert set(sieve.learnt.feature_names_in_) == set(twin.selector.feature_names_in_)
        x = chunk[-1][0]
        assert sieve.transform_one(x) == twin.transform(x)
        kept = sieve.transform_many(frame([x]))
        assert list(kept.columns) == list(twin.transform(x))
    assert sieve.learnt.selection_.names == twin.selector.selection_.names


def test_before_anything_is_learnt_all_features_pass():
    sieve = RiverSelector(Screening(k=1))
    x = {"a": 1, 2: "text passes too"}
    assert sieve.transform_one(x) == x
    assert sieve.transform_one(x) is not x
    assert sieve.transform_many(pd.DataFrame([[1, 2]], columns=["a", "b"])).shape == (1, 2)
    sieve.learn_one({}, 0)  # no feature was ever seen
    assert sieve.transform_one(x) == x


def test_then_only_the_selected_ones_even_if_none_is():
    sieve = RiverSelector(Screening("t", k=Threshold(1e9)))
    for x, y in rows(50):
        sieve.learn_one(x, y)
    assert sieve.transform_one({"a": 1, "b": 2}) == {}
    assert sieve.transform_many(pd.DataFrame({"a": [1, 2]})).shape == (2, 0)


def test_values_pass_untouched_and_in_their_order():
    sieve = RiverSelector(Screening("t", k=2), refresh=100)
    for i in range(100):
        sieve.learn_one({"z": i % 2 + i / 1000, "a": i % 2 - i / 1000, "noise": i % 7}, i % 2)
    big = 10**40
    assert list(sieve.transform_one({"z": big, "noise": 0, "a": None}).items()) == [
        ("z", big),
        ("a", None),
    ]


def test_keys_need_not_be_strings():
    sieve = RiverSelector(Screening("t", k=2))
    for i in range(30):
        sieve.learn_one({0: i % 3, ("pair", 1): i % 2 + i / 100, "word": i % 5}, i % 2)
        sieve.learn_many(pd.DataFrame({2: [-i, i]}), [0, 1])
    assert sieve.transform_one({0: 1, ("pair", 1): 2, 2: 3}) == {("pair", 1): 2, 2: 3}
    assert list(sieve.transform_many(pd.DataFrame({0: [1], 2: [1]})).columns) == [2]
    with pytest.raises(ValueError, match=r"the features 0 and '0' would both be called '0'"):
        sieve.learn_one({"0": 1}, 0)
    with pytest.raises(ValueError, match="both be called '0'"):
        RiverSelector(Screening()).learn_one({"0": 1, 0: 1}, 0)
    with pytest.raises(ValueError, match="two columns are named '1'"):
        RiverSelector(Screening()).learn_many(pd.DataFrame([[1, 2]], columns=["1", 1]), [0])


def test_the_order_of_keys_does_not_decide_between_equal_scores():
    forward, backward = (RiverSelector(Screening("t", k=1)) for _ in range(2))
    for i in range(20):
        x = {"a": i % 2 + i / 10, "b": i % 2 + i / 10}
        forward.learn_one(x, i % 2)
        backward.learn_one(dict(reversed(x.items())), i % 2)
    assert forward.transform_one(x).keys() == backward.transform_one(x).keys() == {"a"}


BAD_ROWS = [
    ({"a": 1.0, "b": "red"}, 0, "the feature 'b' holds 'red': encode it"),
    ({"a": 1.0, "b": "2.5"}, 0, "the feature 'b' holds '2.5': encode it"),
    ({"a": 1.0, "b": [2.5]}, 0, r"the feature 'b' holds \[2.5\]: encode it"),
    ({"a": 1.0, "b": 1j}, 0, "the feature 'b' holds 1j: encode it"),
    ({"a": 1.0, "b": float("inf")}, 0, "the feature 'b' holds inf, which is too large"),
    ({"a": 1.0, "b": -(10**400)}, 0, "the feature 'b' holds -1000.*, which is too large"),
    ({"a": 1.0, "b": 2.0}, None, "label of row 0 is missing"),
    ({"a": 1.0, "b": 2.0}, float("nan"), "label of row 0 is missing"),
    ({"a": 1.0, "b": 2.0}, [1], "not hashable"),
]


@pytest.mark.parametrize(("x", "y", "reason"), BAD_ROWS)
def test_a_bad_row_is_refused_at_once_and_changes_nothing(x, y, reason):
    sieve = RiverSelector(Screening("t", k=1), refresh=10)
    for row, label in rows(15):
        sieve.learn_one(row, label)
    before = pickle.dumps(sieve)
    with pytest.raises(ValueError, match=reason):
        sieve.learn_one(x | {"new": 1}, y)
    assert pickle.dumps(sieve) == before


@pytest.mark.parametrize(
    ("X", "y", "reason"),
    [
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["red", "blue"]}), [0, 1], "column 'b' holds"),
        (pl.DataFrame({"a": [1.0, 2.0], "b": [np.inf, 0.0]}), [0, 1], "'b' holds an infinity in"),
        (pd.DataFrame({"a": [1.0, 2.0]}), [0], "X has 2 rows but y has 1 labels"),
        (pd.DataFrame({"a": [1.0, 2.0]}), None, "y is missing"),
    ],
)
@pytest.mark.parametrize("refresh", [1, 10])
def test_a_bad_mini_batch_is_refused_and_changes_nothing(X, y, reason, refresh):
    sieve = RiverSelector(Screening("t", k=1), refresh)
    for row, label in rows(15):
        sieve.learn_one(row, label)
    before = pickle.dumps(sieve)
    with pytest.raises(ValueError, match=reason):
        sieve.learn_many(X, y)
    assert pickle.dumps(sieve) == before


@pytest.mark.parametrize("refresh", [1, 7])
def test_a_row_that_the_selector_refuses_is_dropped_alone(refresh):
    sieve = RiverSelector(Screening("t", k=1), refresh)
    with pytest.raises(ValueError, match="more than 1000 classes"):
        for i in range(1300):
            sieve.learn_one({"a": i}, i % 1001)
    for i in range(10):
        sieve.learn_one({"a": i}, i)
    assert len(sieve.learnt.classes_) == 1000
    assert sieve.learnt.n_samples_seen_ == sieve._rows - 1


def test_what_is_no_selector_is_refused():
    with pytest.raises(TypeError, match="not a driftsieve selector"):
        RiverSelector(linear_model.LogisticRegression())
    with pytest.raises(TypeError, match="not a driftsieve selector"):
        RiverSelector(Screening)
    for refresh in (0, 2.5, True):
        with pytest.raises(ValueError, match="refresh must be a whole number"):
            RiverSelector(Screening(), refresh)


def test_missing_values_are_not_learnt():
    with_gaps, without = (RiverSelector(Screening("fisher", k=1)) for _ in range(2))
    for i in range(30):
        x = {"a": i % 2 + i / 10, "b": i % 3}
        with_gaps.learn_one(x | ({"a": None} if i % 5 == 3 else {}), i % 2)
        without.learn_one({"b": i % 3} if i % 5 == 3 else x, i % 2)
    assert with_gaps.learnt.scores_.tolist() == without.learnt.scores_.tolist()


def test_what_waits_is_no_view_of_the_frame():
    X = np.arange(12.0).reshape(6, 2) % 5
    sieve = RiverSelector(Screening("t", k=1), refresh=100)
    sieve.learn_many(pd.DataFrame(X, copy=False), pd.Series([0, 1] * 3))
    X[:] = 0
    assert (sieve.learnt.scores_ > 0).all()


def test_what_waits_is_bounded():
    sieve = RiverSelector(Screening("t", k=1))
    most = 0
    for i in range(600):
        sieve.learn_one({f"f{j}": i * j % 7 for j in range(2000)}, i % 2)
        most = max(most, sum(row.values.nbytes for row in sieve._held))
    assert most <= 2**20


def test_pickled_in_the_middle_it_goes_on(selector):
    sieve = RiverSelector(selector, refresh=7)
    for x, y in list(rows())[:75]:
        sieve.learn_one(x, y)
    again = pickle.loads(pickle.dumps(sieve))
    for x, y in list(rows())[75:]:
        for one in (sieve, again):
            one.learn_one(x, y)
        assert again.transform_one(x) == sieve.transform_one(x)
    assert again.learnt.selection_ == sieve.learnt.selection_


def test_the_selector_given_is_not_touched_and_a_clone_starts_afresh():
    selector = Screening("t", k=1)
    sieve = RiverSelector(selector)
    for x, y in rows(50):
        sieve.learn_one(x, y)
    assert not hasattr(selector, "n_features_in_")
    assert selector.features == "closed"
    assert not hasattr(sieve.clone().learnt, "n_features_in_")


def test_a_stored_selector_goes_on_in_river(tmp_path):
    stream = list(rows())
    half, whole = (RiverSelector(Screening("t", k=2), refresh=5) for _ in range(2))
    for x, y in stream[:70]:
        half.learn_one(x, y)
    half.learnt.save(tmp_path / "half.sieve")
    later = RiverSelector(driftsieve.load(tmp_path / "half.sieve"), refresh=5)
    assert later.transform_one(x) == half.transform_one(x)
    for x, y in stream[70:]:
        later.learn_one(x, y)
    for x, y in stream:
        whole.learn_one(x, y)
    np.testing.assert_allclose(later.learnt.scores_, whole.learnt.scores_)
    assert later.transform_one(x) == whole.transform_one(x)

    closed = Screening("t", k=1).partial_fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match='features="open"'):
        RiverSelector(closed)


def test_without_river_the_error_says_what_to_install():
    code = "import sys; sys.modules['river'] = None; import driftsieve.adapters.river"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: driftsieve.adapters.river needs river: pip install 'driftsieve[river]'"
    )
