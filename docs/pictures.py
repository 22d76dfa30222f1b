"""Draws the pictures of the page on quantiles: `python docs/pictures.py`.

Every number in them is measured by the library while they are drawn.
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt

from driftsieve import Batch, Fading, Screening
from driftsieve.streams.linear import DriftingLinear
from driftsieve.summaries.levels import LevelQuantiles
from driftsieve.summaries.quantiles import Quantiles

HERE = Path(__file__).parent / "images"
BLUE, ORANGE, GREY, GREEN = "#2f6f9f", "#d9822b", "#8a8f98", "#3d8b5f"
plt.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "driftsieve",
        "font.family": "DejaVu Sans",
    }
)


def save(figure: Any, name: str) -> None:
    figure.savefig(HERE / f"{name}.png", dpi=110, bbox_inches="tight")
    plt.close(figure)


def learnt(kind: Any, X: Any, y: Any, epsilon: float) -> Any:
    summary = kind(X.shape[1], epsilon=epsilon)
    for i in range(0, len(X), 1000):
        summary.update(Batch(X[i : i + 1000], y[i : i + 1000]))
    return summary


def how_it_works() -> None:
    """One feature, its entries at a coarse epsilon, and the bins made of them."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40_000)
    X = (rng.standard_normal(len(y)) + 1.2 * y)[:, None]
    summary = learnt(Quantiles, X, y, 0.02)
    (entries,) = summary._ask(lambda entries, lo, hi: entries)
    table = summary.tables(5)
    figure, axes = plt.subplots(3, 1, figsize=(8, 6.4), sharex=True, height_ratios=[1, 1.2, 1.2])
    shown = rng.choice(len(y), 1500, replace=False)
    for c, colour in enumerate((BLUE, ORANGE)):
        rows = shown[y[shown] == c]
        axes[0].plot(X[rows, 0], rng.uniform(0, 1, len(rows)), ".", ms=3, color=colour, alpha=0.6)
    axes[0].set_yticks([])
    axes[0].set_title("the stream: 40,000 values of one feature, in two classes", loc="left")
    bottom = np.zeros(len(entries.values))
    bins = table.edges(0)
    low = np.zeros(5)
    for label, colour in ((0, BLUE), (1, ORANGE)):
        c = summary.classes.index(label)
        axes[1].bar(entries.values, entries.weights[c], 0.035, bottom=bottom, color=colour)
        bottom += entries.weights[c]
        share = table.table(0)[:, c] / len(y)
        axes[2].bar(bins[:-1], share, np.diff(bins), bottom=low, align="edge", color=colour,
                    edgecolor="white", linewidth=1)  # fmt: skip
        low += share
    axes[1].set_ylabel("rows")
    axes[1].set_title(
        f"what is kept: {len(entries.values)} of them, each with the rows of either class up to it",
        loc="left",
    )
    (score,) = Screening("mutual_information", k=1).fit(X, y).scores_
    axes[2].set_title(
        f"when asked: five bins of equal weight, the classes in each, a score: {score:.2f} nats",
        loc="left",
    )
    axes[2].set_ylabel("share of all rows")
    axes[2].set_xlim(-4, 5)
    figure.tight_layout()
    save(figure, "quantiles")


def what_epsilon_costs() -> None:
    """Bytes and the largest error of a rank, by epsilon, for both summaries."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000_000, 1)).astype(np.float32)
    y = (X[:, 0] + rng.standard_normal(len(X)) > 0).astype(int)
    ordered = np.sort(X[:, 0])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    epsilons = np.array([0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005])
    for kind, name, colour in ((Quantiles, "quantiles", BLUE), (LevelQuantiles, "levels", ORANGE)):
        size, error = [], []
        for epsilon in epsilons:
            summary = learnt(kind, X, y, epsilon)
            ranks = np.linspace(0, 1, 1001)[1:-1]
            true = np.searchsorted(ordered, summary.quantiles(0, ranks), side="right") / len(X)
            size.append(summary.nbytes / 1024)
            error.append(np.abs(true - ranks).max())
        left.loglog(epsilons, size, "o-", color=colour, label=f'summary="{name}"')
        right.loglog(epsilons, error, "o-", color=colour)
    right.loglog(epsilons, epsilons, "--", color=GREY)
    right.text(0.004, 0.0055, "the promise: epsilon", color=GREY, rotation=32)
    left.set(xlabel="epsilon", title="memory, KiB per feature")
    right.set(xlabel="epsilon", title="largest error of a rank")
    left.legend(frameon=False)
    figure.suptitle("a million random rows in two classes", fontsize=10)
    figure.tight_layout()
    save(figure, "epsilon")


def when_to_fade() -> None:
    """Relevant features found while they move, with fading and without."""
    stream = DriftingLinear(n_rows=60_000, n_features=200, k=20, shift_every=1_000, step=1,
                            seed=1, batch=1000, dtype="float32")  # fmt: skip
    sieves = {
        "for_drift(20_000)": (Fading.for_drift(20_000), BLUE),
        "no fading": (None, ORANGE),
    }
    made = {
        name: Screening("mutual_information", k=20, memory=memory)
        for name, (memory, _) in sieves.items()
    }
    found: dict[str, list[float]] = {name: [] for name in made}
    rows = []
    for batch in stream:
        rows.append(rows[-1] + 1000 if rows else 1000)
        relevant = stream.relevant_at(rows[-1] - 1)
        for name, sieve in made.items():
            sieve.learn(batch)
            found[name].append(np.isin(sieve.selection_.indices, relevant).mean())
    figure, axis = plt.subplots(figsize=(8, 3))
    for name, (_, colour) in sieves.items():
        axis.plot(rows, found[name], color=colour)
        axis.text(rows[-1] + 500, found[name][-1], name, color=colour, va="center")
    axis.set(xlabel="rows", ylabel="relevant features found", ylim=(0, 1), xlim=(0, 72_000))
    axis.set_xticks(range(0, 60_001, 20_000), ["0", "20,000", "40,000", "60,000"])
    axis.set_title("20 relevant features of 200; one is replaced every 1,000 rows", loc="left")
    figure.tight_layout()
    save(figure, "fading")


if __name__ == "__main__":
    how_it_works()
    what_epsilon_costs()
    when_to_fade()
