"""Table 4: the stability of the selections, from the runs of Table 3.

Run: python bench/papers/fires/table3.py && python bench/papers/fires/table4.py
"""

import sys
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[2]))
import grid
from common import environment, table, verdict, write_result
from comparing import Figures, comparison, means_of
from setting import BATCHES, COLOURS, FRACTIONS, PAPER_STABILITY, STABILITY_WINDOW, described

SAME = "MNIST", "Spambase", "Usenet", "Madelon", "KDD"
"""Data sets of which all rows are here, or as many as the paper drew."""


def targets(figures: Figures) -> str:
    rows = []
    for column in ("FIRES-GLM", "FIRES-ANN", "FIRES-SDT"):
        for name in SAME:
            if (name, column) in figures:
                ours, paper = figures[name, column]["stability"], PAPER_STABILITY[name][column]
                met = verdict(round(ours, 3), paper, at_most=False)
                rows.append([column, name, f"{ours:.3f}", f"≥ {paper:.3f}", met])
    return table(["selector", "data set", "measured", "the paper's", ""], rows)


def by_batch(runs: pl.DataFrame) -> str:
    """Return the means by rows per step, over the data sets that all selectors have seen."""
    seen = pl.col("selector").n_unique().over("data") == runs["selector"].n_unique()
    means = runs.filter(seen).group_by("selector", "batch").agg(pl.col("stability").mean())
    found = {(selector, batch): value for selector, batch, value in means.iter_rows()}
    columns = [name for name in COLOURS if (name, BATCHES[0]) in found]
    rows = [[batch, *(f"{found[name, batch]:.3f}" for name in columns)] for batch in BATCHES]
    return table(["rows per step", *columns], rows)


def main() -> None:
    runs = grid.kept()
    if not runs.height:
        sys.exit("no runs, and so no page: make those of table3.py first")
    figures = means_of(runs)
    write_result(
        "fires_table4",
        f"""# FIRES, Table 4: stability

{environment("scikit-learn")}

Written by `python bench/papers/fires/table4.py` from the runs of `table3.py`. After J. Haug,
M. Pawelczyk, K. Broelemann and G. Kasneci (2020), *Leveraging Model Inherent Variable Importance
for Stable Online Feature Selection*, Table 4: the stability (eq. 7) of the last {STABILITY_WINDOW}
selections, as a mean over the steps, batches of {", ".join(map(str, BATCHES))} rows and
{", ".join(f"{fraction:.0%}" for fraction in FRACTIONS)} of the features. **The paper's figures in
brackets.** The first steps, before {STABILITY_WINDOW} selections have been made, count as well: of
the 1,000 rows of Gisette they are up to nine tenths of all. {grid.left_out(runs)}

{comparison(figures, "stability", PAPER_STABILITY, 3)}
## Targets: FIRES, where the data are the paper's

{targets(figures)}
## By rows per step, mean over the data sets that all have seen

{by_batch(runs)}
## The data sets

{described()}
""",
    )


if __name__ == "__main__":
    main()
