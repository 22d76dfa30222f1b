"""Figure 4: accuracy and stability over time.

Run: python bench/papers/fires/figure4.py
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
import polars as pl
from common import environment, table, write_result
from grid import run_of
from pictures import plt, save
from setting import COLOURS, DATA_SETS, SELECTORS, DataSet

FRACTION = 0.15
SHOWN = {"Gisette": 25, "MNIST": 100}
"""Data sets, with the rows of a batch: of Gisette there are too few for the paper's 100."""
WINDOWS = {"Gisette": 8, "MNIST": 20}
"""Batches over which a line is smoothed."""


def lines(data_set: DataSet, batch: int) -> dict[str, pl.DataFrame]:
    k = round(FRACTION * data_set.X.shape[1])
    found = {}
    for name, make in SELECTORS.items():
        found[name] = run_of(data_set, make, batch, k, window=batch).steps
        print(data_set.name, name, flush=True)
    return found


def draw(found: dict[str, dict[str, pl.DataFrame]]) -> str:
    figure, axes = plt.subplots(2, len(found), figsize=(5 * len(found), 5.6), squeeze=False)
    for column, (name, steps) in zip(axes.T, found.items()):
        for selector, run in steps.items():
            for axis, figure_ in zip(column, ("accuracy_window", "stability")):
                smooth = run[figure_].rolling_mean(WINDOWS[name], min_samples=1)
                axis.plot(run["rows"], smooth, color=COLOURS[selector], lw=1.4, label=selector)
        column[0].set_title(f"{name}, batches of {SHOWN[name]}")
        column[0].set_ylabel("accuracy")
        column[1].set_ylabel("stability")
        column[1].set_xlabel("rows")
        column[1].set_ylim(top=1.02)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=len(labels), frameon=False, loc="upper center")
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    return save(figure, "fires_figure4")


def ends(found: dict[str, dict[str, pl.DataFrame]]) -> list[list[Any]]:
    """Return the means of the first and of the last quarter of the steps."""
    rows = []
    for name, steps in found.items():
        for selector, run in steps.items():
            quarter = run.height // 4
            cells = [
                f"{part[figure].mean():.3f}"
                for figure in ("accuracy_window", "stability")
                for part in (run[:quarter], run[-quarter:])
            ]
            rows.append([name, selector, *cells])
    return rows


def main() -> None:
    found = {
        name: lines(data_set, batch)
        for name, batch in SHOWN.items()
        if (data_set := DATA_SETS[name].load())
    }
    if not found:
        sys.exit("no data, and so no page")
    header = ["data set", "selector", "accuracy, first quarter", "last", "stability, first", "last"]
    write_result(
        "fires_figure4",
        f"""# FIRES, Figure 4: accuracy and stability over time

{environment("scikit-learn")}

Written by `python bench/papers/fires/figure4.py`. After J. Haug, M. Pawelczyk, K. Broelemann and
G. Kasneci (2020), *Leveraging Model Inherent Variable Importance for Stable Online Feature
Selection*, Figure 4, which shows Gisette in batches of 100. Only 1,000 rows of it are here, so
batches have {SHOWN["Gisette"]} rows; MNIST (3 against the others) is shown beside it because it is
long. {FRACTION:.0%} of the features, stability (eq. 7) over 10 selections, lines smoothed over
{WINDOWS["Gisette"]} and {WINDOWS["MNIST"]} batches.

![Accuracy and stability over the rows]({draw(found)})

{table(header, ends(found))}""",
    )


if __name__ == "__main__":
    main()
