"""FSDS: features chosen without labels, from a sketch of the stream.

Huang, Yoo & Kasiviswanathan (2015), *Unsupervised Feature Selection on Data Streams*.
"""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import Batch
from driftsieve.memory import Fading, Memory, Window
from driftsieve.remembered import remember
from driftsieve.scores.subspace import NEGLIGIBLE, imaged_weights, ridge_weights
from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.remembering import RememberingSelector
from driftsieve.summaries.fourier import Fourier, ImagedDirections
from driftsieve.summaries.sketch import FrequentDirections, default_size

OPEN_SIZE = 100
"""Directions of a sketch whose features are not known beforehand."""


class FSDS(RememberingSelector):
    """Select the features that matter for where points lie in the main directions of a stream.

    Needs no labels. Rows are scaled to unit length; a sketch keeps the main directions of all rows
    seen (`FrequentDirections`); features weigh by ridge regression of the points' places on the
    first `directions` of them (Algorithm 2 of the paper).

    Parameters
    ----------
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    directions : int, default=10
        How many main directions features are judged by: as many as there are clusters.
    sketch_size : int or None, default=None
        Directions that the sketch keeps. None: the root of the number of features (100 if they may
        come and go), but at least twice `directions`.
    alpha : float or "auto", default="auto"
        The penalty of the ridge regression. "auto": 8 times the length of the last direction that
        counts.
    memory : Fading, Window or None, default=None
        How the past is forgotten. None: all rows count alike.
    kernel : Fourier, "gaussian" or None, default=None
        Which main directions. None: those of the rows of unit length (the cosine). A Gaussian
        kernel, "gaussian" or a `Fourier` with its bandwidth: those of their images under it.
        Features are weighed all the same.
    missing : {"raise", "zero"}, default="raise"
        What becomes of missing values (NaN): an error, or zeros.
    features : {"closed", "open"}, default="closed"
        "closed": every batch has the same columns. "open": named columns may come, go and
        change places; one that is absent is missing, and so `missing="zero"` is needed.
    random_state : int, default=0
        The seed of the random directions that speed up large steps.

    Attributes
    ----------
    scores_, ranking_ : ndarray of shape (n_features_in_,)
        The weight of each feature (NaN for one that has not varied) and its rank (1 is best).
    selection_ : Selection
        The selected features, best first.
    sketch_ : FrequentDirections
        The sketch, to put other questions to; with a kernel, the `ImagedDirections`.
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import FSDS
    >>> rng = np.random.default_rng(0)
    >>> centres = np.zeros((3, 8))
    >>> centres[[0, 1, 2], [1, 4, 6]] = 5.0
    >>> sieve = FSDS(k=3, directions=3)
    >>> for _ in range(10):
    ...     X = centres[rng.integers(0, 3, 100)] + rng.standard_normal((100, 8))
    ...     sieve = sieve.partial_fit(X)
    >>> sorted(sieve.selection_.names)
    ['x1', 'x4', 'x6']
    """

    affine_invariant = False

    _changeable = ("k", "alpha")

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        directions: int = 10,
        sketch_size: int | None = None,
        alpha: float | str = "auto",
        memory: Memory = None,
        kernel: Fourier | str | None = None,
        missing: str = "raise",
        features: str = "closed",
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.directions = directions
        self.sketch_size = sketch_size
        self.alpha = alpha
        self.memory = memory
        self.kernel = kernel
        self.missing = missing
        self.features = features
        self.random_state = random_state

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether cells may be missing."""
        return self.missing == "zero"

    @property
    def draws(self) -> bool:
        """Whether numbers are drawn for one column after another."""
        return self.kernel is not None

    @property
    def sketch_(self) -> FrequentDirections | ImagedDirections:
        """The sketch of the rows that count."""
        sketch: FrequentDirections | ImagedDirections = self._answer(
            "sketch", lambda: self._remembered.summary
        )
        return sketch

    def _begin(self, n_features: int) -> None:
        self._check_parameters()
        fourier = self._fourier()
        make: Any = partial(FrequentDirections, unit=True)
        if fourier is not None:
            make = partial(ImagedDirections, fourier=fourier)
        size, fill = self._size(n_features), self.missing == "zero"
        make = partial(make, size=size, fill=fill, seed=int(self.random_state))
        self._remembered = remember(make, n_features, self.memory)

    def _fourier(self) -> Fourier | None:
        if self.kernel is None or isinstance(self.kernel, Fourier):
            return self.kernel
        if self.kernel == "gaussian":
            return Fourier()
        raise ValueError(f'kernel must be None, "gaussian" or a Fourier, not {self.kernel!r}')

    def _size(self, n_features: int) -> int:
        if self.sketch_size is not None:
            return int(self.sketch_size)
        usual = OPEN_SIZE if self._is_open() else default_size(n_features)
        return max(usual, 2 * int(self.directions))

    def _check_parameters(self) -> None:
        require_whole("directions", self.directions, 1)
        require_whole("random_state", self.random_state, 0)
        if self.sketch_size is not None:
            require_whole("sketch_size", self.sketch_size, 1)
            if self.sketch_size < self.directions:
                raise ValueError(
                    f"a sketch of {self.sketch_size} directions has not {self.directions} of them: "
                    "sketch_size must be at least as large as directions"
                )
        if self.missing not in ("raise", "zero"):
            raise ValueError(f'missing must be "raise" or "zero", not {self.missing!r}')
        self._fourier()
        self._alpha()

    def _alpha(self) -> float | None:
        """Return the penalty, None for the usual one, or refuse what is none."""
        if isinstance(self.alpha, str) and self.alpha == "auto":
            return None
        alpha: Any = self.alpha
        number = isinstance(alpha, (int, float, np.number)) and not isinstance(alpha, bool)
        if not number or not 0 <= alpha < np.inf:
            raise ValueError(f'alpha must be "auto" or a number of at least 0, not {alpha!r}')
        return float(alpha)

    def _learn(self, batch: Batch) -> None:
        self._alpha()
        if isinstance(self.memory, Window) and not self.takes_missing:  # which keeps what it gets
            batch.refuse_missing("FSDS")
        self._remembered.update(batch)

    def _score(self) -> NDArray[np.float64]:
        sketch = self._remembered.summary
        if isinstance(sketch, ImagedDirections):
            scores = imaged_weights(*sketch.blocks(), int(self.directions), self._alpha())
            scores[~sketch.varied.mask] = np.nan
            return scores
        directions, lengths = sketch.directions(int(self.directions))
        count = int(np.sum(lengths > NEGLIGIBLE * lengths.max(initial=0.0)))
        directions, lengths = directions[:, :count], lengths[:count]
        directions /= np.linalg.norm(directions, axis=0)
        scores = ridge_weights(directions, lengths, self._alpha())
        scores[~sketch.varied.mask] = np.nan
        return scores

    def _rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        if n_features > len(places) and self.missing != "zero":
            raise ValueError(
                "there are columns that other rows have not, where they would be missing: "
                'FSDS(missing="zero") counts what is missing as zero'
            )
        super()._rearrange(places, n_features)

    def _restore(self, state: dict[str, Any]) -> None:
        made = self._remembered.summary
        super()._restore(state)
        sketch = self._remembered.summary
        for name in ("size", "unit", "fill", "seed", "fourier"):
            is_, should = (getattr(one, name, None) for one in (sketch, made))
            if is_ != should:
                raise ValueError(f"a sketch whose {name} is {is_!r}")

    def _parameters_to_state(self) -> dict[str, Any]:
        kernel = asdict(self.kernel) if isinstance(self.kernel, Fourier) else self.kernel
        return {**super()._parameters_to_state(), "kernel": kernel}

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        kernel = (
            Fourier(**state["kernel"]) if isinstance(state["kernel"], dict) else state["kernel"]
        )
        return {**super()._parameters_from_state(state), "kernel": kernel}

    @classmethod
    def law_variants(cls) -> Iterator[Self]:
        """Yield what the laws are put to."""
        for memory in (None, Fading(0.99), Fading(0.8, every=40), Window(70)):
            yield cls(k=3, memory=memory)
        yield cls(k=3, missing="zero")
        yield cls(k=3, missing="zero", memory=Window(70))
        yield cls(k=3, directions=2, alpha=1.0)
        yield cls(k=3, kernel=Fourier(8))
        yield cls(k=3, kernel=Fourier(8, bandwidth=0.5), memory=Fading(0.99))
