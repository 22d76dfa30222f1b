"""Streams of one column for each distribution and order of arrival that quantiles are tried on."""

import numpy as np

DISTRIBUTIONS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "heavy tail": lambda rng, n: rng.standard_cauchy(n),
    "duplicates": lambda rng, n: np.round(rng.standard_normal(n) * 9),
    "skewed": lambda rng, n: np.round(rng.exponential(size=n) ** 3, 2),
}


def _inwards(x):
    """The least, the largest, the second least ..."""
    x = np.sort(x)
    half = len(x) // 2
    y = np.empty_like(x)
    y[::2], y[1::2] = x[: len(x) - half], x[len(x) - half :][::-1]
    return y


def _in_steps(x):
    """Sorted pieces, the higher ones first in every other pair of them."""
    parts = np.array_split(np.sort(x), 12)
    return np.concatenate([parts[i ^ 1] for i in range(12)])


ORDERS = {
    "random": lambda x: x,
    "sorted": np.sort,
    "reversed": lambda x: np.sort(x)[::-1],
    "zoom in": _inwards,
    "zoom out": lambda x: _inwards(x)[::-1],
    "steps": _in_steps,
    "alternating": lambda x: np.stack(np.array_split(np.sort(x), 2)).T.ravel(),
}


def columns(n, seed=0):
    """Return a matrix with a column for each distribution in each order, and some others."""
    rng = np.random.default_rng(seed)
    found = [
        arrange(draw(rng, n)) for draw in DISTRIBUTIONS.values() for arrange in ORDERS.values()
    ]
    constant = np.full(n, -2.5)
    with_gaps = np.where(rng.random(n) < 0.3, np.nan, rng.standard_normal(n))
    moving = rng.random(n) + (np.arange(n) > n // 2)
    return np.column_stack([constant, with_gaps, moving, *found])
