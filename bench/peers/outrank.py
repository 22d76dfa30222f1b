"""The command against OutRank, on a CSV file of continuous features.

Run: python bench/peers/outrank.py

`outrank` comes with the extra `bench`.
"""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, table, verdict, write_result

ROWS, FEATURES, RELEVANT, TARGET = 100_000, 100, 5, 25.0
BIN = Path(sysconfig.get_path("scripts"))


def write_data(folder):
    """Write a label that depends on five features, by their size rather than their sign."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES))
    signal = (np.abs(X[:, :RELEVANT]) - np.sqrt(2 / np.pi)).sum(axis=1)
    y = (signal + rng.standard_normal(ROWS) > 0).astype(int)
    columns = {f"f{j}": X[:, j].round(6) for j in range(FEATURES)}
    pl.DataFrame({"label": y, **columns}).write_csv(folder / "data.csv")


def timed(*command):
    begin = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - begin


def ours(folder):
    begin = perf_counter()
    done = subprocess.run(
        [BIN / "driftsieve", "rank", folder / "data.csv", "--target", "label", "--score",
         "mutual_information", "-k", str(RELEVANT), "--jobs", "2", "--json"],
        check=True, capture_output=True,
    )  # fmt: skip
    seconds = perf_counter() - begin
    return seconds, [feature["name"] for feature in json.loads(done.stdout)["ranking"]]


def outrank(folder):
    out = folder / "out"
    seconds = timed(
        BIN / "outrank", "--task", "ranking", "--data_source", "csv-raw", "--data_path", folder,
        "--label_column", "label", "--heuristic", "MI-numba-randomized", "--subsampling", "1",
        "--target_ranking_only", "True", "--combination_number_upper_bound", "2048",
        "--num_threads", "2", "--output_folder", out, "--disable_tqdm", "True",
    )  # fmt: skip
    pairs = pl.read_csv(out / "pairwise_ranks.tsv", separator="\t")
    of_label = [pl.col(f"Feature{side}").str.starts_with("label") for side in "AB"]
    pairs = pairs.filter(~of_label[0], of_label[1]).sort("Score", descending=True)
    return seconds, [name.partition("-")[0] for name in pairs["FeatureA"].head(RELEVANT)]


def main():
    with TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder)
        ours(folder)  # which may compile
        runs = [ours(folder) for _ in range(3)]
        seconds, found = sorted(run[0] for run in runs)[1], runs[0][1]
        their_seconds, theirs = outrank(folder)
    relevant = {f"f{j}" for j in range(RELEVANT)}
    ratio = their_seconds / seconds
    write_result(
        "outrank",
        f"""# The command against OutRank

{environment("outrank", "polars")}

Written by `python bench/peers/outrank.py`: from a CSV file of {ROWS:,} × {FEATURES} continuous
features to the ranking by mutual information, processes and all, two threads each. {RELEVANT} of
the features matter, by their size rather than their sign. Ours is the median of three runs, after
one that may compile; OutRank ran once, over all rows (`--subsampling 1`).

{
            table(
                ["", "time, ratio", f"relevant among the first {RELEVANT}", "the first"],
                [
                    ["`driftsieve rank --score mutual_information`", "1.0",
                     len(relevant & set(found)), ", ".join(found)],
                    ["`outrank --heuristic MI-numba-randomized`", f"{ratio:.1f}",
                     len(relevant & set(theirs)), ", ".join(theirs)],
                ],
            )
        }
At least 25 times as fast: {verdict(ratio, 25, at_most=False)}.
""",
    )  # fmt: skip


if __name__ == "__main__":
    main()
