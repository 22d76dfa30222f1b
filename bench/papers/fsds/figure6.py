"""Figure 6: how many rows come at a time.

Run: python bench/papers/fsds/figure6.py
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from pictures import BLUE, GREEN, GREY, ORANGE, RED, plt, save
from setting import PAPER, TEXTS, called, data_sets, fsds, nmi_of

BATCHES = 1, 100, 500, 1_000, 2_000, 5_000
FEW = 3_000
"""Rows, where they come one by one."""


def main() -> None:
    sets = data_sets("usps", "tdt2")
    if not sets:
        return
    figure, axes = plt.subplots(1, len(sets), figsize=(9, 3.6), squeeze=False)
    lines = []
    for axis, of in zip(axes[0], sets):
        some = of.take(slice(0, FEW))
        scores = {batch: fsds(some, batch).scores_ for batch in BATCHES}
        usual = scores[1_000]
        numbers = (200, 400, 800) if of.name in TEXTS else (50, 100, 200)
        for number, colour in zip(numbers, (BLUE, ORANGE, GREEN, GREY, RED)):
            nmi = [nmi_of(some, scores[batch], number) for batch in BATCHES]
            axis.plot(BATCHES, nmi, "o-", ms=4, color=colour, label=f"{number} features")
        axis.set(title=called(of.name), xlabel="rows in a batch", xscale="log", ylim=(0, None))
        lines += [
            [
                called(of.name),
                f"{batch:,}",
                f"{np.nanmax(np.abs(scores[batch] - usual)) / np.nanmax(usual):.1e}",
                f"{np.mean(top(scores[batch], numbers[0]) == top(usual, numbers[0])):.0%}",
            ]
            for batch in BATCHES
        ]
    for axis in axes[0]:
        axis.set_ylim(0, 1.1 * axis.get_ylim()[1])
        axis.legend(frameon=False)
    axes[0, 0].set_ylabel("NMI")
    figure.tight_layout()
    picture = save(figure, "fsds_figure6")
    write_result(
        "fsds_figure6",
        f"""# FSDS, Figure 6: batch sizes

{environment("scikit-learn")}

Written by `python bench/papers/fsds/figure6.py`. After
{PAPER},
section 5.4 and Figure 6: NMI by rows
in a batch. The paper finds its method very stable. Here batching does not matter at all: rows are
taken into the sketch a fixed number at a time, however they come, so the order of the rows alone
decides. {FEW:,} rows of each data set.

![NMI by rows in a batch]({picture})

{table(["data set", "rows in a batch", "difference", "the same top"], lines)}
Difference: the largest one of a score to that with batches of 1,000, by the largest score. The same
top: how many of the best features have the same rank.
""",
    )


def top(scores: np.ndarray, number: int) -> np.ndarray:
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[:number]


if __name__ == "__main__":
    main()
