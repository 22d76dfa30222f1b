"""A river user's row, a dict of numbers, as values and the places of their columns."""

from collections.abc import Hashable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftsieve.batch import LARGEST
from driftsieve.tables import ADVICE

PLAIN = {float, int, bool}


def name_of(key: Hashable) -> str:
    """Return the name of a feature's column."""
    return key if isinstance(key, str) else str(key)


class Keys:
    """The keys of river's features, and the names and places of their columns."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._place_of_name = {name: place for place, name in enumerate(names)}
        self.names = tuple(self._place_of_name)
        self._keys: dict[str, Hashable] = {}
        self._last: tuple[tuple[Hashable, ...], NDArray[np.intp]] = ((), np.empty(0, dtype=np.intp))

    def places(self, keys: Iterable[Hashable]) -> NDArray[np.intp]:
        """Return the place of each key's column; new ones come last, in an order of their own."""
        keys = tuple(keys)
        if keys != self._last[0]:
            names = self._named(keys)
            self._add(names)
            places = [self._place_of_name[name] for name in names]
            self._last = keys, np.array(places, dtype=np.intp)
        return self._last[1]

    def _named(self, keys: Iterable[Hashable]) -> dict[str, Hashable]:
        """Return the keys by name, which must be theirs alone."""
        names: dict[str, Hashable] = {}
        for key in keys:
            name = name_of(key)
            other = names.setdefault(name, self._keys.get(name, key))
            if other != key:
                raise ValueError(
                    f"the features {other!r} and {key!r} would both be called {name!r}: "
                    "rename one of them"
                )
        return names

    def _add(self, keys: dict[str, Any]) -> None:
        """Give new keys their places. The order of a dict means nothing in river, and so must
        not decide between features of equal scores, as the order of columns does."""
        self._keys |= keys
        new = keys.keys() - self._place_of_name.keys()
        try:
            ordered = sorted(new, key=lambda name: keys[name])
        except TypeError:  # keys of several types
            ordered = sorted(new)
        for name in ordered:
            self._place_of_name[name] = len(self._place_of_name)
        self.names = tuple(self._place_of_name)


def numbers(x: Mapping[Hashable, Any]) -> NDArray[np.float64]:
    """Return the values of a row; None is a missing one."""
    values = list(x.values())
    if not PLAIN.issuperset(map(type, values)):
        for i, (key, value) in enumerate(x.items()):
            if value is None:
                values[i] = np.nan
            elif not isinstance(value, (Real, np.bool_)):
                raise ValueError(f"the feature {key!r} holds {value!r}: {ADVICE}")
    try:
        row = np.array(values, dtype=np.float64)
    except OverflowError:  # an integer beyond any float
        row = np.array([float(value) if abs(value) <= LARGEST else np.inf for value in values])
    if (np.abs(row) > LARGEST).any():
        key = next(key for key, value in zip(x, row) if abs(value) > LARGEST)
        raise ValueError(
            f"the feature {key!r} holds {x[key]!r}, which is too large to work with: "
            "replace it by a finite value or by None for missing"
        )
    return row
