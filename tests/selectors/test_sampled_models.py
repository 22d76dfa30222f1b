"""The neural net and the soft tree: gradients beside finite differences and beside torch."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.datasets import load_digits

from driftsieve import FIRES
from driftsieve.batch import Batch
from driftsieve.selectors.models.net import NeuralNet
from driftsieve.selectors.models.sampled import Sample, quantiles, unit_rows
from driftsieve.selectors.models.tree import SoftTree
from driftsieve.streams.randomness import generator

FEATURES, CLASSES, ROWS = 5, 3, 9

MODELS = {
    "one layer": NeuralNet(hidden=(4,), samples=3),
    "three layers": NeuralNet(hidden=(4, 3, 5), samples=4),
    "one sample": NeuralNet(hidden=(4, 3), samples=1),
    "stump": SoftTree(depth=1, samples=3),
    "tree": SoftTree(depth=3, samples=4, penalty=0.5),
    "tree without penalty": SoftTree(depth=2, samples=2, penalty=0.0),
}


def random(block):
    return generator(7, "test", block)


def parameters(model, seed=0):
    rng = np.random.default_rng(seed)
    sizes = {"features": FEATURES, "outputs": CLASSES}
    shapes = [tuple(sizes.get(size, size) for size in shape) for shape in model.layout()]
    mu = [rng.standard_normal(shape) for shape in shapes]
    return mu, [rng.uniform(0.2, 1.5, shape) for shape in shapes]


def batch(seed=1):
    rng = np.random.default_rng(seed)
    X = 3 * rng.standard_normal((ROWS, FEATURES))
    X[2, 1] = X[5, 0] = np.nan
    return Batch(X, rng.integers(0, CLASSES, ROWS), rng.uniform(0, 2, ROWS))


# What the gradients are gradients of, written down anew: one sample after the other.


def net_likelihoods(model, theta, X, y):
    x = X
    for W, b in zip(theta[:-2:2], theta[1:-2:2]):
        x = np.maximum(x @ W + b, 0) / np.sqrt(W.shape[1])
    z = x @ theta[-2] + theta[-1]
    return (np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))[np.arange(len(X)), y], 0.0


def tree_likelihoods(model, theta, X, y, weight=None):
    W, leaves = theta
    Q = np.exp(leaves) / np.exp(leaves).sum(axis=1, keepdims=True)
    right = 1 / (1 + np.exp(-X @ W))
    likelihood, charge = np.zeros(len(X)), 0.0

    def go(node, reached, level):
        nonlocal charge
        if level == model.depth:
            likelihood[:] += reached * Q[node - W.shape[1], y]
            return
        p = right[:, node]
        share = np.sum(weight * reached * p) / np.sum(weight * reached)
        charge -= model.penalty * 0.5**level * 0.5 * (np.log(share) + np.log(1 - share))
        go(2 * node + 1, reached * (1 - p), level + 1)
        go(2 * node + 2, reached * p, level + 1)

    go(0, np.ones(len(X)), 0)
    return likelihood, charge


def objective(model, mu, sigma, rows):
    """Σ weight log(mean of likelihoods), less the mean charge times the weight of all rows."""
    X = np.nan_to_num(rows.X) / np.sqrt(np.sum(~np.isnan(rows.X), axis=1, keepdims=True))
    r = [
        Sample(m, s, model.samples, random(block)).r for block, (m, s) in enumerate(zip(mu, sigma))
    ]
    likelihoods, charges = [], []
    for sample in range(model.samples):
        theta = [m + s * n[:, sample].reshape(m.shape) for m, s, n in zip(mu, sigma, r)]
        if isinstance(model, NeuralNet):
            likelihood, charge = net_likelihoods(model, theta, X, rows.y)
        else:
            likelihood, charge = tree_likelihoods(model, theta, X, rows.y, rows.weight)
        likelihoods.append(likelihood)
        charges.append(charge)
    total = np.sum(rows.weight * np.log(np.mean(likelihoods, axis=0)))
    return total - np.sum(rows.weight) * np.mean(charges)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_gradients_are_those_of_finite_differences(model):
    mu, sigma = parameters(model)
    rows = batch()
    gradients = model.gradient(mu, sigma, rows, random)
    for which, found in zip((mu, sigma), gradients):
        for block, by in zip(which, found):
            for place in np.ndindex(block.shape):
                was = block[place]
                sides = []
                for step in (1e-5, -1e-5):
                    block[place] = was + step
                    sides.append(objective(model, mu, sigma, rows))
                block[place] = was
                assert_allclose(by[place], (sides[0] - sides[1]) / 2e-5, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_gradients_are_those_of_torch(model):
    torch = pytest.importorskip("torch")
    mu, sigma = parameters(model, seed=3)
    rows = batch(seed=4)
    X = torch.tensor(unit_rows(rows.X))
    y, weight = torch.tensor(rows.y), torch.tensor(rows.weight)
    r = [
        torch.tensor(Sample(m, s, model.samples, random(block)).r)
        for block, (m, s) in enumerate(zip(mu, sigma))
    ]
    m_, s_ = ([torch.tensor(b, requires_grad=True) for b in blocks] for blocks in (mu, sigma))
    logs, charges = [], []
    for sample in range(model.samples):
        theta = [m + s * n[:, sample].reshape(m.shape) for m, s, n in zip(m_, s_, r)]
        if isinstance(model, NeuralNet):
            x = X
            for W, b in zip(theta[:-2:2], theta[1:-2:2]):
                x = torch.relu(x @ W + b) / W.shape[1] ** 0.5
            log = torch.log_softmax(x @ theta[-2] + theta[-1], 1)
            charges.append(torch.zeros(()))
        else:
            right = torch.sigmoid(X @ theta[0])
            reached, charge, first = torch.ones(ROWS, 1, dtype=X.dtype), 0.0, 0
            for level in range(model.depth):
                p = right[:, first : first + 2**level]
                share = (weight[:, None] * reached * p).sum(0) / (weight[:, None] * reached).sum(0)
                cross = -0.5 * (torch.log(share) + torch.log(1 - share))
                charge = charge + model.penalty * 0.5**level * cross.sum()
                reached = torch.stack([reached * (1 - p), reached * p], 2).reshape(ROWS, -1)
                first += 2**level
            log = torch.log(reached @ torch.softmax(theta[1], 1))
            charges.append(charge)
        logs.append(log[torch.arange(ROWS), y])
    mean = torch.logsumexp(torch.stack(logs), 0) - np.log(model.samples)
    total = (weight * mean).sum() - weight.sum() * torch.stack(list(charges)).mean()
    expected = torch.autograd.grad(total, [*m_, *s_], allow_unused=True)
    g, h = model.gradient(mu, sigma, rows, random)
    for found, by in zip([*g, *h], expected):
        assert_allclose(found, by.numpy(), rtol=1e-9, atol=1e-12)


def test_the_log_is_of_the_mean_and_not_the_mean_of_logs():
    """A sample that predicts a row well counts for that row, and one that does not, does not."""
    model = NeuralNet(hidden=(4,), samples=2)
    mu, sigma = parameters(model)
    rows = batch()
    drawn = [Sample(m, s, 2, random(block)) for block, (m, s) in enumerate(zip(mu, sigma))]
    theta = [block.theta for block in drawn]
    theta[3] = np.zeros_like(theta[3])
    theta[3][0, 0, 0], theta[3][0, 1, 1] = 500.0, 500.0  # sure of class 0, and of class 1
    X, one = unit_rows(rows.X), np.ones(ROWS)
    by = model.by_theta(theta, X, np.zeros(ROWS, dtype=int), one)[3]
    assert_allclose(by, 0.0, atol=1e-12)  # the mean of logs would pull at the second sample


def test_draws_are_normal_and_belong_to_their_feature():
    table = quantiles()
    assert len(table) == 1 << 16
    assert_allclose(np.mean(table), 0, atol=1e-6)
    assert_allclose(np.mean(table.astype(float) ** 2), 1, rtol=1e-6)
    assert stats.kstest(table.astype(float), "norm").statistic < 2e-5
    narrow, wide = (
        Sample(np.zeros((n, 3)), np.ones((n, 3)), 4, generator(0, "test", 0)) for n in (5, 9)
    )
    assert_array_equal(wide.r[:5], narrow.r)
    assert stats.kstest(wide.r.ravel(), "norm").pvalue > 1e-3
    many = Sample(np.zeros((400, 10)), np.full((400, 10), 2.0), 5, generator(1, "test", 0))
    assert stats.kstest(many.theta.ravel() / 2, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(many.r[:, 0].ravel(), many.r[:, 1].ravel())[0, 1]) < 0.05


def test_aggregation_is_the_mean_of_the_paths():
    """Section 2.1.4: sums of the mean weights of layers; for the tree, the mean over its nodes."""
    net = NeuralNet(hidden=(4, 3), aggregation="mean")
    mu, sigma = parameters(net)
    for part, blocks in enumerate((mu, sigma)):
        rest = blocks[2].mean() + blocks[4].mean()
        expected = [blocks[0][j].mean() + rest for j in range(FEATURES)]
        assert_allclose(net.aggregate(mu, sigma)[part], expected)
    tree = SoftTree(depth=2, aggregation="mean")
    mu, sigma = parameters(tree)
    for part, blocks in enumerate((mu, sigma)):
        assert_allclose(tree.aggregate(mu, sigma)[part], [row.mean() for row in blocks[0]])


def test_aggregation_by_size_is_the_root_of_the_mean_square():
    for model in (NeuralNet(hidden=(4, 3)), SoftTree(depth=2)):
        mu, sigma = parameters(model)
        mu[0][2], sigma[0][1] = 0.0, 1e50
        for found, block in zip(model.aggregate(mu, sigma), (mu[0], sigma[0])):
            assert_allclose(found, [np.linalg.norm(row) / len(row) ** 0.5 for row in block])


@pytest.mark.parametrize("model", [NeuralNet((20, 20)), SoftTree()], ids=["net", "tree"])
def test_what_matters_is_found(model):
    rng = np.random.default_rng(0)
    X = rng.random((5000, 20))
    y = X[:, :3].sum(axis=1) > 1.5
    sieve = FIRES(model, k=3, scaling="standard").fit(X, y)
    assert sorted(sieve.selection_.indices) == [0, 1, 2]


def at_the_prior(model, features, seed=0):
    sizes = {"features": features, "outputs": 2}
    shapes = [tuple(sizes.get(size, size) for size in shape) for shape in model.layout()]
    mu, sigma = zip(*(model.prior(block, shape, seed) for block, shape in enumerate(shapes)))
    return [np.array(block) for block in mu], list(sigma)


@pytest.mark.parametrize("model", [NeuralNet((30, 20, 10)), SoftTree()], ids=["net", "tree"])
def test_only_a_prior_that_is_not_symmetric_lets_weights_of_features_learn(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    rows = Batch(X, (X[:, 0] > 0).astype(int))

    def pulls(mu, sigma):
        """The mean gradient of the weights of the relevant feature, in its standard errors."""
        drawn = [
            model.gradient(mu, sigma, rows, lambda block, i=i: generator(i, "test", block))[0][0][0]
            for i in range(400)
        ]
        return np.mean(drawn, axis=0) / (np.std(drawn, axis=0) / 20)

    mu, sigma = at_the_prior(model, 4)
    assert (np.abs(pulls(mu, sigma)) > 6).mean() > 0.3
    as_in_the_paper = [np.zeros_like(block) for block in mu], [np.ones_like(s) for s in sigma]
    assert np.abs(pulls(*as_in_the_paper)).max() < 6


def test_the_prior_is_that_of_the_paper_for_features_and_drawn_once_for_all_else():
    for model in (NeuralNet((40, 30)), SoftTree(depth=4)):
        mu, sigma = at_the_prior(model, 6)
        assert (mu[0] == 0).all() and (sigma[0] == 1).all()
        assert all((block == 0.1).all() for block in sigma[1:])
        weights = np.concatenate([block.ravel() for block in mu[1:] if block.ndim > 1])
        assert stats.kstest(weights, "norm").pvalue > 1e-3
        assert all((block == 0).all() for block in mu[1:] if block.ndim == 1)
        for one, again, other in zip(mu, at_the_prior(model, 6)[0], at_the_prior(model, 6, 1)[0]):
            assert_array_equal(one, again)
            assert one.ndim == 1 or not one.any() or not np.array_equal(one, other)


@pytest.mark.parametrize("model", ["ann", "sdt"])
def test_a_class_that_appears_leaves_what_was_learnt(model):
    rng = np.random.default_rng(1)
    sieve = FIRES(model, k=2, step=10).partial_fit(rng.random((40, 3)), rng.integers(0, 2, 40))
    before = [block.copy() for block in sieve._course.pupil.mu]
    sieve._course.pupil._meet(3)
    after = sieve._course.pupil.mu
    for one, two in zip(before, after):
        assert_array_equal(two[tuple(slice(size) for size in one.shape)], one)
    assert after[-1].shape[-1] == 3


@pytest.mark.parametrize("model", ["ann", "sdt"])
def test_the_weights_of_pixels_show_the_digit(model):
    """Figure 3 in small: 8 by 8 pixels, each digit against all others."""
    X, y = load_digits(return_X_y=True)
    likeness = []
    for digit in range(10):
        difference = np.abs(X[y == digit].mean(axis=0) - X[y != digit].mean(axis=0))
        scores = FIRES(model, step=25).fit(X / 16, y == digit).scores_
        varies = ~np.isnan(scores)
        likeness.append(stats.spearmanr(scores[varies], difference[varies]).statistic)
    assert np.mean(likeness) > 0.5  # 0.33 where all begins at μ = 0 and σ = 1


@pytest.mark.parametrize("model", ["ann", "sdt"])
def test_runs_repeat_and_seeds_differ(model):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    scores = [FIRES(model, k=2, random_state=s).fit(X, y).scores_ for s in (0, 0, 1)]
    assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])
    free = [FIRES(model, k=2, random_state=None).fit(X, y).scores_ for _ in range(2)]
    assert not np.array_equal(*free)


@pytest.mark.parametrize("model", [NeuralNet((4,), 2), SoftTree(2, 2)], ids=["net", "tree"])
@pytest.mark.parametrize("size", [1.0, 1e4, 1e100])
def test_there_is_no_nan_from_finite_input(model, size):
    rng = np.random.default_rng(3)
    sieve = FIRES(model, k=2, step=3, learning_rate=10.0)
    for _ in range(20):
        X = rng.uniform(-size, size, (30, 3)) * rng.choice([1e-200, 1e-3, 1.0], (30, 3))
        sieve.partial_fit(X, rng.integers(0, 3, 30), rng.choice([1e-9, 1.0, 1e100], 30))
        assert np.isfinite(sieve.scores_).all()
        assert (sieve.uncertainty_ > 0).all() and np.isfinite(sieve.importance_).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NeuralNet(hidden=()), "a net needs a hidden layer"),
        (lambda: NeuralNet(hidden=(3, 0)), "number of units of a layer must be a whole number"),
        (lambda: NeuralNet(samples=0), "samples must be a whole number"),
        (lambda: SoftTree(depth=0), "depth must be a whole number"),
        (lambda: SoftTree(depth=13), "depth must be 12 at most"),
        (lambda: SoftTree(samples=2.5), "samples must be a whole number"),
        (lambda: NeuralNet(aggregation="sum"), 'aggregation must be "size" or "mean"'),
        (lambda: SoftTree(aggregation=None), 'aggregation must be "size" or "mean"'),
        (lambda: SoftTree(penalty=-1), "penalty must be a finite number of at least 0"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
