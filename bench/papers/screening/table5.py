"""Table 5: the score difference ratio (eq. 19), over epsilon.

Run: python bench/papers/screening/table5.py
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import environment, write_result
from setting import (
    FRACTIONS,
    LARGE,
    MINIBATCH,
    SAME,
    STAND_INS,
    SUMMARIES,
    data_sets,
    described,
    headed,
    scores_of,
    sieve_of,
)

SCORES = {
    "chi2": "Chi-squared",
    "gini": "Gini index",
    "mutual_information": "Mutual information",
}


ROUNDING = 1e-12


def ratio(online: Any, offline: Any) -> float:
    """Equation 19; what two ways to add up differ by is 0."""
    found = float(abs(online - offline).mean() / (offline.max() - offline.min()))
    return found if found > ROUNDING else 0.0


def main() -> None:
    rows: dict[str, list[list[Any]]] = {score: [] for score in SCORES}
    fine = {}
    for data_set in data_sets(*SAME, *STAND_INS, *LARGE):
        for summary in SUMMARIES:
            sieves = [sieve_of(data_set.X, data_set.y, f, summary) for f in FRACTIONS]
            for score in SCORES:
                exact = data_set.exact_scores[score]
                found = [ratio(scores_of(sieve, score), exact) for sieve in sieves]
                rows[score].append([data_set.name, summary, *(f"{r:.2g}" for r in found)])
                fine[data_set.name, summary, score] = max(found[FRACTIONS.index(1000) :])
        print(data_set.name, "done", flush=True)
    of_paper = [r for (name, *_), r in fine.items() if name not in LARGE]
    of_large = [r for (name, *_), r in fine.items() if name in LARGE]
    sections = "\n".join(
        f"## {title}\n\n{headed(rows[score], 'data set', 'summary')}"
        for score, title in SCORES.items()
    )
    write_result(
        "screening_table5",
        f"""# Screening, Table 5: scores against those of exact quantiles

{environment()}

Written by `python bench/papers/screening/table5.py`. After M. Wang and A. Barbu (2021), *Online
Feature Screening for Data Streams with Concept Drift*, Table 5: 5 bins, minibatches of {MINIBATCH}
rows, and of the scores of p features

DR = 1/p Σ |online − offline| / (largest offline − smallest offline)  (eq. 19).

Offline is `bench/papers/screening/offline.py`, which shares no code with the library and adds up in
another order: a ratio below 1e-12 is rounding, and stands as 0. A constant feature has no score,
which counts as 0. `quantiles` is the default summary, `levels` that of the paper.

The paper's values are an image in its source, so that there are none to put beside these. In words
it says that all scores are exact below ε = 0.001. Here, at ε ≤ 0.001 and over all three scores, the
largest ratio is {max(of_paper, default=0):.1g} on the data sets of the paper's size, and \
{max(of_large, default=0):.1g} on the larger ones.

{sections}
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
