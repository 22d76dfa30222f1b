"""Table 3: accuracy and time of each selector on each data set, over the grid.

Run: python bench/papers/fires/table3.py [--only DATA,...] [--selectors NAME,...] [--whole] [--show]

Without options everything is measured. With `--only` or `--selectors` the figures of other data
sets and selectors stay as they were measured last; `--show` measures nothing and writes the page.
`--whole` runs the whole grid on large data sets, too.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
import grid
import references
from common import environment, table, verdict, write_result
from comparing import Figures, comparison, means_of, shown
from setting import (
    BATCHES,
    COLOURS,
    DATA_SETS,
    FRACTIONS,
    PAPER_ACCURACY,
    PAPER_MS,
    SELECTORS,
    described,
)

GLM = "FIRES-GLM"
SLACK = 0.01
"""How far from the best mean accuracy FIRES-GLM may be."""


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(DATA_SETS))
    parser.add_argument("--selectors", type=lambda text: text.split(","), default=list(SELECTORS))
    parser.add_argument("--references", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def targets(figures: Figures) -> str:
    """Hold FIRES-GLM against the best of the others."""
    names = [name for name in COLOURS if ("mean", name) in figures]
    rows = []
    for what, figure in (("selection and learner", "ms"), ("selection alone", "selector_ms")):
        times = {name: figures["mean", name][figure] for name in names}
        ours = times.pop(GLM)
        quickest = min(times, key=times.__getitem__)
        ratio = ours / times[quickest]
        rows.append(
            [
                f"mean time per step, {what}: {GLM} / {quickest}",
                f"{ours:.2f} ms / {times[quickest]:.2f} ms = {ratio:.2f}",
                "≤ 1",
                verdict(ratio, 1, at_most=True),
            ]
        )
    means = {name: figures["mean", name]["accuracy"] for name in names}
    best = max(means, key=means.__getitem__)
    behind = means[best] - means[GLM]
    rows.append(
        [
            f"mean accuracy: {best} - {GLM}",
            f"{means[best]:.3f} - {means[GLM]:.3f} = {behind:.3f}",
            f"≤ {SLACK}",
            verdict(behind, SLACK, at_most=True),
        ]
    )
    return table(["target", "measured", "wanted", ""], rows)


def parts(figures: Figures) -> str:
    """Selection and learner apart, and what share of a step selection takes."""
    data_sets, columns = shown(figures)
    columns = [name for name in columns if name in COLOURS]
    rows = []
    for name in [*data_sets, "mean"]:
        cells = []
        for column in columns:
            part = figures.get((name, column))
            if part is None:
                cells.append("")
                continue
            chosen, learnt = part["selector_ms"], part["learner_ms"]
            cells.append(f"{chosen:.2f} + {learnt:.2f}, {chosen / (chosen + learnt):.0%}")
        rows.append([name, *cells])
    return table(["data set", *columns], rows)


def larger_classes(names: list[str]) -> str:
    found = {name: data_set for name in names if (data_set := DATA_SETS[name].load())}
    return ", ".join(f"{name} {data_set.larger_class:.3f}" for name, data_set in found.items())


def main() -> None:
    options = asked()
    if not options.show:
        grid.measure(options.only, options.selectors, options.whole)
        if options.references:
            references.measure(options.only)
    runs, refs = grid.kept(), references.kept()
    if not runs.height:
        sys.exit("no data, and so no page")
    figures = means_of(runs, refs)
    write_result(
        "fires_table3",
        f"""# FIRES, Table 3: accuracy and time

{environment("scikit-learn", *(["river"] if refs.height else []))}

Written by `python bench/papers/fires/table3.py`. After J. Haug, M. Pawelczyk, K. Broelemann and
G. Kasneci (2020), *Leveraging Model Inherent Variable Importance for Stable Online Feature
Selection*, Table 3: means over batches of {", ".join(map(str, BATCHES))} rows and
{", ".join(f"{fraction:.0%}" for fraction in FRACTIONS)} of the features, **the paper's figures in
brackets**. Each batch is predicted with the features selected before it, then learnt, as one step.
The learner is scikit-learn's `Perceptron`; what is not selected is held at zero. Inputs are scaled
to [0, 1] by their extremes over all rows, as in the paper. One thread. {grid.left_out(runs)}

{targets(figures)}
## Accuracy

{comparison(figures, "accuracy", PAPER_ACCURACY, 3)}
Rows of the first batch, which nobody has learnt anything for, are not counted. Ranks are by the
mean. Always guessing the larger class would give {larger_classes(shown(figures)[0])}.

{references.described(refs)}

## Milliseconds per step, selection and learner together

{comparison(figures, "ms", PAPER_MS, 2, larger_is_better=False)}
Medians over the steps of a run, means over the grid. The paper's machine was an i7-8550U: read the
ratios within a row. Boosting and VFDT: the time of a row times {references.STEP} rows, which is the
mean step of the grid. FIRES makes one step of each batch; OFS and EFS make one of each row, as
their papers do.

## Selection + learner in milliseconds, and the share of selection

{parts(figures)}
Selection: learning the batch and naming the selected features. Learner: masking, predicting and
learning.

## The data sets

{described()}
""",
    )


if __name__ == "__main__":
    main()
