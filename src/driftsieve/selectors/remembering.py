"""What selectors share that put questions to one summary under a memory."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from driftsieve.memory import Memory, memory_from_state, memory_to_state
from driftsieve.remembered import Remembered
from driftsieve.selection import rule_from_state, rule_to_state
from driftsieve.selectors.base import StreamSelector


class RememberingSelector(StreamSelector):
    """Base of the selectors that learn by letting a summary remember rows (`_remembered`, made in
    `_begin`), and score what it says. A subclass has a parameter `memory`."""

    memory: Memory
    _remembered: Remembered

    _holds = ("_remembered",)

    def _merge(self, other: Self) -> None:
        self._remembered.merge(other._remembered)

    def _rearrange(self, places: NDArray[np.intp], n_features: int) -> None:
        self._remembered.rearrange(places, n_features)

    def _nbytes(self) -> int:
        return self._remembered.nbytes

    def _most_bytes(self) -> int:
        return self._remembered.most_bytes

    def _to_state(self) -> dict[str, Any]:
        return self._remembered.to_state()

    def _restore(self, state: dict[str, Any]) -> None:
        self._remembered.restore(state)

    def _parameters_to_state(self) -> dict[str, Any]:
        own = self.get_params(deep=False)
        plain = {n: v.item() if isinstance(v, np.generic) else v for n, v in own.items()}
        return {**plain, "k": rule_to_state(self.k), "memory": memory_to_state(self.memory)}

    @classmethod
    def _parameters_from_state(cls, state: dict[str, Any]) -> dict[str, Any]:
        return {
            **state,
            "k": rule_from_state(state["k"]),
            "memory": memory_from_state(state["memory"]),
        }
