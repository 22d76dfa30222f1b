"""Figure 3: the weights and the selected pixels of MNIST's 3, 8 and 9 after 1,000 rows.

Run: python bench/papers/fires/figure3.py
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from pictures import plt, save
from setting import SELECTORS, scaled

import data

DIGITS = 3, 8, 9
ROWS, K, STEP = 1_000, 115, 50
SIDE = 28


def rows_of_the_digits() -> tuple[Any, Any] | None:
    found = data.load("mnist")
    if found is None:
        return None
    X, y = found[:2]
    among = np.isin(y, DIGITS)
    return scaled(X[among]), y[among]


def learnt(make: Any, X: Any, y: Any, digit: int) -> tuple[Any, Any]:
    """Return the weights, and which pixels are selected, after the first rows."""
    sieve = make(K, STEP)
    for start in range(0, ROWS, STEP):
        rows = slice(start, start + STEP)
        sieve.partial_fit(X[rows], y[rows] == digit)
    return sieve.scores_, sieve.get_support()


def mean_difference(X: Any, y: Any, digit: int) -> Any:
    """How far the digit's mean image is from that of the two others, over all rows."""
    return np.abs(X[y == digit].mean(axis=0) - X[y != digit].mean(axis=0))


def mask_of(difference: Any) -> Any:
    """Return as many pixels as are selected: those whose means differ most."""
    mask = np.zeros(len(difference), dtype=bool)
    mask[np.argsort(-difference)[:K]] = True
    return mask


def drawn(X: Any, y: Any, found: Any, differences: Any) -> str:
    columns = ["mean difference", *SELECTORS]
    figure, axes = plt.subplots(
        len(DIGITS) * 2, len(columns), figsize=(1.3 * len(columns), 1.32 * 2 * len(DIGITS))
    )
    for axis in axes.flat:
        axis.set_xticks([])
        axis.set_yticks([])
        axis.spines[:].set_visible(True)
        axis.spines[:].set_color("#cccccc")
    for i, digit in enumerate(DIGITS):
        upper, lower = axes[2 * i], axes[2 * i + 1]
        difference = differences[digit]
        shown = [(difference, mask_of(difference)), *(found[name, digit] for name in SELECTORS)]
        for j, (weights, selected) in enumerate(shown):
            upper[j].imshow(image(weights), cmap="Greys")
            lower[j].imshow(selected.reshape(SIDE, SIDE), cmap="Blues", vmin=0, vmax=1.2)
        upper[0].set_ylabel(f"{digit}: weights", fontsize=8)
        lower[0].set_ylabel("selected", fontsize=8)
    for axis, name in zip(axes[0], columns):
        axis.set_title(name, loc="center", fontsize=8)
    figure.tight_layout(h_pad=0.2, w_pad=0.2)
    return save(figure, "fires_figure3")


def image(weights: Any) -> Any:
    """Return weights as a picture from their least to their greatest; none is the least."""
    low = np.nanmin(weights)
    return np.where(np.isnan(weights), low, weights).reshape(SIDE, SIDE)


def main() -> None:
    rows = rows_of_the_digits()
    if rows is None:
        sys.exit("no data, and so no page")
    X, y = rows
    found = {
        (name, digit): learnt(make, X, y, digit)
        for name, make in SELECTORS.items()
        for digit in DIGITS
    }
    differences = {digit: mean_difference(X, y, digit) for digit in DIGITS}
    picture = drawn(X, y, found, differences)
    lines = []
    for name in SELECTORS:
        shares, kept = [], []
        for digit in DIGITS:
            selected, difference = found[name, digit][1], differences[digit]
            shares.append((selected & mask_of(difference)).sum() / selected.sum())
            kept.append(difference[selected].sum() / difference[mask_of(difference)].sum())
        cells = [f"{share:.2f}" for share in (*shares, np.mean(shares), np.mean(kept))]
        lines.append([name, *cells])
    chance = K / SIDE**2
    header = ["selector", *map(str, DIGITS), "mean", "difference kept, mean"]
    write_result(
        "fires_figure3",
        f"""# FIRES, Figure 3: what is selected of MNIST

{environment("scikit-learn")}

Written by `python bench/papers/fires/figure3.py`. After J. Haug, M. Pawelczyk, K. Broelemann and
G. Kasneci (2020), *Leveraging Model Inherent Variable Importance for Stable Online Feature
Selection*, Figure 3: all rows of the digits 3, 8 and 9, each digit against the two others, the
first {ROWS:,} rows in steps of {STEP}, {K} of 784 pixels selected. The paper shows FIRES-ANN.

![Weights and selected pixels by selector and digit]({picture})

Above, weights from their least (white) to their greatest (black); below, the selected pixels. The
first column has no selector in it: it shows how far the mean image of the digit is from that of the
two others, over all rows, and the {K} pixels where it is farthest.

## Share of the selected pixels among these {K}

{table(header, lines)}
By chance it would be {chance:.2f}. "Difference kept": the sum of the mean differences of the
selected pixels, as a share of the greatest that {K} pixels can have.
""",
    )


if __name__ == "__main__":
    main()
