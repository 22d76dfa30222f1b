"""What FIRES believes of the parameters of a model: a mean μ and a deviation σ of each."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch, dense
from driftsieve.kernels.linear import LARGEST, LEAST, ascend
from driftsieve.selectors.models.model import Model, Random
from driftsieve.state_values import require_array
from driftsieve.streams.randomness import generator


class Beliefs:
    """The parameters of a model, all normal and apart, at its prior before anything is learnt.

    Each row moves them by `rate` times its gradient, times the pace of their model.
    """

    def __init__(self, model: Model, n_features: int, rate: float, seed: int) -> None:
        self.model, self.n_features, self.rate, self.seed = model, n_features, rate, seed
        self.steps = 0
        model.begin(n_features)
        self.outputs = model.outputs(0)
        prior = [self._prior(block, shape) for block, shape in enumerate(self._shapes())]
        self.mu: list[Any] = [mu for mu, _ in prior]
        self.sigma: list[Any] = [sigma for _, sigma in prior]

    def take(self, rows: Batch) -> None:
        """Step along the gradients of some rows (Algorithm 1)."""
        if self.model.task == "classification" and rows.n_rows:
            assert rows.y is not None
            self._meet(int(rows.y.max()) + 1)
        random = partial(generator, self.seed, "parameters of FIRES", self.steps)
        self.steps += 1
        if not rows.is_sparse:
            self._ascend(self.mu, self.sigma, rows, random)
        elif not self.model.sparse:
            self._ascend(self.mu, self.sigma, rows.replace(X=dense(rows.X)), random)
        else:
            columns, rows = _touched(rows)
            mu = [np.take(block, columns, axis=-1) for block in self.mu]
            sigma = [np.take(block, columns, axis=-1) for block in self.sigma]
            self._ascend(mu, sigma, rows, random)
            for whole, part in zip([*self.mu, *self.sigma], [*mu, *sigma]):
                whole[..., columns] = part

    def require_room(self, n_classes: int) -> None:
        """Raise ValueError if the model cannot tell so many classes apart."""
        if n_classes > self.model.most_classes():
            raise ValueError(
                f"the model has {self.model.most_classes()} outputs, and there are {n_classes} "
                "classes now"
            )

    def _ascend(self, mu: list[Any], sigma: list[Any], rows: Batch, random: Random) -> None:
        gradients = self.model.gradient(mu, sigma, rows, random)
        for block, (m, s, g, h) in enumerate(zip(mu, sigma, *gradients)):
            rate = self.rate * self.model.pace(block, m.shape, rows)
            ascend(m.ravel(), s.ravel(), g.ravel(), h.ravel(), rate)

    def _prior(self, block: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
        return self.model.prior(block, shape, self.seed)

    def aggregate(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return μ and σ for each feature."""
        return self.model.aggregate(self.mu, self.sigma)

    def copy(self) -> "Beliefs":
        """Return equal beliefs that go their own way."""
        other = object.__new__(type(self))
        other.__dict__.update(vars(self))
        other.mu = [block.copy() for block in self.mu]
        other.sigma = [block.copy() for block in self.sigma]
        return other

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; the others are at the prior."""
        self.model.begin(n_features)
        self.n_features = n_features
        self._resize({"features": places})

    def _meet(self, n_classes: int) -> None:
        """Make room for classes that appear."""
        before, self.outputs = self.outputs, self.model.outputs(n_classes)
        if self.outputs <= before:
            self.outputs = before
            return
        self._resize({"outputs": np.arange(before)})
        self.model.with_more_outputs(self.mu, self.sigma, before)

    def _resize(self, places: dict[str, NDArray[np.intp]]) -> None:
        """Move all blocks into larger ones; the places of what is not named stay."""
        for number, (names, shape) in enumerate(zip(self.model.layout(), self._shapes())):
            old = self.mu[number].shape
            where = np.ix_(*[places.get(str(n), np.arange(size)) for n, size in zip(names, old)])
            for blocks, prior in zip((self.mu, self.sigma), self._prior(number, shape)):
                prior[where] = blocks[number]
                blocks[number] = prior

    def _shapes(self) -> list[tuple[int, ...]]:
        sizes = {"features": self.n_features, "outputs": self.outputs}
        return [
            tuple(sizes[size] if isinstance(size, str) else size for size in shape)
            for shape in self.model.layout()
        ]

    @property
    def nbytes(self) -> int:
        return sum(int(block.nbytes) for block in [*self.mu, *self.sigma])

    def most_bytes(self) -> int:
        """The most bytes for these classes."""
        return self.nbytes

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays."""
        return {
            "mu": list(self.mu),
            "sigma": list(self.sigma),
            "outputs": self.outputs,
            "steps": self.steps,
            "seed": self.seed,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `to_state` was called."""
        for name in ("outputs", "steps", "seed"):
            if type(state[name]) is not int or state[name] < 0:
                raise ValueError(f"there cannot be {state[name]!r} {name}")
            setattr(self, name, state[name])
        shapes = self._shapes()
        for name, least, most in (("mu", -LARGEST, LARGEST), ("sigma", LEAST, LARGEST)):
            blocks = state[name]
            if len(blocks) != len(shapes):
                raise ValueError(f"some {name} are missing")
            for block, shape in zip(blocks, shapes):
                require_array(block, name, shape, np.float64)
                if not ((block >= least) & (block <= most)).all():
                    raise ValueError(f"some {name} are out of bounds")
            setattr(self, name, [np.array(block, order="C") for block in blocks])


def _touched(rows: Batch) -> tuple[NDArray[np.intp], Batch]:
    """Return the columns that have entries, and the rows of these columns alone."""
    X: Any = rows.X
    columns, places = np.unique(X.indices, return_inverse=True)
    shape = (rows.n_rows, len(columns))
    return columns, rows.replace(X=sparse.csr_array((X.data, places, X.indptr), shape=shape))
