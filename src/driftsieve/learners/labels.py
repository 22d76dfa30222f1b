"""The labels that a learner is told of when it begins, and their codes."""

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from driftsieve.classes import Classes


def distinct(y: NDArray[Any]) -> NDArray[Any]:
    """Return the labels that occur, sorted if they can be."""
    if y.dtype.kind == "f":
        check_classification_targets(y)  # says so if they are measurements
    found = Classes().encode(y)[1].labels  # says so if they are too many
    if y.dtype.kind != "O":
        return np.unique(y)
    with contextlib.suppress(TypeError):
        found = sorted(found)
    labels = np.empty(len(found), dtype=object)
    labels[:] = found
    return labels


def codes_of(y: NDArray[Any], labels: NDArray[Any], who: str) -> NDArray[np.intp]:
    """Return the place of each label among those known, or name one that is not."""
    known = Classes(labels.tolist())
    codes, met = known.encode(y)
    if len(met) > len(known):
        raise ValueError(
            f"the label {met.labels[len(known)]!r} is new to {who}, which has to know all labels "
            f"when it begins: pass classes={[*met.labels]!r}, and whatever follows"
        )
    return codes


def require_two(labels: NDArray[Any], who: str, remedy: str) -> None:
    """Refuse to tell classes apart if there are not at least two."""
    if len(labels) < 2:
        what = f"only one class, {labels.tolist()[0]!r}" if len(labels) else "no class"
        raise ValueError(f"{who} tells classes apart, and y holds {what}: {remedy}")
