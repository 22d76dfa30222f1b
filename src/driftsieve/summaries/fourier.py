"""Random Fourier features, and sketches of rows beside their images.

Rahimi & Recht (2007), *Random Features for Large-Scale Kernel Machines*: with w of independent
normal numbers of deviation 1 / bandwidth and b uniform in [0, 2π), the inner products of
z(x) = √(2 / D) cos(wᵀx + b) approximate the Gaussian kernel exp(−‖x − x'‖² / (2 bandwidth²)).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from driftsieve.batch import Batch
from driftsieve.selection import require_whole
from driftsieve.summaries.sketch import SHORTEST, FrequentDirections
from driftsieve.summaries.sketch_rows import Floats, checked_lengths, filled
from driftsieve.summaries.varied import Varied


@dataclass(frozen=True)
class Fourier:
    """The Gaussian kernel, by `components` random Fourier features."""

    components: int = 256
    bandwidth: float = 1.0

    def __post_init__(self) -> None:
        require_whole("components", self.components, 1)
        number = isinstance(self.bandwidth, (int, float, np.number))
        if not number or isinstance(self.bandwidth, bool) or not 0 < self.bandwidth < np.inf:
            raise ValueError(f"bandwidth must be a positive number, not {self.bandwidth!r}")

    def waves(self, n_features: int, seed: int) -> tuple[Floats, Floats]:
        """Draw the frequencies and the phases for so many features."""
        rng = np.random.default_rng([seed, n_features, self.components])
        frequencies = rng.standard_normal((n_features, self.components)) / self.bandwidth
        return frequencies, rng.uniform(0.0, 2.0 * np.pi, self.components)


class ImagedDirections:
    """A sketch of rows of unit length, each beside its image: [Y Z] of so many features and
    components.

    Both blocks of the sketch share one rotation, and so the right singular vectors of Z's block
    stand for those of all images, with Y's block to regress them on. Rows of zeros have images,
    too. Holds what a sketch of so many features and components does, the frequencies (8 bytes for
    each feature and component) and 24 bytes a feature.
    """

    def __init__(
        self,
        n_features: int,
        n_jobs: int = 1,
        *,
        fourier: Fourier,
        size: int,
        fill: bool = False,
        seed: int = 0,
    ) -> None:
        self.n_features = n_features
        self.n_jobs = n_jobs
        self.fourier = fourier
        self.size = size
        self.fill = fill
        self.seed = seed
        self.varied = Varied(n_features)
        width = n_features + fourier.components
        self._sketch = FrequentDirections(width, n_jobs, size=size, seed=seed)
        self._waves = fourier.waves(n_features, seed)

    @property
    def nbytes(self) -> int:
        waves = sum(int(array.nbytes) for array in self._waves)
        return self._sketch.nbytes + self.varied.nbytes + waves

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, whatever the rows weigh."""
        waves = 8 * (self.n_features + 1) * self.fourier.components
        return self._sketch.most_bytes(weight) + 24 * self.n_features + waves

    def covariance_error(self) -> float:
        """Return a bound of the error of [Y Z]ᵀ[Y Z]."""
        return self._sketch.covariance_error()

    def blocks(self) -> tuple[Floats, Floats]:
        """Return Y's block of the sketch and that of Z, directions as columns."""
        directions, _ = self._sketch.directions()
        return directions[: self.n_features], directions[self.n_features :]

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights shrink to `fade` of what they are, then take a batch in."""
        if batch.n_features != self.n_features:
            raise ValueError(
                f"the batch has {batch.n_features} features, not {self.n_features} as before"
            )
        full = filled(batch) if self.fill else batch
        joined = self._joined(full, checked_lengths(full))
        self._sketch.update(joined, fade)
        self.varied.update(batch)

    def _joined(self, batch: Batch, lengths: Floats) -> Batch:
        """Return rows of unit length, each followed by its image."""
        factors = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > SHORTEST)
        frequencies, phases = self._waves
        X: Any = batch.X.astype(np.float64)
        if batch.is_sparse:
            X.data *= np.repeat(factors, np.diff(X.indptr))
        else:
            X *= factors[:, None]
        images = np.sqrt(2.0 / self.fourier.components) * np.cos(X @ frequencies + phases)
        if batch.is_sparse:
            joined: Any = sparse.csr_array(sparse.hstack([X, sparse.csr_array(images)]))
        else:
            joined = np.hstack([X, images])
        return Batch(joined, weight=batch.weight)

    def fade(self, factor: float) -> None:
        """Let all weights held shrink to `factor` of what they are."""
        self._sketch.fade(factor)

    def merge(self, other: Self) -> None:
        """Take in the sketch of other rows, which were imaged in the same way."""
        if (self.fourier, self.seed) != (other.fourier, other.seed):
            raise ValueError("sketches of images under different waves cannot be merged")
        self._sketch.merge(other._sketch)
        self.varied.merge(other.varied)

    def rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        """Refuse: images are made of all features, each with its own frequencies."""
        raise ValueError(
            "with a kernel, features cannot come and go or change places, because the images of "
            "rows are made of all of them"
        )

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON values and arrays; waves are drawn again."""
        return {
            "n_features": self.n_features,
            "components": int(self.fourier.components),
            "bandwidth": float(self.fourier.bandwidth),
            "size": self.size,
            "fill": self.fill,
            "seed": self.seed,
            "sketch": self._sketch.to_state(),
            "varied": self.varied.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the summary that `to_state` was called on."""
        sketch, varied = FrequentDirections.from_state(state["sketch"]), state["varied"]
        fourier = Fourier(state["components"], state["bandwidth"])
        width = state["n_features"] + fourier.components
        if (sketch.n_features, sketch.size, sketch.unit) != (width, state["size"], False):
            raise ValueError(f"a sketch of {sketch.n_features} columns instead of {width}")
        seen = Varied.from_state(varied, state["n_features"])
        self = cls(
            state["n_features"],
            fourier=fourier,
            size=state["size"],
            fill=bool(state["fill"]),
            seed=state["seed"],
        )
        self._sketch, self.varied = sketch, seen
        return self
