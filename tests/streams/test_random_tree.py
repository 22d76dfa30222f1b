import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river.datasets import synth
from scipy import stats

from driftsieve import Screening
from driftsieve.contracts import Source
from driftsieve.streams import randomness
from driftsieve.streams.random_tree import RandomTree
from driftsieve.streams.registry import generator
from tests.naive import streams as naive
from tests.streams.laws import (
    all_rows,
    assert_batching_does_not_matter,
    assert_global_seed_untouched,
    assert_same_rows,
    assert_seek_is_exact,
)

SHAPES = {
    "defaults": {},
    "one-hot": {"one_hot": True, "n_classes": 3},
    "numbers only": {"n_cat_features": 0, "max_tree_depth": 9},
    "categories only": {"n_num_features": 0, "n_categories_per_feature": 2},
    "categories only, one-hot": {"n_num_features": 0, "one_hot": True},
    "a leaf": {"max_tree_depth": 0},
    "all used up": {"n_num_features": 0, "n_cat_features": 2, "max_tree_depth": 4},
    "leaves at once": {"first_leaf_level": 0, "fraction_leaves_per_level": 0.5},
    "never early": {"fraction_leaves_per_level": 0.0, "max_tree_depth": 4},
}
SURE = 1e-6
"""How unlikely a difference must be by chance."""


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def shape(request):
    return request.param


def twin(stream):
    return naive.random_tree(stream, randomness.generator(stream.seed, "RandomTree.tree"))


def decoded(stream, X):
    """Rows with a number for each category."""
    if not stream.one_hot:
        return X
    numbers = X[:, : stream.n_num_features]
    shape = len(X), stream.n_cat_features, stream.n_categories_per_feature
    ones = X[:, stream.n_num_features :].reshape(shape)
    assert set(np.unique(ones)) <= {0.0, 1.0} and (ones.sum(axis=2) == 1).all()
    return np.hstack([numbers, ones.argmax(axis=2)])


def test_is_a_source_with_the_columns_of_river_or_of_scikit_multiflow():
    stream = generator("tree", n_rows=250, batch=100, n_num_features=1, n_cat_features=2)
    assert isinstance(stream, RandomTree) and isinstance(stream, Source)
    assert [batch.position for batch in stream] == [100, 200, 250]
    assert stream.names == ("x_num_0", "x_cat_0", "x_cat_1") == next(iter(stream)).names
    x, _ = next(iter(synth.RandomTree(1, 1, n_num_features=1, n_cat_features=2)))
    assert stream.names == tuple(x)
    options = {"n_num_features": 1, "n_cat_features": 2, "n_categories_per_feature": 2}
    stream = RandomTree(one_hot=True, **options)
    assert stream.names == ("x_num_0", "x_cat_0_0", "x_cat_0_1", "x_cat_1_0", "x_cat_1_1")
    paper = RandomTree(n_rows=100, n_num_features=200, n_cat_features=50, one_hot=True)
    assert all_rows(paper).X.shape == (100, 450)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_labels_are_those_of_the_naive_tree(shape, seed):
    stream = RandomTree(n_rows=1_500, seed=seed, **shape)
    batch, tree = all_rows(stream), twin(stream)
    rows = decoded(stream, batch.X)
    np.testing.assert_array_equal(batch.y, [naive.tree_class(tree, row) for row in rows])


def test_encodings_are_of_the_same_rows():
    coded, one_hot = (RandomTree(n_rows=700, one_hot=one_hot, seed=6) for one_hot in (False, True))
    assert coded.n_features == 10 and one_hot.n_features == 30
    np.testing.assert_array_equal(all_rows(coded).X, decoded(one_hot, all_rows(one_hot).X))
    np.testing.assert_array_equal(all_rows(coded).y, all_rows(one_hot).y)


def test_rows_are_uniform():
    stream = RandomTree(n_rows=8_000, n_num_features=3, n_cat_features=3, seed=1)
    X = all_rows(stream).X
    for j in range(3):
        assert stats.kstest(X[:, j], "uniform").pvalue > SURE
        assert stats.chisquare(np.bincount(X[:, 3 + j].astype(int), minlength=5)).pvalue > SURE
    between = np.corrcoef(X.T)[np.triu_indices(6, 1)]
    assert np.abs(between).max() < 5 / np.sqrt(8_000)


@settings(deadline=None, max_examples=60)
@given(
    st.fixed_dictionaries(
        {
            "n_num_features": st.integers(0, 3),
            "n_cat_features": st.integers(0, 3),
            "n_categories_per_feature": st.integers(2, 3),
            "n_classes": st.integers(1, 3),
            "max_tree_depth": st.integers(0, 4),
            "first_leaf_level": st.integers(0, 3),
            "fraction_leaves_per_level": st.sampled_from([0.0, 0.3, 1.0]),
            "seed": st.integers(0, 50),
        }
    ).filter(lambda options: options["n_num_features"] + options["n_cat_features"])
)
def test_relevant_features_are_those_that_alone_can_change_a_class(options):
    stream = RandomTree(**options)
    expected = naive.tree_relevant(
        twin(stream),
        stream.n_num_features,
        stream.n_cat_features,
        stream.n_categories_per_feature,
    )
    assert set(stream.relevant_at(0)) == expected


def test_of_a_relevant_feature_every_one_hot_column_is_relevant_and_no_other():
    options = {"n_num_features": 0, "n_cat_features": 4, "n_categories_per_feature": 3}
    shares = []
    for seed in range(20):
        stream = RandomTree(one_hot=True, max_tree_depth=2, seed=seed, **options)
        tree, changed = twin(stream), set()
        for row in product(range(3), repeat=4):
            for feature, value in product(range(4), range(3)):
                other = (*row[:feature], value, *row[feature + 1 :])
                if naive.tree_class(tree, row) != naive.tree_class(tree, other):
                    changed |= {f"x_cat_{feature}_{row[feature]}", f"x_cat_{feature}_{value}"}
        assert {stream.names[j] for j in stream.relevant_at(0)} == changed
        shares.append(len(changed) / stream.n_features)
    assert any(0 < share < 1 for share in shares)


