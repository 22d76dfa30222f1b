"""The setting of section 4: data sets, selectors, the learner, and the paper's figures.

Haug, Pawelczyk, Broelemann & Kasneci (2020), Leveraging Model Inherent Variable Importance for
Stable Online Feature Selection (FIRES).
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron

sys.path.insert(0, str(Path(__file__).parents[2]))
import data
import driftsieve
from driftsieve import FIRES
from driftsieve.batch import Batch, concatenate, dense
from driftsieve.evaluation.masking import Masked
from driftsieve.streams.random_tree import RandomTree
from driftsieve.streams.rbf import RandomRBF

BATCHES = 25, 50, 75, 100
FRACTIONS = 0.1, 0.15, 0.2
LARGE = "KDD", "MNIST", "RBF"
"""Data sets that only the middle one of the fractions is tried on, unless all are asked for."""
STABILITY_WINDOW = 10
SEED = 0

Selector = Callable[[int, int], Any]
"""Makes a selector of k features that learns in steps of so many rows."""

SELECTORS: dict[str, Selector] = {
    "FIRES-GLM": lambda k, step: FIRES("glm", k, step=step),
    "FIRES-ANN": lambda k, step: FIRES("ann", k, step=step),
    "FIRES-SDT": lambda k, step: FIRES("sdt", k, step=step),
    "OFS": lambda k, step: driftsieve.OFS(k),
    "EFS": lambda k, step: driftsieve.EFS(k),
}
if hasattr(driftsieve, "FSDS"):
    SELECTORS["FSDS"] = lambda k, step: driftsieve.FSDS(k)
COLOURS = dict(
    zip(
        ("FIRES-GLM", "FIRES-ANN", "FIRES-SDT", "OFS", "EFS", "FSDS"),
        ("#0b4f9e", "#3f93d6", "#8cc5f2", "#d9822b", "#6a8d3a", "#8a5fa8"),
    )
)


@dataclass(frozen=True)
class DataSet:
    """Rows in the order of the stream, scaled to [0, 1], and whether they are of the class."""

    name: str
    X: Any
    y: Any

    def batches(self, size: int) -> list[Batch]:
        return [
            Batch(self.X[i : i + size], self.y[i : i + size]) for i in range(0, len(self.y), size)
        ]

    @property
    def larger_class(self) -> float:
        """The accuracy of always guessing the class that is larger."""
        return float(max(self.y.mean(), 1 - self.y.mean()))


@dataclass(frozen=True)
class Described:
    """A data set of the paper, and what is here of it."""

    paper: str
    """Rows and features in the paper."""
    note: str
    load: Callable[[], DataSet | None]


def stored(
    name: str,
    file: str,
    positive: Any = 1,
    *,
    rows: int | None = None,
    shuffled: bool = False,
) -> Callable[[], DataSet | None]:
    """Read a file of bench/data.py: one class against the others."""

    def load() -> DataSet | None:
        found = data.load(file)
        if found is None:
            return None
        X, y = found[:2]
        if shuffled:
            order = np.random.default_rng(SEED).permutation(len(y))[:rows]
            X, y = X[order], y[order]
        return DataSet(name, scaled(dense(X)), (y == positive).astype(np.int64))

    return load


def generated(name: str, make: Callable[[], Any]) -> Callable[[], DataSet]:
    def load() -> DataSet:
        batch = concatenate(list(make()))
        return DataSet(name, scaled(batch.X), batch.y)

    return load


def scaled(X: Any) -> Any:
    """Scale each column to [0, 1] over all rows, as the paper does; constant ones become 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.where(high > low, high - low, 1)
    return ((X - low) / reach).astype(np.float32)


DATA_SETS = {
    "HAR": Described(
        "10,299 × 562",
        "walking against the rest: the 4,722 rows of the paper's author's own file, "
        "shuffled, 36% of them walking; the other rows, with which it is 17%, are not here",
        stored("HAR", "har_binary_pystreamfs"),
    ),
    "Spambase": Described(
        "4,601 × 57",
        "all rows; the file is sorted by class, so they are shuffled",
        stored("Spambase", "spambase", shuffled=True),
    ),
    "Usenet": Described("5,931 × 658", "all rows in their order", stored("Usenet", "usenet")),
    "Gisette": Described(
        "7,000 × 5,000",
        "the 1,000 rows of the validation part; the others are not here",
        stored("Gisette", "gisette_valid"),
    ),
    "Madelon": Described("2,600 × 500", "all rows in their order", stored("Madelon", "madelon")),
    "Dota": Described(
        "100,000 × 116",
        "the 10,294 rows of the test part; the others are not here",
        stored("Dota", "dota2_test"),
    ),
    "KDD": Described(
        "100,000 × 41",
        "attacks against normal traffic: 100,000 rows of the 10 % file, drawn and in random order; "
        "nominal columns are numbers",
        stored("KDD", "kdd99_10pct", rows=100_000, shuffled=True),
    ),
    "MNIST": Described(
        "70,000 × 784",
        "the digit 3 against the others, all rows in their order",
        stored("MNIST", "mnist", 3),
    ),
    "RBF": Described(
        "10,000 × 10,000",
        "`RandomRBF(n_rows=10_000, n_features=10_000, dtype='float32')`, all else by default",
        generated(
            "RBF", lambda: RandomRBF(n_rows=10_000, n_features=10_000, dtype="float32", seed=SEED)
        ),
    ),
    "RTG": Described(
        "10,000 × 450",
        "`RandomTree(n_rows=10_000, n_num_features=200, n_cat_features=50, one_hot=True)`, all "
        "else by default; a random tree is another one in the paper",
        generated(
            "RTG",
            lambda: RandomTree(
                n_rows=10_000, n_num_features=200, n_cat_features=50, one_hot=True, seed=SEED
            ),
        ),
    ),
}

