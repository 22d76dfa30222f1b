"""The setting of section 3.2: the drifting linear stream, and what the five scores find of it.

Wang & Barbu (2021), Online Feature Screening for Data Streams with Concept Drift, eq. 20 to 23.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from pictures import BLUE, GREEN, GREY, ORANGE, RED

from driftsieve import Fading, Screening
from driftsieve.scores.tables import chi2_of, gini_decrease_of, mutual_information_of
from driftsieve.streams.linear import DriftingLinear

ROWS, FEATURES, RELEVANT, SELECTED = 100_000, 1_000, 100, 500
BATCH = 1_000
SHIFTS = 250, 500, 1_000, 2_000, 5_000, 10_000
"""Rows between two shifts: l."""
WARM_UP = 20_000
EVERY = 5_000
"""Rows from one look at the rankings to the next."""
PAPER = Fading(0.9, every=250)
"""The paper's alpha, at each of its minibatches: at every row, 0.9 would remember ten rows."""
SCORES = "t", "fisher", "chi2", "gini", "mutual_information"

COLOURS = dict(zip(SCORES, (GREY, BLUE, ORANGE, GREEN, RED)))


def lasting(shift: int) -> int:
    """How many rows a feature stays relevant: the hundred move on by one at each shift (eq. 22)."""
    return RELEVANT * shift


def advised(shift: int) -> Fading:
    """What the library advises."""
    return Fading.for_drift(lasting(shift))


def stream_of(shift: int, rows: int = ROWS, seed: int = 1) -> DriftingLinear:
    return DriftingLinear(
        n_rows=rows, n_features=FEATURES, k=RELEVANT, shift_every=shift, seed=seed,
        batch=BATCH, dtype="float32",
    )  # fmt: skip


class Sieves:
    """All five scores under one memory: two share the moments, three share the bins."""

    def __init__(self, memory: Fading | None) -> None:
        self.moments = Screening("fisher", k=SELECTED, memory=memory)
        self.bins = Screening("chi2", k=SELECTED, memory=memory)

    def learn(self, batch: Any) -> None:
        self.moments.learn(batch)
        self.bins.learn(batch)

    def scores(self) -> dict[str, Any]:
        tables = self.bins.tables_
        return {
            "t": self.moments.set_params(score="t").scores_,
            "fisher": self.moments.set_params(score="fisher").scores_,
            "chi2": chi2_of(tables),
            "gini": gini_decrease_of(tables),
            "mutual_information": mutual_information_of(tables),
        }


def places(
    stream: DriftingLinear, memories: Mapping[str, Fading | None], every: int
) -> Iterator[tuple[int, dict[tuple[str, str], Any]]]:
    """Yield, every so many rows, the places (from 0) of the relevant features in each ranking."""
    sieves = {name: Sieves(memory) for name, memory in memories.items()}
    rows = 0
    for batch in stream:
        rows += len(batch)
        for sieve in sieves.values():
            sieve.learn(batch)
        if rows % every == 0:
            relevant = stream.relevant_at(rows - 1)
            yield (
                rows,
                {
                    (name, score): places_of(relevant, worth)
                    for name, sieve in sieves.items()
                    for score, worth in sieve.scores().items()
                },
            )


def places_of(relevant: Any, scores: Any) -> Any:
    place = np.empty(len(scores), int)
    place[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return place[relevant]


def detection_rate(place: Any) -> float:
    """The share of relevant features among those selected (eq. 23)."""
    return float((place < SELECTED).mean())


def rates(
    stream: DriftingLinear, memories: Mapping[str, Fading | None], every: int
) -> tuple[Any, dict[tuple[str, str], Any]]:
    """Return the rows, and the detection rates by memory and score then."""
    rows: list[int] = []
    found: dict[tuple[str, str], list[float]] = {}
    for at, by_sieve in places(stream, memories, every):
        rows.append(at)
        for key, place in by_sieve.items():
            found.setdefault(key, []).append(detection_rate(place))
    return np.array(rows), {key: np.array(rate) for key, rate in found.items()}
