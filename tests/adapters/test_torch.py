"""Any torch module as a model of FIRES."""

import copy
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

torch = pytest.importorskip("torch")

from driftsieve import FIRES  # noqa: E402
from driftsieve.adapters.torch import TorchModel  # noqa: E402
from driftsieve.batch import Batch  # noqa: E402
from driftsieve.selectors.models.beliefs import Beliefs  # noqa: E402
from driftsieve.selectors.models.net import NeuralNet  # noqa: E402
from driftsieve.streams.randomness import generator  # noqa: E402
from driftsieve.testing import LAWS, selector_subject  # noqa: E402

P, CLASSES = 5, 3


class Turned(torch.nn.Module):
    """Our own net in torch: with its weights the other way round, and its scales."""

    def __init__(self, sizes=(P, 4, 3, CLASSES)):
        super().__init__()
        pairs = list(itertools.pairwise(sizes))
        self.W = torch.nn.ParameterList([torch.zeros(a, b, dtype=torch.float64) for a, b in pairs])
        self.b = torch.nn.ParameterList([torch.zeros(b, dtype=torch.float64) for _, b in pairs])

    def forward(self, x):
        for layer, (W, b) in enumerate(zip(self.W, self.b)):
            x = (torch.relu(x) if layer else x) @ W / W.shape[0] ** 0.5 + b
        return x


def linear(outputs=2, features=P):
    return torch.nn.Linear(features, outputs)


def data(seed=0, n=40, classes=CLASSES):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, P))
    X[:, 1] += y
    return X, y


def test_the_same_net_has_the_same_gradients():
    net, turned = NeuralNet(hidden=(4, 3), samples=3), TorchModel(Turned(), samples=3)
    X, y = data()
    rows = Batch(X, y, np.linspace(0, 2, 40))
    beliefs = Beliefs(net, P, 0.1, 0)
    beliefs.take(rows)  # away from the prior
    order = [0, 2, 4, 1, 3, 5]  # weights before biases
    assert turned.names == ["W.0", "W.1", "W.2", "b.0", "b.1", "b.2"]
    g, h = net.gradient(beliefs.mu, beliefs.sigma, rows, lambda b: generator(1, "test", b))
    mu, sigma = ([blocks[b] for b in order] for blocks in (beliefs.mu, beliefs.sigma))
    turned.begin(P)
    found = turned.gradient(mu, sigma, rows, lambda b: generator(1, "test", order[b]))
    for mine, theirs in zip(
        [*[g[b] for b in order], *[h[b] for b in order]], [*found[0], *found[1]]
    ):
        assert_allclose(theirs, mine, rtol=1e-9, atol=1e-12)


def test_three_lines_select():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2000, 8))
    y = np.where(X[:, 2] > X[:, 6], "left", "right")
    module = torch.nn.Linear(8, 2, bias=False)
    for model in (TorchModel(module), TorchModel(torch.nn.Linear(8, 1))):
        sieve = FIRES(model, k=2, step=20, learning_rate=0.2).fit(X, y)
        assert sorted(sieve.selection_.names) == ["x2", "x6"]
    assert sieve.classes_ == ["left", "right"] or sieve.classes_ == ["right", "left"]


