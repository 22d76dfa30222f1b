"""Table 3: the time of online bin counts against offline ones, and memory, over epsilon.

Run: python bench/papers/screening/table3.py
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, race, write_result
from offline import class_tables
from setting import (
    BINS,
    FRACTIONS,
    LARGE,
    MINIBATCH,
    SAME,
    STAND_INS,
    SUMMARIES,
    data_sets,
    described,
    headed,
)
from speed import minibatches, online


def timed(X: Any, y: Any) -> tuple[float, dict[str, list[float]], dict[str, list[float]]]:
    """Return offline seconds, and by summary and FRACTIONS, ratios to that and bytes a feature."""
    batches = minibatches(X, y, MINIBATCH)
    contestants: dict[Any, Any] = {"offline": lambda: class_tables(X, y, BINS)}
    for summary in SUMMARIES:
        for fraction in FRACTIONS:
            contestants[summary, fraction] = online(batches, 1 / fraction, summary)
    times = race(contestants, rounds=3)
    ratios, sizes = {}, {}
    for summary in SUMMARIES:
        runs = [(summary, fraction) for fraction in FRACTIONS]
        ratios[summary] = [times[run] / times["offline"] for run in runs]
        sizes[summary] = [contestants[run]().nbytes / X.shape[1] for run in runs]
    return times["offline"], ratios, sizes


def main() -> None:
    rows, memory = [], []
    for data_set in data_sets(*SAME, *STAND_INS, *LARGE):
        offline, ratios, sizes = timed(data_set.X, data_set.y)
        for summary in SUMMARIES:
            cells = [f"{ratio:.2g}" for ratio in ratios[summary]]
            rows.append([data_set.name, summary, f"{1000 * offline:,.0f} ms", *cells])
            cells = [f"{size / 1024:.3g}" for size in sizes[summary]]
            memory.append([data_set.name, summary, *cells])
        print(data_set.name, "done", flush=True)
    write_result(
        "screening_table3",
        f"""# Screening, Table 3: time and memory by epsilon

{environment()}

Written by `python bench/papers/screening/table3.py`. After M. Wang and A. Barbu (2021), *Online
Feature Screening for Data Streams with Concept Drift*, Table 3: minibatches of {MINIBATCH} rows,
{BINS} bins, time from rows to the class counts of all bins, **as a multiple of the offline time**.
Medians of interleaved rounds in one run, one thread. The paper's values are an image in its source,
so that there are none to put beside these. In words it says that time grows as ε falls.

`quantiles` is the default summary, `levels` that of the paper. Offline is
`bench/papers/screening/offline.py`: all rows at once, in NumPy, every column sorted (of sparse
columns, what is stored).

{headed(rows, "data set", "summary", "offline")}
Here time hardly depends on ε. `quantiles` sorts as many rows at a time whatever ε is, and what it
keeps is small beside them; `levels` sorts blocks of 2/ε rows, so that it is the coarse ε, with its
many small blocks, that costs. Blocks of sparse rows depend on no ε.

## Memory, KiB per feature

{headed(memory, "data set", "summary")}
Rows that wait to be sorted are included: with `quantiles`, the first 8,000 (fewer where there are
more than 500 features), and later 2,000 at a time; with `levels` a block of at least 2/ε. Nothing
was joined where all rows still wait.

## The data sets

Of the paper:

{described(SAME)}

Stand-ins:

{described(STAND_INS)}

Larger than any of the paper's:

{described(LARGE)}
""",
    )


if __name__ == "__main__":
    main()
