"""GFW: what FSDS approximates, worked out from all rows at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.memory import Memory
from driftsieve.scores.lasso import lasso_bytes, lasso_weights
from driftsieve.scores.subspace import GRAM_SIDE, principal_directions, ridge_weights, unit_rows
from driftsieve.selection import Rule, require_whole
from driftsieve.selectors.kept_rows import MAX_BYTES, KeepsRows, require_number, steps_of


class GFW(KeepsRows):
    """Select the features that principal components are best regressed on, without labels.

    GENFEATWEIGHT, the offline method of Huang et al. (2015), Algorithm 1. Rows are scaled to
    length 1; the largest left singular vectors of the rows are regressed on all features, with a
    penalty; a feature weighs as much as the largest of its coefficients. A batch method: it keeps
    all rows, and is here as the reference for `FSDS`, which does not.

    Parameters
    ----------
    k : int, TopK, Threshold or Hysteresis, default=10
        How many features to select, or a rule that selects.
    directions : int, default=10
        How many singular vectors are regressed: the paper's k, for which it takes the number of
        clusters that are expected.
    p : {2, 1}, default=2
        The penalty: 2 is the sum of squared coefficients (ridge: the closed form of Lemma 3.3), 1
        that of absolute ones (lasso: a path, by LARS).
    alpha : float or "auto", default="auto"
        How much the penalty weighs. "auto" is, for p=2, 8 times the last singular value; for
        p=1, what leaves `nonzero` steps of the path.
    nonzero : int or None, default=None
        With p=1 and alpha="auto": the steps of each path, each of which lets a feature in or out.
        None: as many as are selected.
    memory : Window or None, default=None
        Which rows are remembered; None: all. Rows that are kept cannot fade.
    max_bytes : int, default=4 GiB
        What the rows and the work may take together: more is an error before it is taken.

    Attributes
    ----------
    scores_, ranking_, selection_
        As in all selectors. A constant feature has no score (NaN).
    n_features_in_, feature_names_in_, n_samples_seen_, position_
        Columns and rows seen, and where the stream stood behind the last batch, if it said so.

    Notes
    -----
    *Deviations*: singular values below a millionth of the largest count as zero, and their vectors
    are no targets. A lasso path is stopped after so many steps (the paper's footnote 6 points to
    Cai et al., who bound the number of nonzero coefficients: a step that lets a feature out makes
    the two differ).

    Examples
    --------
    >>> import numpy as np
    >>> from driftsieve import GFW
    >>> rng = np.random.default_rng(0)
    >>> X = np.abs(rng.normal(0, 0.1, (300, 6)))
    >>> X[np.arange(300), 2 + np.arange(300) % 3] += 1  # three clusters
    >>> sorted(GFW(k=3, directions=3).fit(X).selection_.names)
    ['x2', 'x3', 'x4']
    """

    _changeable = ("k", "directions", "p", "alpha", "nonzero", "max_bytes")  # rows are all there

    def __init__(
        self,
        k: int | Rule = 10,
        *,
        directions: int = 10,
        p: int = 2,
        alpha: float | str = "auto",
        nonzero: int | None = None,
        memory: Memory = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.k = k
        self.directions = directions
        self.p = p
        self.alpha = alpha
        self.nonzero = nonzero
        self.memory = memory
        self.max_bytes = max_bytes

    def _check(self) -> None:
        super()._check()
        require_whole("directions", self.directions, 1)
        if isinstance(self.p, bool) or self.p not in (1, 2):
            raise ValueError(f"p must be 1 (lasso) or 2 (ridge), not {self.p!r}")
        if not (isinstance(self.alpha, str) and self.alpha == "auto"):
            require_number("alpha", self.alpha, 'or "auto"')
        if self.nonzero is not None:
            require_whole("nonzero", self.nonzero, 1)

    def _working_bytes(self, X: Any) -> float:
        rows, features = X.shape
        side = min(rows, features)
        entries = 8 * X.size if isinstance(X, np.ndarray) else 12 * X.nnz
        needed = 3 * entries + 8 * (rows + features) * min(self.directions, side)
        needed += 3 * 8 * side**2 if side <= GRAM_SIDE else 0
        if self.p == 1:
            steps = self._steps(features) if self.alpha == "auto" else 0  # not known beforehand
            needed += lasso_bytes(features, steps)
        return float(needed)

    def _steps(self, n_features: int) -> int:
        if self.alpha != "auto":
            return 8 * n_features  # the penalty ends the path, before it has turned so often
        return steps_of(self.k, self.nonzero, n_features)

    def _weigh(self, X: Any) -> NDArray[np.float64]:
        Y = unit_rows(X)
        directions, lengths = principal_directions(Y, int(self.directions))
        alpha = None if self.alpha == "auto" else float(self.alpha)
        if self.p == 2:
            return ridge_weights(directions, lengths, alpha)
        targets = Y @ (directions / lengths)
        steps = [self._steps(Y.shape[1])]
        weights = lasso_weights(Y, targets, steps, penalty=alpha, max_bytes=self.max_bytes)
        return np.asarray(weights[0])

    @classmethod
    def _variants(cls) -> list[dict[str, Any]]:
        return [{"directions": 2}, {"directions": 3, "p": 1}, {"p": 1, "alpha": 0.1}]