COLUMNS = "Boosting", "VFDT", *COLOURS


def by_column(rows: dict[str, tuple[float, ...]]) -> dict[str, dict[str, float]]:
    """Return rows of the paper by their columns, the last of which are those of the selectors."""
    return {name: dict(zip(COLUMNS[-len(row) :], row)) for name, row in rows.items()}


PAPER_ACCURACY = by_column(
    {
        "HAR": (0.788, 0.819, 0.87, 0.842, 0.872, 0.928, 0.87, 0.919),
        "Spambase": (0.83, 0.638, 0.742, 0.685, 0.66, 0.721, 0.577, 0.657),
        "Usenet": (0.507, 0.504, 0.556, 0.541, 0.541, 0.563, 0.531, 0.537),
        "Gisette": (0.673, 0.687, 0.933, 0.902, 0.906, 0.911, 0.881, 0.921),
        "Madelon": (0.551, 0.481, 0.523, 0.509, 0.508, 0.522, 0.511, 0.539),
        "Dota": (0.552, 0.521, 0.516, 0.505, 0.505, 0.514, 0.504, 0.505),
        "KDD": (0.989, 0.985, 0.969, 0.928, 0.956, 0.962, 0.971, 0.785),
        "MNIST": (0.906, 0.894, 0.930, 0.884, 0.940, 0.950, 0.879, 0.930),
        "RBF": (0.323, 0.738, 0.973, 0.995, 0.973, 0.748, 0.973, 0.984),
        "RTG": (0.812, 0.835, 0.793, 0.730, 0.743, 0.743, 0.789, 0.719),
    }
)
"""Table 3, accuracy."""
PAPER_MS = by_column(
    {
        "HAR": (2264.805, 192.515, 2.729, 38.156, 27.497, 20.892, 43.309, 4.195),
        "Spambase": (234.741, 21.096, 1.761, 28.341, 23.333, 10.135, 15.463, 1.969),
        "Usenet": (2448.95, 206.354, 2.996, 41.897, 27.948, 44.696, 99.758, 4.331),
        "Gisette": (15026.415, 1781.348, 22.391, 164.682, 42.29, 291.428, 667.923, 36.806),
        "Madelon": (1398.29, 245.073, 2.849, 38.992, 27.482, 51.872, 82.638, 4.217),
        "Dota": (330.895, 54.143, 2.200, 30.645, 23.62, 18.084, 24.396, 2.944),
        "KDD": (110.659, 12.226, 2.073, 28.614, 22.96, 1.829, 10.756, 1.977),
        "MNIST": (1960.237, 275.872, 3.298, 43.129, 28.607, 14.597, 24.094, 6.075),
        "RBF": (26265.709, 3567.720, 34.953, 226.017, 38.409, 1356.477, 1594.846, 85.514),
        "RTG": (1244.723, 203.776, 2.609, 35.698, 26.166, 31.511, 45.706, 4.165),
    }
)
"""Table 3, milliseconds per step, of selector and learner together."""
PAPER_STABILITY = by_column(
    {
        "HAR": (0.985, 0.652, 0.865, 0.756, 0.921, 0.986),
        "Spambase": (0.901, 0.819, 0.710, 0.971, 0.822, 0.908),
        "Usenet": (0.820, 0.931, 0.747, 0.775, 0.749, 0.937),
        "Gisette": (0.937, 0.987, 0.756, 0.295, 0.845, 0.949),
        "Madelon": (0.526, 0.489, 0.682, 0.158, 0.783, 0.281),
        "Dota": (0.978, 0.950, 0.932, 0.444, 0.993, 0.700),
        "KDD": (0.997, 0.996, 0.978, 0.940, 0.990, 0.999),
        "MNIST": (0.996, 0.753, 0.950, 0.703, 0.981, 0.989),
        "RBF": (0.959, 0.993, 0.793, 0.018, 0.906, 0.812),
        "RTG": (0.856, 0.582, 0.827, 0.457, 0.840, 0.080),
    }
)
"""Table 4."""


def learner() -> Masked:
    """Return a perceptron that sees what is not selected at zero; the inputs are scaled already."""
    return Masked(Perceptron(random_state=SEED), scale=False)


def described() -> str:
    """Describe the data sets as a list."""
    return "\n".join(
        f"- {name} ({set_.paper} in the paper): {set_.note}" for name, set_ in DATA_SETS.items()
    )
