"""The offline twin: exact bins and scores from all rows at once, in NumPy, by a full sort.

It shares no code with the library, only the documented rule. A value lies in bin
⌊bins · (rows below it) / rows⌋, so a value is never split, and one that fills several bins leaves
the next ones empty. A feature with no more values than bins has a bin for each; and one whose
largest value alone reaches into all bins has one for that value and one for the others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

CHUNK = 1 << 22
"""Values sorted at a time."""


def class_tables(X: Any, y: NDArray[Any], bins: int = 5) -> NDArray[np.int64]:
    """Return the class counts, features by bins by classes (in the order of `np.unique(y)`)."""
    codes = np.unique(y, return_inverse=True)[1]
    count = _of_sparse if sparse.issparse(X) else _of_dense
    X = X.tocsc() if sparse.issparse(X) else X
    step = max(1, CHUNK // X.shape[0])
    parts = [count(X[:, j : j + step], codes, bins) for j in range(0, X.shape[1], step)]
    return np.concatenate(parts)


def _of_dense(X: NDArray[Any], codes: NDArray[np.intp], bins: int) -> NDArray[np.int64]:
    rows, features = X.shape
    columns = np.ascontiguousarray(X.T)
    order = np.argsort(columns, axis=1)
    ordered = np.take_along_axis(columns, order, axis=1)
    begins = np.ones((features, rows), bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    below = np.maximum.accumulate(np.where(begins, np.arange(rows), 0), axis=1)
    values = begins.cumsum(axis=1)
    bin_ = _bins_of(below, values, values[:, -1:], below[:, -1:], rows, bins)
    return _counted(np.arange(features)[:, None], bin_, codes[order], features, bins, codes)


def _of_sparse(X: Any, codes: NDArray[np.intp], bins: int) -> NDArray[np.int64]:
    """Sort what is stored, and reckon with the zeros, which are one more value of most columns."""
    rows, features = X.shape
    stored = X.data != 0
    feature = np.repeat(np.arange(features), np.diff(X.indptr))[stored]
    value, code = X.data[stored], codes[X.indices[stored]]
    order = np.lexsort((value, feature))
    feature, value, code = feature[order], value[order], code[order]
    n = np.bincount(feature, minlength=features)
    first = np.concatenate([[0], np.cumsum(n)])
    begins = np.ones(len(value), bool)
    begins[1:] = (value[1:] != value[:-1]) | (feature[1:] != feature[:-1])
    place = np.arange(len(value))
    below = np.maximum.accumulate(np.where(begins, place, 0)) - first[feature]
    values = np.cumsum(begins) - np.concatenate([[0], np.cumsum(begins)])[first[feature]]
    # The zeros come between the negative values and the positive ones.
    zeros, positive = rows - n, value > 0
    negative = np.bincount(feature[~positive], minlength=features)
    below += np.where(positive, zeros[feature], 0)
    values += positive & (zeros[feature] > 0)
    negatives = np.bincount(feature[~positive & begins], minlength=features)
    distinct = np.bincount(feature[begins], minlength=features) + (zeros > 0)
    largest = np.where(zeros > 0, negative, 0)  # the rows below the largest value
    np.maximum.at(largest, feature, below)
    bin_ = _bins_of(below, values, distinct[feature], largest[feature], rows, bins)
    counts = _counted(feature, bin_, code, features, bins, codes)
    of_zeros = np.bincount(codes) - counts.sum(axis=1)
    bin_of_zeros = _bins_of(negative, negatives + 1, distinct, largest, rows, bins)
    has = zeros > 0
    counts[np.flatnonzero(has), bin_of_zeros[has]] += of_zeros[has]
    return counts


def _bins_of(below: Any, number: Any, distinct: Any, largest: Any, rows: int, bins: int) -> Any:
    """Return the bin of a value from the rows below it and its number (from 1) among the values.

    `distinct` and `largest` tell of its feature: how many values it has, and the rows below the
    largest of them.
    """
    bin_ = below * bins // rows
    alone = largest * bins < rows
    bin_ = np.where(alone, np.where(number == distinct, bins - 1, 0), bin_)
    return np.where(distinct <= bins, number - 1, bin_)


def _counted(
    feature: Any, bin_: Any, code: Any, features: int, bins: int, codes: NDArray[np.intp]
) -> NDArray[np.int64]:
    classes = int(codes.max()) + 1
    cell = (feature * bins + bin_) * classes + code
    shape = (features, bins, classes)
    return np.bincount(cell.ravel(), minlength=features * bins * classes).reshape(shape)


def scores(counts: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Return chi-squared (eq. 5), the Gini impurity (eq. 6) and the mutual information (eq. 4).

    A feature that has all rows in one bin has no score: NaN.
    """
    n = counts.astype(float)
    N, M, W = n.sum(axis=2, keepdims=True), n.sum(axis=1, keepdims=True), n[0].sum()
    expected = N * M / W
    with np.errstate(divide="ignore", invalid="ignore"):
        chi2 = np.where(expected > 0, (n - expected) ** 2 / expected, 0).sum(axis=(1, 2))
        information = np.where(n > 0, n / W * np.log(n / expected), 0).sum(axis=(1, 2))
        left = n.cumsum(axis=1)[:, :-1]
        sides = left, M - left
        purity = sum((side**2).sum(axis=2) / side.sum(axis=2) for side in sides) / W
    gini = 1 - np.fmax.reduce(purity, axis=1)
    found = {"chi2": chi2, "gini": gini, "mutual_information": information}
    told = (N[:, :, 0] > 0).sum(axis=1) > 1
    return {name: np.where(told, score, np.nan) for name, score in found.items()}


def by_hand(column: NDArray[Any], codes: NDArray[np.intp], bins: int) -> NDArray[np.int64]:
    """Return what `class_tables` must return of one dense column: the rule, value by value."""
    counts = np.zeros((bins, int(codes.max()) + 1), np.int64)
    values = sorted(set(column.tolist()))
    alone = bool(np.sum(column < values[-1]) * bins < len(column))
    for number, value in enumerate(values):
        bin_ = int(np.sum(column < value)) * bins // len(column)
        if alone:
            bin_ = bins - 1 if value == values[-1] else 0
        if len(values) <= bins:
            bin_ = number
        for code in codes[column == value]:
            counts[bin_, code] += 1
    return counts


def check() -> None:
    """Compare dense, sparse and by hand, on columns with ties, zeros and both signs."""
    rng = np.random.default_rng(0)
    for rows in (1, 2, 7, 40, 101):
        for density in (0.0, 0.05, 0.5, 1.0):
            X = rng.integers(-9, 10, (rows, 60)).astype(float)
            X[:, ::3] = rng.standard_normal((rows, 20))
            X[:, ::7] = abs(X[:, ::7])
            X[:, 1::7] = -abs(X[:, 1::7])
            X *= rng.random(X.shape) < density
            codes = rng.permutation(np.arange(rows) % 3)
            dense = class_tables(X, codes)
            np.testing.assert_array_equal(dense, class_tables(sparse.csr_array(X), codes))
            for j in range(X.shape[1]):
                np.testing.assert_array_equal(dense[j], by_hand(X[:, j], codes, 5))


if __name__ == "__main__":
    check()
    print("dense, sparse and by hand agree")
