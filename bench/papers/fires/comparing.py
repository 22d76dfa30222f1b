"""From the figures of the runs to tables: ours beside the paper's."""

import sys
from collections.abc import Mapping
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import table
from setting import COLUMNS, DATA_SETS

Figures = dict[tuple[str, str], dict[str, float]]
"""Figures by name, by data set (or "mean") and column."""


def means_of(runs: pl.DataFrame, references: pl.DataFrame | None = None) -> Figures:
    """Return the means of the runs over the grid; and over the data sets, of those selectors that
    were run on all of them."""
    found = runs.with_columns(ms=pl.col("selector_ms") + pl.col("learner_ms"))
    by_data = found.group_by("data", "selector").agg(pl.col(pl.Float64).mean())
    whole = pl.col("data").n_unique().over("selector") == by_data["data"].n_unique()
    overall = (
        by_data.filter(whole)
        .group_by("selector")
        .agg(pl.col(pl.Float64).mean(), data=pl.lit("mean"))
    )
    if references is not None and references.height:
        renamed = references.rename({"reference": "selector"})
        by_data = pl.concat([by_data, renamed], how="diagonal_relaxed")
    rows = pl.concat([by_data, overall], how="diagonal_relaxed").iter_rows(named=True)
    return {(row["data"], row["selector"]): row for row in rows}


def shown(figures: Figures) -> tuple[list[str], list[str]]:
    """Return the data sets and the columns that there are figures of, in the paper's order."""
    data_sets, columns = (set(part) for part in zip(*figures))
    return [name for name in DATA_SETS if name in data_sets], [c for c in COLUMNS if c in columns]


def comparison(
    figures: Figures,
    figure: str,
    paper: Mapping[str, Mapping[str, float]],
    digits: int,
    *,
    larger_is_better: bool = True,
) -> str:
    """Return a table of a figure, with the paper's in brackets, means and ranks."""
    data_sets, columns = shown(figures)
    columns = [column for column in columns if any(column in paper[name] for name in data_sets)]
    rows = []
    for name in [*data_sets, "mean"]:
        cells = []
        for column in columns:
            papers = [paper[one][column] for one in (data_sets if name == "mean" else [name])]
            ours = figures.get((name, column), {}).get(figure)
            text = "" if ours is None else f"{ours:.{digits}f} "
            cells.append(f"{text}({sum(papers) / len(papers):.{digits}f})")
        rows.append([name, *cells])
    known = [figures.get(("mean", column), {}).get(figure) for column in columns]
    order = sorted((mean for mean in known if mean is not None), reverse=larger_is_better)
    places = ["" if mean is None else f"{order.index(mean) + 1}." for mean in known]
    return table(["data set", *columns], [*rows, ["rank", *places]])
