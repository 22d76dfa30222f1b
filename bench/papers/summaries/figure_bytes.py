"""Error by bytes: each summary in several sizes, in each scenario. No figure of the paper.

Run: python bench/papers/summaries/figure_bytes.py
"""

import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))
from common import environment, table, write_result
from req import Req
from setting import SCENARIOS, STYLES, arrange, artificial, continuous, errors, run, save

from data import load
from driftsieve.summaries.equal_width import EqualWidth
from driftsieve.summaries.quantiles import Quantiles
from driftsieve.summaries.samplers import EqualFrequency, ExponentialFrequency

ROWS = 200_000
HEADER = ["data", "scenario", "error of samplers", "quantiles: less error", "less bytes"]
HEADER += ["REQ: less error", "less bytes"]
SIZES = {
    "equal width": {f"{n} bins": partial(EqualWidth, bins=n) for n in (8, 16, 64, 256, 1024, 4096)},
    "equal frequency": {
        f"ε = {e}": partial(EqualFrequency, epsilon=e) for e in (1.0, 0.7, 0.5, 0.35, 0.25)
    },
    "exponential": {
        f"ε = {e}": partial(ExponentialFrequency, epsilon=e) for e in (1.0, 0.7, 0.5, 0.35, 0.25)
    },
    "quantiles": {
        f"epsilon = {e}": partial(Quantiles, epsilon=e)
        for e in (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)
    },
    "REQ": {f"k = {k}": partial(Req, k=k) for k in (4, 8, 12, 24, 48)},
}
if find_spec("datasketches") is None:
    print("skipped REQ: datasketches comes with the extra `bench`")
    del SIZES["REQ"]


def curves(X: Any, y: Any, scenario: str) -> dict[str, list[tuple[str, int, float]]]:
    """For each summary and size: its name, the bytes at the end, the mean error of the tenths."""
    stream = arrange(X, y, scenario)
    made = {(kind, size): make for kind, sizes in SIZES.items() for size, make in sizes.items()}
    found: Any = run(stream, made)  # type: ignore[arg-type]
    points: dict[str, list[tuple[str, int, float]]] = {kind: [] for kind in SIZES}
    for kind, size in made:
        wrong = float(np.nanmean(errors(found, (kind, size))))  # type: ignore[arg-type]
        points[kind].append((size, found[kind, size].nbytes[-1], wrong))
    points["exact"] = [("", found["exact"].nbytes[-1], 0.0)]
    return points


def least_error_within(points: list[tuple[str, int, float]], nbytes: float) -> float:
    """The least error of the sizes that take no more bytes than that."""
    return min((wrong for _, size, wrong in points if size <= nbytes), default=np.nan)


def times(theirs: float, ours: float) -> str:
    """How many times less ours is."""
    return f"{theirs / ours:.1f}" if ours > 0 else "exact"


def compared(points: Any, kind: str) -> list[str]:
    """How a summary does beside the exponential samplers of ε = 0.5, the paper's."""
    if kind not in points:
        return ["", ""]
    _, nbytes, wrong = points["exponential"][2]
    smaller = min((b for _, b, e in points[kind] if e <= wrong), default=np.nan)
    return [times(wrong, least_error_within(points[kind], nbytes)), times(nbytes, smaller)]


def main() -> None:
    sets = {"artificial": artificial(ROWS)}
    covtype = load("covtype")
    if covtype is not None:
        rows = np.random.default_rng(0).permutation(len(covtype[0]))[:ROWS]
        X = np.asarray(covtype[0][rows], np.float64)
        sets["covtype"] = np.ascontiguousarray(X[:, continuous(X)]), covtype[1][rows]
    figure, grid = plt.subplots(len(sets), 4, figsize=(11, 2.8 * len(sets)), squeeze=False)
    lines, ratios = [], []
    for axes, (data, (X, y)) in zip(grid, sets.items()):
        axes[0].set_ylabel(f"{data}\nmean error of the best gain")
        for axis, scenario in zip(axes, SCENARIOS):
            points = curves(X, y, scenario)
            for kind, sizes in points.items():
                if kind == "exact":
                    axis.axvline(sizes[0][1], color=STYLES[kind][0], lw=1, ls=":")
                    continue
                colour, marker = STYLES[kind]
                axis.loglog([b for _, b, _ in sizes], [max(e, 1e-7) for *_, e in sizes],
                            color=colour, marker=marker, ms=3, lw=1, label=kind)  # fmt: skip
                lines += [[data, scenario, kind, s, f"{b:,}", f"{e:.2g}"] for s, b, e in sizes]
            axis.set_title(scenario)
            wrong = f"{points['exponential'][2][2]:.2g}"
            beside = [*compared(points, "quantiles"), *compared(points, "REQ")]
            ratios.append([data, scenario, wrong, *beside])
            print(f"{data}, {scenario}: done", flush=True)
    grid[-1][0].set_xlabel("bytes at the end")
    grid[0][0].legend(fontsize=6)
    write_result(
        "summaries_bytes",
        f"""# Error by bytes

{environment("scipy")}

Written by `python bench/papers/summaries/figure_bytes.py`: {ROWS:,} rows, the mean over the tenths
of the relative error of the best feature's gain. The dotted line is the exact summary. REQ is the
relative-error sketch of Apache DataSketches, two for each feature and class: a peer that knows no
weights and no seed.

{save(figure, "summaries_bytes")}
## `quantiles` and REQ against the exponential samplers of ε = 0.5

How many times less error in the same bytes, and how many times less bytes for the same error. The
target is 10 of either.

{table(HEADER, ratios)}
## All points

{table(["data", "scenario", "summary", "size", "bytes", "error"], lines)}""",
    )


if __name__ == "__main__":
    main()
