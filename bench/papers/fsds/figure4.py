"""Figure 4: time by the number of rows, on generated rows of 3,072 features.

Run: python bench/papers/fsds/figure4.py
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, table, write_result
from pictures import plt, save
from setting import BATCH, COLOURS, PAPER, ROOMY

from driftsieve import FSDS, GFW, MCFS, LaplacianScore

FEATURES, CLUSTERS, SELECTED = 3_072, 10, 200
ROWS = 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000
BATCH_METHODS = {
    "GFW-p2": (30_000, lambda: GFW(SELECTED, directions=CLUSTERS, max_bytes=ROOMY)),
    "MCFS": (10_000, lambda: MCFS(SELECTED, directions=CLUSTERS, max_bytes=ROOMY)),
    "Laplacian score": (10_000, lambda: LaplacianScore(SELECTED, max_bytes=ROOMY)),
}
"""Up to how many rows a method runs: what comes then takes minutes, or too much memory."""


def stream(rows: int) -> Iterator[Any]:
    """Ten clusters in a space of twenty dimensions, and noise; as float32, as images often are."""
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((20, FEATURES)).astype(np.float32)
    centres = 3 * rng.standard_normal((CLUSTERS, 20)).astype(np.float32)
    noise = rng.standard_normal((4 * BATCH, FEATURES)).astype(np.float32)
    for begin in range(0, rows, BATCH):
        n = min(BATCH, rows - begin)
        place = centres[rng.integers(0, CLUSTERS, n)]
        place = place + rng.standard_normal((n, 20)).astype(np.float32)
        start = int(rng.integers(0, 3 * BATCH))
        yield place @ basis + 3 * noise[start : start + n]


def timed(sieve: Any, rows: int) -> tuple[float, int]:
    """Return the processor seconds of learning and scoring, without generating, and the bytes."""
    seconds = 0.0
    for X in stream(rows):
        begin = process_time()
        sieve.partial_fit(X)
        seconds += process_time() - begin
    begin = process_time()
    sieve.scores_  # noqa: B018
    return seconds + process_time() - begin, sieve.nbytes


def main() -> None:
    with threadpool_limits(1):
        measure()


def measure() -> None:
    timed(FSDS(SELECTED, directions=CLUSTERS), 2_000)  # compiles
    found: dict[str, dict[int, float]] = {"FSDS": {}}
    held = {}
    for rows in ROWS:
        found["FSDS"][rows], held[rows] = timed(FSDS(SELECTED, directions=CLUSTERS), rows)
        print(f"FSDS, {rows:,} rows: {found['FSDS'][rows]:.2f} s", flush=True)
        for name, (most, make) in BATCH_METHODS.items():
            if rows <= most:
                found.setdefault(name, {})[rows], _ = timed(make(), rows)
                print(f"{name}, {rows:,} rows: {found[name][rows]:.2f} s", flush=True)
    figure, axis = plt.subplots(figsize=(6.5, 4.4))
    for name, times in found.items():
        axis.plot(list(times), list(times.values()), "o-", ms=4, color=COLOURS[name], label=name)
    axis.set(xscale="log", yscale="log", xlabel="rows", ylabel="processor seconds, one thread")
    axis.legend(frameon=False)
    picture = save(figure, "fsds_figure4")
    lines = [
        [f"{rows:,}", f"{found['FSDS'][rows]:.2f}", f"{found['FSDS'][rows] / rows * 1e6:.1f}",
         f"{held[rows] / 1e6:.2f}",
         *(f"{found[m][rows] / found['FSDS'][rows]:.1f}" if rows in found[m] else ""
           for m in BATCH_METHODS)]
        for rows in ROWS
    ]  # fmt: skip
    header = ["rows", "FSDS, seconds", "microseconds a row", "megabytes held"]
    header += [f"{name}, times FSDS" for name in BATCH_METHODS]
    write_result(
        "fsds_figure4",
        f"""# FSDS, Figure 4: time by the number of rows

{environment("scikit-learn", "scipy")}

Written by `python bench/papers/fsds/figure4.py`. After
{PAPER},
section 5.3 and Figure 4: {FEATURES:,}
features, as the paper's Tiny images have, but generated: {CLUSTERS} clusters in twenty dimensions,
with noise, float32. Learning in batches of {BATCH:,}, then one question for the scores; generating
the rows is not counted. Seconds are the processor's, with one thread: a busy machine matters
little. One run of each; batch methods up to where they take long.

![Seconds by rows, both logarithmic]({picture})

{table(header, lines)}
The paper: FSDS is about 10 times faster than the Laplacian score and 50 times than MCFS, takes a
few minutes for a million rows, and nothing else gets beyond about 100,000. The ratios
at 10,000 rows of
MNIST, taken in turns, are in `fsds_family.md`.
""",
    )


if __name__ == "__main__":
    main()
