"""FIRES: features weighed by the importance and the uncertainty of a model's parameters.

Haug, Pawelczyk, Broelemann and Kasneci (2020), *Leveraging Model Inherent Variable Importance for
Stable Online Feature Selection*.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.models.beliefs import Beliefs
from driftsieve.selectors.models.glm import GaussianGLM, ProbitGLM
from driftsieve.selectors.models.model import Model
from driftsieve.selectors.models.net import NeuralNet
from driftsieve.selectors.models.tree import SoftTree
from driftsieve.selectors.stepwise import StepwiseSelector
from driftsieve.selectors.targets import ClassTargets, NumberTargets
from driftsieve.streams.checks import number

MODELS: dict[str, type[Model]] = {
    "glm": ProbitGLM,
    "gaussian": GaussianGLM,
    "ann": NeuralNet,
    "sdt": SoftTree,
}
"""The models by name."""

REGULARIZER = 0.01
"""λ_r of eq. 6: it scales all weights alike, and so changes no ranking."""


class FIRES(StepwiseSelector):
    """Select the features on which a model relies most, and is most certain to.

    Every parameter of a model is a normal random variable with a mean μ and a deviation σ, which
    ascend the log of the marginal likelihood of the rows, step by step. A feature weighs
    ω = (μ² - λ_s σ²) / (2 λ_r) (eq. 6): much if it is important, less if that is uncertain.

    Parameters
    ----------
    model : {"glm", "gaussian", "ann", "sdt"} or a model, default="glm"
        "glm": a linear model of classes with a probit link; "gaussian": a linear model of numbers;
        "ann": a neural net; "sdt": a soft decision tree. `ProbitGLM`, `GaussianGLM`, `NeuralNet`
        and `SoftTree` in `driftsieve.selectors.models` have options.
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    step : int, default=50
        The rows of a step. All of them move the parameters from the same place, each by
        learning_rate / step times its gradient: a full step moves by the mean gradient, as a batch
        of the paper does. 1 learns most of few rows, more rows a step are quicker and steadier. The
        paper tries 25 to 100.
    learning_rate : float, default=None
        How far a step goes along the gradient. None: 0.01, as in the paper, but 0.03 for "ann".
    penalty : float, default=0.01
        λ_s, what uncertainty costs.
    scaling : {None, "minmax", "standard"}, default=None
        How columns are scaled by what has been seen of them (and the targets of a regression
        standardised). None: they are taken as they are. Weights are not comparable between columns
        of unlike units then, and columns of large values drown the others.
    features : {"closed", "open"}, default="closed"
        "closed": every batch has the same columns. "open": named columns may come, go and
        change places; a new one starts from the prior, and one that is absent is not updated.
    random_state : int or None, default=0
        Seeds what models draw; None: at random. "glm" and "gaussian" draw nothing.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features_in_,)
        The weight ω of each feature (larger is better, NaN undefined) and its rank (1 is best).
    importance_, uncertainty_ : ndarray of shape (n_features_in_,)
        μ and σ of each feature that the weights are made of.
    selection_ : Selection
        The selected features, best first.
    classes_ : list
        The labels seen, in order of appearance.
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    A missing cell (NaN) takes no part: it adds nothing to its row's margin, and its row does not
    move its feature. Weights of rows multiply their gradients.

    *Deviations*: σ stays above 0, because a step takes half of it at most. A last, shorter step
    moves by less. Features that have not varied, and all while there is one class, have no weight.

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import FIRES
    >>> rng = np.random.default_rng(0)
    >>> sieve = FIRES("glm", k=2, step=25)
    >>> for _ in range(20):
    ...     X = rng.standard_normal((100, 5))
    ...     sieve = sieve.partial_fit(X, np.where(X[:, 3] - X[:, 1] > 0, "yes", "no"))
    >>> sorted(sieve.selection_.names)
    ['x1', 'x3']
    """

    _changeable = ("k", "penalty")

    def __init__(
        self,
        model: str | Model = "glm",
        k: int | Rule = 10,
        *,
        step: int = 50,
        learning_rate: float | None = None,
        penalty: float = 0.01,
        scaling: str | None = None,
        features: str = "closed",
        random_state: int | None = 0,
    ) -> None:
        self.model = model
        self.k = k
        self.step = step
        self.learning_rate = learning_rate
        self.penalty = penalty
        self.scaling = scaling
        self.features = features
        self.random_state = random_state

    @property
    def draws(self) -> bool:
        """Whether the model draws random numbers."""
        return model_named(self.model).draws

    @property
    def takes_numbers(self) -> bool:
        """Whether the model is one of numbers, and not of classes."""
        return model_named(self.model).task == "regression"

    @property
    def importance_(self) -> NDArray[np.float64]:
        """How much the model relies on each feature: the size of its μ."""
        return self._aggregated("importance", 0)

    @property
    def uncertainty_(self) -> NDArray[np.float64]:
        """How uncertain that is: the σ of each feature."""
        return self._aggregated("uncertainty", 1)

    def _aggregated(self, question: str, part: int) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._answer(
            question, lambda: np.abs(self._now().aggregate()[part])
        )
        return found.copy()

    def _pupil(self, n_features: int) -> Beliefs:
        model = model_named(self.model)
        rate = model.learning_rate
        if self.learning_rate is not None:
            rate = number("learning_rate", self.learning_rate)
        if rate <= 0:
            raise ValueError(f"learning_rate must be above 0, not {rate!r}")
        number("penalty", self.penalty, 0)
        if self.random_state is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
        else:
            require_whole("random_state", self.random_state, 0)
            seed = int(self.random_state)
        return Beliefs(model, n_features, rate / int(self.step), seed)

    @classmethod
    def law_variants(cls) -> Iterator[Self]:
        """Yield what the laws are put to."""
        yield cls(k=3)
        yield cls(k=3, step=1, learning_rate=0.1)
        yield cls(k=3, step=7, scaling="minmax")
        yield cls(k=3, step=20, scaling="standard")
        yield cls("gaussian", k=3, step=20)
        yield cls(NeuralNet(hidden=(4, 3), samples=3), k=3, step=20, learning_rate=0.1)
        yield cls(SoftTree(depth=2, samples=3), k=3, step=20, learning_rate=0.1)
        yield cls(GaussianGLM(), k=3, step=7, scaling="standard")

    def _targets_to_learn(self) -> ClassTargets | NumberTargets:
        return NumberTargets() if self.takes_numbers else ClassTargets()

    def _worth(self, pupil: Beliefs) -> NDArray[np.float64]:
        importance, uncertainty = pupil.aggregate()
        return feature_weights(importance, uncertainty, number("penalty", self.penalty, 0))

    def _parameters_to_state(self) -> dict[str, Any]:
        return {**super()._parameters_to_state(), "model": _model_to_state(self.model)}

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        parameters = super()._parameters_from_state(state)
        return {**parameters, "model": _model_from_state(state["model"])}


def feature_weights(
    importance: NDArray[np.float64], uncertainty: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    """Return ω = (μ² - λ_s σ²) / (2 λ_r) (eq. 6)."""
    weights: NDArray[np.float64] = importance**2 - penalty * uncertainty**2
    return weights / (2 * REGULARIZER)


def model_named(model: str | Model) -> Model:
    """Return the model that the parameter `model` asks for."""
    if isinstance(model, Model):
        return model
    if not isinstance(model, str) or model not in MODELS:
        known = ", ".join(f'"{name}"' for name in MODELS)
        raise ValueError(f"there is no model {model!r}: the models are {known}, or one of your own")
    return MODELS[model]()


def _model_to_state(model: str | Model) -> Any:
    if isinstance(model, str):
        return model
    for kind in MODELS.values():
        if type(model) is kind:
            return {"kind": kind.__name__, **asdict(model)}  # type: ignore[call-overload]
    raise ValueError(
        f"a model of type {type(model).__name__} cannot be stored in a state file, "
        "because a file holds no code"
    )


def _model_from_state(state: Any) -> str | Model:
    if isinstance(state, str):
        return state
    settings = dict(state)
    name = settings.pop("kind")
    return {kind.__name__: kind for kind in MODELS.values()}[name](**settings)