def test_a_split_whose_branches_are_the_same_is_not_relevant():
    found = 0
    for seed in range(300):
        options = {"n_num_features": 4, "n_cat_features": 0, "max_tree_depth": 2, "seed": seed}
        stream = RandomTree(**options)
        tree = twin(stream)
        labels = {leaf[1] for child in tree[2] for leaf in child[2]}
        if len(labels) == 1:
            found += 1
            assert len(stream.relevant_at(0)) == 0
            assert not all_rows(RandomTree(n_rows=5, **options)).relevant.any()
    assert found > 10


def test_trees_are_distributed_as_those_of_river():
    def of_river(node):
        if not node.children:
            return [0]
        return [1 + depth for child in node.children for depth in of_river(child)]

    def of_ours(tree):
        return [0] if tree[0] == "leaf" else [1 + d for child in tree[2] for d in of_ours(child)]

    options = {"n_num_features": 3, "n_cat_features": 4, "n_categories_per_feature": 3}
    mine, other = [], []
    for seed in range(400):
        mine.append(of_ours(twin(RandomTree(seed=seed, **options))))
        theirs = synth.RandomTree(seed, 0, **options)
        theirs._generate_random_tree()
        other.append(of_river(theirs.tree_root))
    for figure in (len, max, np.mean, lambda depths: depths.count(3), lambda depths: depths[0]):
        samples = [[figure(depths) for depths in trees] for trees in (mine, other)]
        assert stats.ks_2samp(*samples).pvalue > SURE
        assert abs(np.mean(samples[0]) - np.mean(samples[1])) <= 5 * np.hypot(
            *(stats.sem(sample) for sample in samples)
        )


def test_labels_are_those_of_rivers_tree_grown_from_ours():
    stream = RandomTree(n_rows=500, n_classes=4, seed=8)
    theirs = synth.RandomTree(0, 0, 4)
    theirs._generate_random_tree()
    Node = type(theirs.tree_root)

    def translated(tree):
        if tree[0] == "leaf":
            return Node(class_label=tree[1])
        node = Node(split_feature_idx=tree[0], split_feature_val=tree[1])
        node.children = [translated(child) for child in tree[2]]
        return node

    root, batch = translated(twin(stream)), all_rows(stream)
    for x, label in zip(batch.X, batch.y, strict=True):
        row = {name: int(v) if "cat" in name else v for name, v in zip(stream.names, x)}
        assert theirs._classify_instance(root, row) == label
    assert len(set(batch.y)) == 4


def test_classes_differ_between_seeds_as_rivers_do():
    def share(make):
        return [np.mean([label == 0 for label in make(seed)]) for seed in range(200)]

    mine = share(lambda seed: all_rows(RandomTree(n_rows=200, seed=seed)).y)
    rng = random.Random(0)
    other = share(lambda seed: [y for _, y in synth.RandomTree(seed, rng.random()).take(200)])
    assert stats.ks_2samp(mine, other).pvalue > SURE


def test_a_selector_finds_a_relevant_feature_first():
    stream = RandomTree(
        n_rows=20_000, n_num_features=20, n_cat_features=0, max_tree_depth=3, seed=3
    )
    sieve = Screening("mutual_information", k=1)
    for batch in stream:
        sieve.learn(batch)
    assert set(sieve.selection_.indices) <= set(stream.relevant_at(0))
    assert len(stream.relevant_at(0)) < 8


def test_batching_does_not_matter(shape):
    assert_batching_does_not_matter(lambda batch: RandomTree(n_rows=1_500, batch=batch, **shape))


def test_seeking_is_exact(shape):
    assert_seek_is_exact(lambda: RandomTree(n_rows=1_500, batch=97, **shape))


def test_seeds_repeat_and_differ_and_the_global_one_is_untouched():
    first, again, other = (all_rows(RandomTree(n_rows=300, seed=seed)) for seed in (4, 4, 5))
    assert_same_rows(first, again)
    assert not np.any(first.X[:, :5] == other.X[:, :5])
    assert_global_seed_untouched(lambda: all_rows(RandomTree(n_rows=100)))


def test_a_longer_stream_begins_with_the_shorter():
    short, long = (RandomTree(n_rows=n) for n in (1_100, 2_500))
    assert_same_rows(all_rows(short), all_rows(long).take(slice(0, 1_100)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"n_classes": 0}, "n_classes must be a whole number of at least 1, not 0"),
        ({"n_num_features": -1}, "n_num_features must be a whole number of at least 0, not -1"),
        ({"n_cat_features": 1.5}, "n_cat_features must be a whole number of at least 0"),
        ({"n_categories_per_feature": 1}, "n_categories_per_feature must be a whole number of at"),
        ({"max_tree_depth": -1}, "max_tree_depth must be a whole number of at least 0, not -1"),
        ({"first_leaf_level": "3"}, "first_leaf_level must be a whole number of at least 0"),
        ({"fraction_leaves_per_level": 1.5}, "fraction_leaves_per_level must be a finite number f"),
        ({"n_num_features": 0, "n_cat_features": 0}, "a tree needs features"),
        (
            {"max_tree_depth": 40, "n_cat_features": 30},
            "the tree has more than 100,000 nodes: choose a smaller max_tree_depth than 40, or",
        ),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RandomTree(**options)
