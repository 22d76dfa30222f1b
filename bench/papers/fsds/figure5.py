"""Figure 5: drift. NMI over time of a text stream in its own order, against an early selection.

Run: python bench/papers/fsds/figure5.py
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, verdict, write_result
from pictures import BLUE, GREY, ORANGE, plt, save
from setting import BATCH, PAPER, data_set

from driftsieve import FSDS, Batch, Fading
from driftsieve.evaluation.clustering import Early, nmi_over_time

NUMBERS = 50, 100, 200, 400
EARLY, RECENT, EVERY = 2_000, 2_000, 1_000
HALF_LIFE = 1_000
REPEATS = 3
FADING, PLAIN, STATIC = (
    f"fading, half-life {HALF_LIFE:,}",
    "no fading",
    f"first {EARLY:,} rows only",
)
COLOURS = {FADING: BLUE, PLAIN: ORANGE, STATIC: GREY}


def main() -> None:
    of = data_set("tdt2", in_time=True)
    if of is None:
        return
    stream = [
        Batch(of.X[i : i + BATCH], of.y[i : i + BATCH]) for i in range(0, len(of.y), BATCH)
    ]  # fmt: skip
    found = {}
    for number in NUMBERS:
        selectors = {
            FADING: FSDS(number, directions=of.clusters, memory=Fading.half_life(HALF_LIFE)),
            PLAIN: FSDS(number, directions=of.clusters),
            STATIC: Early(FSDS(number, directions=of.clusters), EARLY),
        }
        seen = nmi_over_time(stream, selectors, every=EVERY, recent=RECENT, repeats=REPEATS)
        later = seen.filter(seen["rows"] > EARLY)
        found[number] = {name: later.filter(later["selector"] == name) for name in selectors}
        print(number, {n: round(t["nmi"].mean(), 4) for n, t in found[number].items()}, flush=True)  # type: ignore[arg-type]
    figure, axes = plt.subplots(2, 2, figsize=(9.5, 6.4), sharex=True, sharey=True)
    for axis, (number, curves) in zip(axes.flat, found.items()):
        for name, curve in curves.items():
            axis.plot(curve["rows"], curve["nmi"], "o-", ms=3, color=COLOURS[name], label=name)
        axis.set_title(f"{number} features")
    for axis in axes[1]:
        axis.set_xlabel("rows, in the order of time")
    for axis in axes[:, 0]:
        axis.set_ylabel(f"NMI on the last {RECENT:,} rows")
    axes[0, 0].legend(frameon=False)
    figure.tight_layout()
    picture = save(figure, "fsds_figure5")
    means = {n: {s: float(t["nmi"].mean()) for s, t in c.items()} for n, c in found.items()}
    lines = [
        [
            number,
            *(f"{mean[name]:.3f}" for name in COLOURS),
            verdict(mean[FADING] - mean[PLAIN], 0, at_most=False),
            verdict(mean[PLAIN] - mean[STATIC], 0, at_most=False),
        ]
        for number, mean in means.items()
    ]
    overall = {name: np.mean([mean[name] for mean in means.values()]) for name in COLOURS}
    lines.append(
        [
            "mean",
            *(f"{overall[name]:.3f}" for name in COLOURS),
            verdict(overall[FADING] - overall[PLAIN], 0, at_most=False),
            verdict(overall[PLAIN] - overall[STATIC], 0, at_most=False),
        ]
    )
    write_result(
        "fsds_figure5",
        f"""# FSDS, Figure 5: drift

{environment("scikit-learn")}

Written by `python bench/papers/fsds/figure5.py`. After
{PAPER},
section 5.4 and Figure 5. TDT2, news of
the first half of 1998, in the order of their days. Every {EVERY:,} rows K-means clusters the last
{RECENT:,} rows by the features selected at that time; NMI with their classes, mean of {REPEATS}
starts. Static is what FSDS selects from the first {EARLY:,} rows, as in the paper, which does not
say what rows it judges on, and has no fading.

![NMI over time, four numbers of features]({picture})

## Target: with fading at least as good as without, and that at least as good as static

Means from row {EARLY + EVERY:,} on, when the early selection has been made:

{table(["features", *COLOURS, "fading ≥ none", "none ≥ static"], lines)}
The paper: close to each other at first, because the large classes come early; then the static
selection falls behind.
""",
    )


if __name__ == "__main__":
    main()
