"""Row-by-row twins of the synthetic streams: the equations, one number at a time."""

import math
from itertools import pairwise, product

import numpy as np


def linear_relevant(i, n_features, k, shift_every, step):
    """Eq. 22: the non-zero coefficients of row i."""
    first = 0 if shift_every is None else step * (i // shift_every)
    return {(first + j) % n_features for j in range(k)}


def linear_rows(stream, n_rows, block_rows, block_rng):
    """Eq. 20 and 21, from the random numbers of each block in the order they are drawn."""
    rows, labels = [], []
    for i in range(n_rows):
        if i % block_rows == 0:
            rng = block_rng(i // block_rows)
            z = rng.standard_normal((block_rows, 1))[:, 0]
            e = rng.standard_normal(block_rows)
            epsilon = rng.standard_normal((block_rows, stream.n_features))
        r = i % block_rows
        x = [stream.nu * z[r] + epsilon[r, j] for j in range(stream.n_features)]
        relevant = linear_relevant(i, stream.n_features, stream.k, stream.shift_every, stream.step)
        target = math.fsum(stream.signal * x[j] for j in relevant)
        target += stream.intercept + stream.noise * e[r]
        rows.append(x)
        labels.append(int(target > 0))
    return np.array(rows), np.array(labels)


def splitmix(key, place):
    """The place-th output of SplitMix64, in Python's whole numbers."""
    mask = 2**64 - 1
    z = (key + place * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def uniform(key, place):
    return (splitmix(key, place) >> 11) / 2**53


def switched(concepts, at, width, key, n_rows):
    """Which (source, row of that source) each row comes from: pulled one at a time.

    `concepts` are the lengths of the sources. The stream ends with the last of them.
    """
    taken = [0] * len(concepts)
    rows = []
    for t in range(n_rows):
        u = uniform(key, t)
        which = 0
        for i, point in enumerate(at):
            if width == 0:
                beyond = t >= point
            else:
                exponent = -4 * (t - point) / width
                beyond = u < (1 / (1 + math.exp(exponent)) if exponent < 700 else 0)
            if beyond:
                which = i + 1
        if taken[which] == concepts[which]:
            assert which == len(concepts) - 1, "an earlier source has ended"
            break
        rows.append((which, taken[which]))
        taken[which] += 1
    return rows


def with_missing(X, share, key):
    """Cell by cell: row and column decide."""
    X = X.copy()
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if uniform(key, i * X.shape[1] + j) < share:
                X[i, j] = math.nan
    return X


def by_class(y, first, lead):
    """The rows that arrive: some of one class, then one of each class in turn."""
    classes = list(dict.fromkeys(y))
    waiting = {label: [i for i, other in enumerate(y) if other == label] for label in classes}
    rows = [waiting[first].pop(0) for _ in range(lead)]
    while all(waiting.values()):
        rows += [waiting[label].pop(0) for label in classes]
    return rows


def rbf_rows(stream, n_rows, block_rows, centroids, block_rng):
    """Rows of RandomRBF, from the random numbers in the order they are drawn."""
    p = stream.n_features
    centres = [[centroids.random() for _ in range(p)] for _ in range(stream.n_centroids)]
    deviations = [centroids.random() for _ in range(stream.n_centroids)]
    weights = [centroids.random() for _ in range(stream.n_centroids)]
    classes = centroids.integers(stream.n_classes, size=stream.n_centroids)
    rows, labels = [], []
    for i in range(n_rows):
        r = i % block_rows
        if r == 0:
            rng = block_rng(i // block_rows)
            chosen = rng.random(block_rows)
            z = rng.standard_normal(block_rows)
            u = rng.random((block_rows, p))
        left, c = chosen[r] * sum(weights), 0
        while left >= weights[c]:
            left -= weights[c]
            c += 1
        direction = [2 * u[r, j] - 1 for j in range(p)]
        length = math.hypot(*direction)
        scale = z[r] * deviations[c] / length
        rows.append([centres[c][j] + scale * direction[j] for j in range(p)])
        labels.append(int(classes[c]))
    return np.array(rows), np.array(labels), centres, [int(label) for label in classes]


def random_tree(stream, rng):
    """The tree of RandomTree, by recursion: ("leaf", class) or (feature, threshold, children)."""

    def grow(depth, categorical, low, high):
        numeric = list(range(stream.n_num_features))
        ends = depth >= stream.max_tree_depth or (
            depth >= stream.first_leaf_level and rng.random() < stream.fraction_leaves_per_level
        )
        free = numeric + categorical
        if ends or not free:
            return ("leaf", int(rng.integers(stream.n_classes)))
        feature = free[rng.integers(len(free))]
        if feature in categorical:
            left = [f for f in categorical if f != feature]
            kinds = range(stream.n_categories_per_feature)
            return (feature, None, [grow(depth + 1, left, low, high) for _ in kinds])
        cut = low[feature] + (high[feature] - low[feature]) * rng.random()
        below = grow(depth + 1, categorical, low, {**high, feature: cut})
        return (feature, cut, [below, grow(depth + 1, categorical, {**low, feature: cut}, high)])

    features = range(stream.n_num_features + stream.n_cat_features)
    categorical = list(features[stream.n_num_features :])
    return grow(0, categorical, dict.fromkeys(features, 0.0), dict.fromkeys(features, 1.0))


def tree_class(tree, x):
    """The class of a row: numbers, then categories."""
    while tree[0] != "leaf":
        feature, cut, children = tree
        tree = children[int(x[feature])] if cut is None else children[int(x[feature] >= cut)]
    return tree[1]


def tree_relevant(tree, n_num_features, n_cat_features, n_categories):
    """The features that alone can change the class of a row: by trying a row of every cell."""

    def cuts_of(node, feature):
        if node[0] == "leaf":
            return []
        own = [node[1]] if node[0] == feature else []
        return own + [cut for child in node[2] for cut in cuts_of(child, feature)]

    values = []
    for feature in range(n_num_features):
        edges = sorted({0.0, *cuts_of(tree, feature), 1.0})
        values.append([(a + b) / 2 for a, b in pairwise(edges)])
    values += [list(range(n_categories))] * n_cat_features
    classes = {x: tree_class(tree, x) for x in product(*values)}
    return {
        feature
        for x, label in classes.items()
        for feature, choices in enumerate(values)
        for value in choices
        if classes[(*x[:feature], value, *x[feature + 1 :])] != label
    }
