"""Feature weights from principal directions: GENFEATWEIGHT with p = 2 of Huang et al. (2015).

H. Huang, S. Yoo and S. Kasiviswanathan (2015), *Unsupervised Feature Selection on Data Streams*,
Algorithm 1 and Lemma 3.3. Points are rows here and columns there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

GRAM_SIDE = 3_000
"""A Gram matrix of at most so many rows is made and decomposed; of a larger one, only products are
taken."""

NEGLIGIBLE = 1e-6
"""Singular values below this part of the largest count as zero: squares of them, which is what a
Gram matrix holds, drown in the rounding errors of the largest."""

AUTO = 8.0
"""The paper's alpha, in units of the last singular value: 2**3 (section 5.1)."""


def unit_rows(X: Any) -> Any:
    """Scale each row to length 1; rows of zeros stay as they are. Float64, dense or CSR."""
    if isinstance(X, np.ndarray):
        Y = X.astype(np.float64)
        Y /= _or_one(np.abs(Y).max(axis=1, initial=0.0))[:, None]  # or squares might underflow
        Y /= _or_one(np.sqrt(np.einsum("ij,ij->i", Y, Y)))[:, None]
        return Y
    Y = sparse.csr_array(X, dtype=np.float64)
    for norm in (np.inf, 2):
        length = _or_one(sparse.linalg.norm(Y, norm, axis=1))
        Y = sparse.csr_array((Y.data / np.repeat(length, np.diff(Y.indptr)), Y.indices, Y.indptr),
                             shape=Y.shape)  # fmt: skip
    return Y


def _or_one(length: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(length > 0, length, 1.0)


def principal_directions(Y: Any, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the right singular vectors of `Y`, as columns, with the largest singular values.

    At most `count`, and no more than the rank.
    """
    rows, features = Y.shape
    wide = rows < features
    side, tall = min(rows, features), Y.T if wide else Y
    count = min(count, side)
    if side <= GRAM_SIDE or count >= side:
        gram = tall.T @ tall
        gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
        squares, vectors = linalg.eigh(gram, subset_by_index=(side - count, side - 1))
    else:
        products = LinearOperator((side, side), lambda v: tall.T @ (tall @ v), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(side)
        squares, vectors = eigsh(products, count, v0=start)
    order = np.argsort(-squares)
    lengths = np.sqrt(np.maximum(squares[order], 0.0))
    kept = lengths > NEGLIGIBLE * lengths.max(initial=0.0)
    lengths, vectors = lengths[kept], vectors[:, order[kept]]
    return (Y.T @ vectors / lengths if wide else vectors), lengths


def ridge_weights(
    directions: NDArray[np.float64], lengths: NDArray[np.float64], alpha: float | None
) -> NDArray[np.float64]:
    """Weigh each feature by its largest coefficient, when principal components are regressed on
    all features with the penalty alpha (Lemma 3.3); None: 8 times the last singular value."""
    if not len(lengths):
        return np.zeros(len(directions))
    penalty = AUTO * lengths[-1] if alpha is None else alpha
    weights: NDArray[np.float64] = np.abs(directions * (lengths / (lengths**2 + penalty))).max(
        axis=1
    )
    return weights


def imaged_weights(
    rows: NDArray[np.float64], images: NDArray[np.float64], count: int, alpha: float | None
) -> NDArray[np.float64]:
    """Weigh each feature by its largest coefficient, when the main directions of images are
    regressed on the features.

    `rows` and `images` are the two blocks of one sketch (section 3.2 of the paper, "Other Kernels",
    as we read it: features stay as they are, and only the targets come from the kernel), with a
    column for each direction. None: alpha is 8 times the last singular value of the images.
    """
    _, lengths, targets = np.linalg.svd(images, full_matrices=False)
    count = min(count, int(np.sum(lengths > NEGLIGIBLE * lengths.max(initial=0.0))))
    if not count:
        return np.zeros(len(rows))
    penalty = AUTO * lengths[count - 1] if alpha is None else alpha
    inner = rows.T @ rows
    if penalty == 0.0:
        solved = np.linalg.pinv(inner, hermitian=True) @ targets[:count].T
    else:
        solved = np.linalg.solve(inner + penalty * np.eye(len(inner)), targets[:count].T)
    weights: NDArray[np.float64] = np.abs(rows @ solved).max(axis=1)
    return weights
