"""A torch module whose parameters are random."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.func import functional_call

from driftsieve.batch import Batch
from driftsieve.selection import require_whole
from driftsieve.selectors.models.model import Blocks, Model, Random
from driftsieve.selectors.models.sampled import (
    SPREAD,
    Sample,
    per_feature,
    require_aggregation,
)

Floats = NDArray[np.float64]
Aggregate = Callable[[dict[str, Floats]], Any]


class TorchModel(Model):
    """A `torch.nn.Module` of logits as a model: `FIRES(TorchModel(module), k=10)`.

    The module takes rows by features, and returns rows by classes; or rows by one logit, that of
    the second class of two. Parameters that have an axis as long as there are features begin at
    μ = 0 and σ = 1, all others at the module's own values and σ = 0.1 (see `SampledModel` for the
    reason). The module itself never changes. Nor must calling it change it (no batch
    normalisation, no dropout).

    Parameters
    ----------
    module : torch.nn.Module
        It takes float32, or float64 if its parameters are of that type. Missing cells come as 0.
    samples : int
        How often parameters are drawn for a step.
    aggregation : "size", "mean" or a function
        How one number is made for each feature of those of the parameters. "size" and "mean": the
        root of the mean square, or the mean, of the first parameter that has an axis as long as
        there are features, over its other axes. A function is called with a dict of the means of
        all parameters by name, and then with one of their deviations.

    Such a model cannot be stored in a state file, because a file holds no code; and its features
    cannot become more.
    """

    draws = True

    def __init__(
        self, module: torch.nn.Module, samples: int = 5, aggregation: str | Aggregate = "size"
    ) -> None:
        require_whole("samples", samples, 1)
        if not isinstance(module, torch.nn.Module):
            raise ValueError(f"TorchModel takes a torch.nn.Module, not {module!r}")
        if not callable(aggregation):
            require_aggregation(aggregation)
        self.module, self.samples, self.aggregation = module, samples, aggregation
        parameters = dict(module.named_parameters())
        if not parameters:
            raise ValueError("the module has no parameters, and so there is nothing to learn")
        self.names = list(parameters)
        self.shapes = [tuple(parameter.shape) or (1,) for parameter in parameters.values()]
        self._original = [tuple(parameter.shape) for parameter in parameters.values()]
        self.dtype = next(iter(parameters.values())).dtype
        self._features, self._outputs = 0, 1

    def __repr__(self) -> str:
        return f"TorchModel({type(self.module).__name__}, samples={self.samples})"

    def _about(self) -> tuple[Any, ...]:
        """Return all that matters of it."""
        return repr(self.module), self.names, self.shapes, self.samples, self.aggregation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TorchModel) and self._about() == other._about()

    __hash__ = None  # type: ignore[assignment]

    def layout(self) -> Sequence[tuple[int | str, ...]]:
        return self.shapes

    def begin(self, n_features: int) -> None:
        """Refuse a number of features that the module does not take."""
        try:
            with torch.no_grad():
                logits = self.module(torch.zeros(2, n_features, dtype=self.dtype))
        except Exception as error:
            raise ValueError(
                f"the module does not take rows of {n_features} features: {error}"
            ) from error
        if getattr(logits, "ndim", 0) != 2 or len(logits) != 2:
            raise ValueError("the module must return rows by classes, or rows by one logit")
        self._features, self._outputs = n_features, int(logits.shape[1])
        if not callable(self.aggregation):
            self._block_of_features()

    def prior(self, block: int, shape: tuple[int, ...], seed: int) -> tuple[Floats, Floats]:
        if self._features in shape[-2:] and len(shape) > 1:
            return super().prior(block, shape, seed)
        own = list(self.module.parameters())[block].detach().cpu().numpy().astype(np.float64)
        return own.reshape(shape), np.full(shape, SPREAD)

    def outputs(self, n_classes: int) -> int:
        return self._outputs

    def most_classes(self) -> int:
        return max(self._outputs, 2)

    def gradient(
        self, mu: Blocks, sigma: Blocks, rows: Batch, random: Random
    ) -> tuple[Blocks, Blocks]:
        drawn = [
            Sample(m, s, self.samples, random(block)) for block, (m, s) in enumerate(zip(mu, sigma))
        ]
        X = torch.as_tensor(np.nan_to_num(np.asarray(rows.X, np.float64)), dtype=self.dtype)
        y = torch.as_tensor(np.asarray(rows.y))
        samples = [
            [
                torch.tensor(block.theta[:, s].reshape(shape), dtype=self.dtype, requires_grad=True)
                for block, shape in zip(drawn, self._original)
            ]
            for s in range(self.samples)
        ]
        logs = torch.stack([self._log_likelihood(theta, X, y) for theta in samples])
        weight = torch.ones(len(X)) if rows.weight is None else torch.as_tensor(rows.weight)
        total = (weight.to(self.dtype) * torch.logsumexp(logs, 0)).sum()
        flat = [parameter for theta in samples for parameter in theta]
        by = torch.autograd.grad(total, flat, allow_unused=True)
        gradients = []
        for block, (parameter, shape) in enumerate(zip(drawn, self.shapes)):
            parts = [
                np.zeros(shape) if part is None else part.numpy().astype(np.float64).reshape(shape)
                for part in by[block :: len(drawn)]
            ]
            rows_first = [part.reshape(parameter.theta[:, 0].shape) for part in parts]
            gradients.append(parameter.lead_back(np.stack(rows_first, axis=1)))
        g, h = zip(*gradients)
        return g, h

    def _log_likelihood(self, theta: list[Any], X: Any, y: Any) -> Any:
        z = functional_call(self.module, dict(zip(self.names, theta)), (X,))
        if z.shape[1] == 1:
            return torch.nn.functional.logsigmoid(torch.where(y == 1, z[:, 0], -z[:, 0]))
        return torch.log_softmax(z, 1)[torch.arange(len(X)), y]

    def aggregate(self, mu: Blocks, sigma: Blocks) -> tuple[Floats, Floats]:
        found = []
        for blocks in (mu, sigma):
            if callable(self.aggregation):
                values = np.asarray(self.aggregation(dict(zip(self.names, blocks))), np.float64)
                if values.shape != (self._features,):
                    raise ValueError(
                        f"the aggregation must return {self._features} numbers, one for each "
                        f"feature, not an array of shape {values.shape}"
                    )
            else:
                block, axis = self._block_of_features()
                by_feature = np.moveaxis(blocks[block], axis, 0).reshape(self._features, -1)
                values = per_feature(by_feature, str(self.aggregation))
            found.append(values)
        return found[0], found[1]

    def _block_of_features(self) -> tuple[int, int]:
        """Return the first parameter that has an axis of the features, and that axis."""
        for block, shape in enumerate(self.shapes):
            for axis in range(len(shape) - 1, -1, -1):  # as torch's own layers have it: the last
                if shape[axis] == self._features and len(shape) > 1:
                    return block, axis
        raise ValueError(
            f"no parameter of the module has an axis of {self._features} features: "
            "pass a function as aggregation"
        )
