"""Figure 1: lasso against ridge regression in GENFEATWEIGHT, by NMI and by time.

Run: python bench/papers/fsds/figure1.py
"""

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from pictures import BLUE, GREY, ORANGE, plt, save
from setting import PAPER, ROOMY, TEXTS, called, data_sets, nmi_of

from driftsieve import GFW

SAMPLES, ROWS, NUMBER = 6, 2_000, 200
"""The paper: 45 samples in all, 1,000 features."""


def main() -> None:
    sets = data_sets(*TEXTS)
    if not sets:
        return
    found: dict[str, list[Any]] = {}
    for of in sets:
        for sample in range(SAMPLES):
            some = of.some(ROWS, seed=sample)
            line = []
            for p in (2, 1):
                sieve = GFW(NUMBER, directions=some.clusters, p=p, max_bytes=ROOMY)
                begin = perf_counter()
                scores = sieve.fit(some.X).scores_
                line += [nmi_of(some, scores, NUMBER), perf_counter() - begin]
            found.setdefault(of.name, []).append(line[:1] + line[2:3] + [line[1], line[3]])
        print(of.name, np.mean(found[of.name], axis=0).round(3).tolist(), flush=True)
    figure, (nmi, time) = plt.subplots(1, 2, figsize=(9, 4))
    for (name, lines), mark in zip(found.items(), "os^"):
        values = np.array(lines)
        wins = values[:, 0] > values[:, 1]
        colours = np.where(wins, ORANGE, BLUE)
        nmi.scatter(values[:, 0], values[:, 1], c=colours, marker=mark, label=called(name))
        time.scatter(values[:, 2], values[:, 3], c=BLUE, marker=mark, label=called(name))
    low, high = min(nmi.get_xlim()[0], nmi.get_ylim()[0]), max(nmi.get_xlim()[1], nmi.get_ylim()[1])
    nmi.plot([low, high], [low, high], color=GREY, lw=0.8)
    nmi.set(title="NMI (orange: ridge is better)", xlabel="ridge, p = 2", ylabel="lasso, p = 1")
    time.set(title="seconds", xlabel="ridge", ylabel="lasso", xscale="log", yscale="log")
    nmi.legend(frameon=False)
    figure.tight_layout()
    picture = save(figure, "fsds_figure1")
    rows = []
    for name, lines in found.items():
        values = np.array(lines)
        rows.append(
            [
                called(name),
                f"{values[:, 0].mean():.3f}",
                f"{values[:, 1].mean():.3f}",
                f"{(values[:, 1] > values[:, 0]).sum()} of {len(values)}",
                f"{np.median(values[:, 3] / values[:, 2]):.0f}",
            ]
        )
    write_result(
        "fsds_figure1",
        f"""# FSDS, Figure 1: lasso against ridge regression

{environment("scikit-learn")}

Written by `python bench/papers/fsds/figure1.py`. After
{PAPER},
section 3.3 and Figure 1: features are weighed by `GFW(p=2)` and `GFW(p=1)`, and the
top {NUMBER} judged by K-means. {SAMPLES} samples of
{ROWS:,} rows of each text (the paper: 45 samples of three texts, 1,000 features, alpha tuned by
hand; here the defaults: 8 times the last singular value, and {NUMBER} steps of the path).

![NMI and seconds of lasso and ridge regression, a point a sample]({picture})

{table(["", "NMI, ridge", "NMI, lasso", "lasso better", "seconds, lasso / ridge"], rows)}
The paper: the two are comparable, the lasso slightly better in general, and far slower.
""",
    )


if __name__ == "__main__":
    main()