def test_deep_modules_tell_features_apart_by_their_importance():
    """With all parameters at μ = 0, the expected gradient of the first layer would be 0."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3000, 8))
    y = np.where(X[:, 2] > X[:, 6], "left", "right")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2)
        )
    sieve = FIRES(TorchModel(module), k=2, step=20, learning_rate=0.2).fit(X, y)
    relevant = np.isin(np.arange(8), [2, 6])
    assert sieve.importance_[relevant].min() > 10 * sieve.importance_[~relevant].max()


def test_the_module_is_left_alone():
    module = torch.nn.Sequential(
        torch.nn.Linear(P, 4), torch.nn.ReLU(), torch.nn.Linear(4, CLASSES)
    )
    before = copy.deepcopy(module.state_dict())
    state = torch.random.get_rng_state()
    X, y = data()
    FIRES(TorchModel(module), k=2, step=7).fit(X, y)
    assert torch.equal(torch.random.get_rng_state(), state)
    for name, parameter in module.state_dict().items():
        assert torch.equal(parameter, before[name])
    assert all(parameter.grad is None for parameter in module.parameters())


def test_runs_repeat_and_clones_work():
    X, y = data()
    sieve = FIRES(TorchModel(linear(CLASSES)), k=2, step=7)
    expected = sieve.fit(X, y).scores_
    assert_array_equal(clone(sieve).fit(X, y).scores_, expected)
    single = clone(sieve)
    for row in range(40):
        single.partial_fit(X[row : row + 1], y[row : row + 1])
    assert_array_equal(single.scores_, expected)
    going_on = copy.deepcopy(single).partial_fit(X, y)
    assert_array_equal(going_on.scores_, single.partial_fit(X, y).scores_)


# What cannot be stored, and what cannot gain features, says so.
STORED = {"states_go_on", "inputs_are_left_alone"}
OPEN = {"columns_may_come_and_go"}


@pytest.mark.parametrize("law", [law for law in LAWS if law.__name__ not in STORED | OPEN])
def test_it_obeys_the_laws(law):
    module = torch.nn.Linear(6, 3).double()
    law(selector_subject(FIRES(TorchModel(module, samples=2), k=3, step=20)))


def test_a_function_may_aggregate():
    def last_layer(parameters):
        return np.arange(P) * parameters["weight"].std()

    X, y = data()
    sieve = FIRES(TorchModel(linear(CLASSES), aggregation=last_layer), k=1).fit(X, y)
    assert sieve.selection_.names == ("x4",)
    wrong = FIRES(TorchModel(linear(CLASSES), aggregation=lambda parameters: np.ones(3))).fit(X, y)
    with pytest.raises(ValueError, match="the aggregation must return 5 numbers, one for"):
        wrong.scores_  # noqa: B018


def test_means_are_those_of_the_first_layer():
    X, y = data()
    sieve = FIRES(TorchModel(linear(CLASSES), aggregation="mean")).fit(X, y)
    pupil = sieve._now()
    assert_allclose(sieve.importance_, np.abs(pupil.mu[0].mean(axis=0)))
    assert_allclose(sieve.uncertainty_, pupil.sigma[0].mean(axis=0))


class Nothing(torch.nn.Module):
    def forward(self, x):
        return x


class Flat(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x)[:, 0]


class Hidden(torch.nn.Module):
    """No parameter has an axis of the features."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x[:, :2] * self.scale


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TorchModel("net"), "TorchModel takes a torch.nn.Module, not 'net'"),
        (lambda: TorchModel(Nothing()), "the module has no parameters"),
        (lambda: TorchModel(linear(), samples=0), "samples must be a whole number"),
        (lambda: TorchModel(linear(), aggregation="sum"), 'aggregation must be "size" or "mean"'),
    ],
)
def test_bad_models_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (linear(3, features=4), "the module does not take rows of 5 features"),
        (Flat(P, 1), "the module must return rows by classes"),
        (Hidden(), "no parameter of the module has an axis of 5 features"),
        (linear(2), "the model has 2 outputs, and there are 3 classes now"),
    ],
)
def test_modules_that_do_not_fit_are_refused_when_learning_begins(module, message):
    X, y = data()
    sieve = FIRES(TorchModel(module))
    with pytest.raises(ValueError, match=message):
        sieve.fit(X, y)
    assert not sieve.__sklearn_is_fitted__()


def test_a_class_too_many_changes_nothing():
    X, y = data(classes=2)
    sieve = FIRES(TorchModel(linear(2)), step=7).partial_fit(X, y)
    before = sieve.scores_
    with pytest.raises(ValueError, match="2 outputs, and there are 3 classes now"):
        sieve.partial_fit(X, y + 1)
    assert_array_equal(sieve.scores_, before)
    assert sieve.classes_ == sorted(sieve.classes_) or len(sieve.classes_) == 2


def test_it_cannot_be_stored(tmp_path):
    X, y = data()
    with pytest.raises(ValueError, match="a model of type TorchModel cannot be stored"):
        FIRES(TorchModel(linear(CLASSES))).fit(X, y).save(tmp_path / "s")
