"""Figure 6: what the penalty of uncertainty does.

Run: python bench/papers/fires/figure6.py
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from grid import run_of
from pictures import BLUE, RED, plt, save
from setting import DATA_SETS, DataSet

from driftsieve import FIRES

PENALTIES = [10.0**power for power in range(-4, 5)]
MODELS = "glm", "ann", "sdt"
SHOWN = {"Gisette": 25, "Spambase": 50}
FRACTION = 0.15


def curves(data_set: DataSet, model: str, batch: int) -> Any:
    """Return mean accuracy and mean stability by penalty."""
    k = round(FRACTION * data_set.X.shape[1])
    found = []
    for penalty in PENALTIES:
        run = run_of(
            data_set,
            lambda k, step, penalty=penalty: FIRES(model, k, step=step, penalty=penalty),
            batch,
            k,
        )
        summary = run.summary()
        found.append((summary["accuracy"], summary["mean_stability"]))
    print(data_set.name, model, flush=True)
    return np.array(found)


def draw(found: Any) -> str:
    figure, axes = plt.subplots(
        len(SHOWN), len(MODELS), figsize=(11, 5.4), sharex=True, squeeze=False
    )
    for line, name in zip(axes, SHOWN):
        for axis, model in zip(line, MODELS):
            if (name, model) not in found:
                axis.set_visible(False)
                continue
            accuracy, stable = found[name, model].T
            axis.semilogx(PENALTIES, accuracy, "o-", color=RED, ms=3, label="accuracy")
            axis.semilogx(PENALTIES, stable, "o-", color=BLUE, ms=3, label="stability")
            axis.axvline(0.01, color="black", lw=0.6, ls=":")
            axis.set_title(f"{name}, FIRES-{model.upper()}")
    axes[0, 0].legend(frameon=False)
    for axis in axes[-1]:
        axis.set_xlabel("$\\lambda_s$ (dotted: the default)")
    figure.tight_layout()
    return save(figure, "fires_figure6")


def main() -> None:
    data_sets = {name: data_set for name in SHOWN if (data_set := DATA_SETS[name].load())}
    if not data_sets:
        sys.exit("no data, and so no page")
    found = {
        (name, model): curves(data_set, model, SHOWN[name])
        for name, data_set in data_sets.items()
        for model in MODELS
    }
    rows = []
    for (name, model), figures in found.items():
        for what, values in zip(("accuracy", "stability"), figures.T):
            rows.append([name, model.upper(), what, *(f"{value:.3f}" for value in values)])
    header = ["data set", "model", "", *(f"{penalty:g}" for penalty in PENALTIES)]
    write_result(
        "fires_figure6",
        f"""# FIRES, Figure 6: the penalty of uncertainty

{environment("scikit-learn")}

Written by `python bench/papers/fires/figure6.py`. After J. Haug, M. Pawelczyk, K. Broelemann and
G. Kasneci (2020), *Leveraging Model Inherent Variable Importance for Stable Online Feature
Selection*, Figure 6, which shows Gisette: mean accuracy and mean stability by λ_s, with
{FRACTION:.0%} of the features, in batches of {SHOWN["Gisette"]} rows (Gisette, of which only 1,000
rows are here) and {SHOWN["Spambase"]} rows (Spambase). The paper tries the same λ_s: stability
rises up to 1 and falls beyond.

![Accuracy and stability by penalty]({draw(found)})

{table(header, rows)}""",
    )


if __name__ == "__main__":
    main()
