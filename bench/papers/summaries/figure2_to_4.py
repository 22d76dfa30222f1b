"""Figures 2, 3 and 4: error of the best feature's gain, correlation of the rankings, bytes.

Run: python bench/papers/summaries/figure2_to_4.py
     python bench/papers/summaries/figure2_to_4.py covtype   # of one data set
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))
from common import environment, table, write_result
from setting import (
    SCENARIOS,
    STYLES,
    SUMMARIES,
    TENTHS,
    arrange,
    correlations,
    data_set,
    errors,
    run,
    save,
)

SETS = ["artificial", "covtype", "kdd99_10pct", "electricity_8f"]
FIGURES = {
    "Figure 2: error of the best gain": (errors, "log", list(SUMMARIES)),
    "Figure 3: Spearman": (correlations, "linear", list(SUMMARIES)),
    "Figure 4: bytes": (lambda found, name: found[name].nbytes, "log", ["exact", *SUMMARIES]),
}
FOUND = {
    "artificial": "exponential from 0.01 to 0.1; equal width far better, but near 1 when sorted",
    "covtype": "exponential from 0.01 to 0.1; equal width near 1 when sorted, and by class",
}
"""What the paper says of the errors, where it has the data set."""


def drawn(runs: Any, name: str) -> str:
    """Draw a line for each summary: a row for each figure and a column for each scenario."""
    figure, grid = plt.subplots(len(FIGURES), len(SCENARIOS), figsize=(11, 7), sharex=True)
    for axes, (label, (value, scale, names)) in zip(grid, FIGURES.items()):
        axes[0].set_ylabel(label)
        for axis, scenario in zip(axes, SCENARIOS):
            for summary in names:
                colour, marker = STYLES[summary]
                tenths = np.arange(1, TENTHS + 1) / TENTHS
                axis.plot(tenths, value(runs[scenario], summary), color=colour, marker=marker,
                          ms=3, lw=1, label=summary)  # fmt: skip
            axis.set_yscale(scale)
            if axes is grid[0]:
                axis.set_title(scenario)
    grid[-1][0].set_xlabel("part of the stream")
    grid[-1][0].legend(fontsize=6)
    return save(figure, name)


def error_text(found: Any, name: str) -> str:
    wrong = np.array(errors(found, name))
    return f"{np.nanmean(wrong):.2g} ({np.nanmax(wrong):.2g})"


def page(data: str, X: Any, y: Any) -> None:
    runs: dict[str, Any] = {}
    lines, ranked, sizes, speed = [], [], [], []
    for scenario in SCENARIOS:
        stream = arrange(X, y, scenario)
        found = runs[scenario] = run(stream, SUMMARIES)
        lowest = [np.nanmin(correlations(found, name)) for name in SUMMARIES]
        seconds = found["exact"].seconds
        lines.append([scenario, *(error_text(found, name) for name in SUMMARIES)])
        ranked.append([scenario, *(f"{one:.3f}" for one in lowest)])
        sizes.append([scenario, *(f"{found[n].nbytes[-1]:,}" for n in ["exact", *SUMMARIES])])
        ratios = (f"{seconds / found[name].seconds:.2f}" for name in SUMMARIES)
        speed.append([scenario, f"{stream.n_rows:,}", *ratios])
        print(f"{data}, {scenario}: done", flush=True)
    said = f"\nThe paper found: {FOUND[data]}.\n" if data in FOUND else ""
    write_result(
        f"summaries_{data}",
        f"""# Summaries for discretisation: {data}

{environment("scipy")}

Written by `python bench/papers/summaries/figure2_to_4.py {data}`, after Pawling, Chawla & Chaudhary
(2006), section 5: {len(X):,} rows, {X.shape[1]} features, {len(set(y.tolist()))} classes. Samplers
and equal width have the paper's parameters (ε = 0.5, k = 100, as many bins as quantiles);
`quantiles` is ours, with epsilon 0.001. By class, a stream ends when a class is exhausted. Where
there was one class so far, there is no gain.

{drawn(runs, f"summaries_{data}")}
## Relative error of the best feature's gain (figure 2): mean of the tenths, and the largest
{said}
{table(["scenario", *SUMMARIES], lines)}
## Spearman's correlation with the exact ranking (figure 3): the lowest of the tenths

{table(["scenario", *SUMMARIES], ranked)}
## Bytes held at the end (figure 4)

{table(["scenario", "exact", *SUMMARIES], sizes)}
## Time: how many times faster than the exact summary, questions not counted

{table(["scenario", "rows", *SUMMARIES], speed)}""",
    )


def main() -> None:
    for name in sys.argv[1:] or SETS:
        held = data_set(name)
        if held is not None:
            page(name, *held)


if __name__ == "__main__":
    main()
