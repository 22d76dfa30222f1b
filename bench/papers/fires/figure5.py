"""Figure 5: accuracy against stability, from the runs of Table 3.

Run: python bench/papers/fires/table3.py && python bench/papers/fires/figure5.py
"""

import sys
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[2]))
import grid
from common import environment, table, write_result
from pictures import plt, save
from setting import COLOURS, DATA_SETS


def points(runs: pl.DataFrame) -> pl.DataFrame:
    """Return mean accuracy, its deviation over the grid, and mean stability."""
    return runs.group_by("data", "selector").agg(
        pl.col("accuracy", "stability").mean(), deviation=pl.col("accuracy").std()
    )


def on_the_edge(found: pl.DataFrame) -> list[str]:
    """Return the selectors that no other one surpasses both in accuracy and in stability."""
    rows = found.select("selector", "accuracy", "stability").rows()
    edge = {
        name
        for name, accuracy, stable in rows
        if not any(a > accuracy and s > stable for _, a, s in rows)
    }
    return [name for name in COLOURS if name in edge]


def draw(found: pl.DataFrame, names: list[str]) -> str:
    figure, axes = plt.subplots(2, -(-len(names) // 2), figsize=(14, 5.8), squeeze=False)
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, names):
        for _, selector, accuracy, stable, deviation in found.filter(data=name).iter_rows():
            axis.scatter(
                stable, accuracy, s=30 + 12_000 * deviation, color=COLOURS[selector],
                alpha=0.75, lw=0,
            )  # fmt: skip
        axis.set_title(name)
        axis.margins(0.18)
    for axis in axes[-1]:
        axis.set_xlabel("stability")
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy")
    known = set(found["selector"])
    marks = [
        plt.Line2D([], [], marker="o", ls="", color=colour, label=name)
        for name, colour in COLOURS.items()
        if name in known
    ]
    figure.legend(handles=marks, ncols=len(marks), frameon=False, loc="upper center")
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    return save(figure, "fires_figure5")


def main() -> None:
    runs = grid.kept()
    if not runs.height:
        sys.exit("no runs, and so no page: make those of table3.py first")
    found = points(runs)
    known = set(found["data"])
    names = ["Gisette", *(name for name in DATA_SETS if name != "Gisette")]
    names = [name for name in names if name in known]
    rows = []
    for name in names:
        edge = on_the_edge(found.filter(data=name))
        rows.append([name, ", ".join(edge), "yes" if any("FIRES" in e for e in edge) else "no"])
    write_result(
        "fires_figure5",
        f"""# FIRES, Figure 5: accuracy against stability

{environment("scikit-learn")}

Written by `python bench/papers/fires/figure5.py` from the runs of `table3.py`. After J. Haug,
M. Pawelczyk, K. Broelemann and G. Kasneci (2020), *Leveraging Model Inherent Variable Importance
for Stable Online Feature Selection*, Figure 5, which shows Gisette and says that "in all data sets"
there is at least one FIRES model in the top region. The larger a circle, the more accuracy varies
over the grid.

![Accuracy against stability, by data set]({draw(found, names)})

## Who is surpassed in both by nobody

{table(["data set", "selectors", "a FIRES among them"], rows)}""",
    )


if __name__ == "__main__":
    main()
