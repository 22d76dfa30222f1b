"""What several streams together say about several methods: sentences, tables and a page."""

import os
from itertools import combinations
from pathlib import Path

from driftsieve.evaluation.significance import Comparison
from driftsieve.report.critical_difference import diagram
from driftsieve.report.markup import Markup, joined, tag
from driftsieve.report.page import document, sections_of
from driftsieve.report.words import measured, title_of


def write_comparison(
    path: str | os.PathLike[str],
    comparison: Comparison,
    *,
    title: str = "Which methods differ",
) -> None:
    """Write a page about a comparison to an HTML file."""
    about = f"{len(comparison.methods)} methods on {len(comparison.streams)} streams"
    parts = [
        ("ranks", "Mean ranks", figure(comparison), None),
        ("values", title_of(comparison.measure), value_table(comparison), None),
        ("pairs", "Pairs", pair_table(comparison), "How likely such differences are by chance"),
    ]
    try:
        Path(path).write_text(document(title, about, sections_of(parts)), encoding="utf-8")
    except OSError as error:  # a full disk does not say whose it is
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def sentences(comparison: Comparison) -> list[str]:
    """Say what the tests found."""
    alpha = f"{comparison.alpha:g}"
    if len(comparison.methods) == 2:
        p = comparison.wilcoxon(*comparison.methods).pvalue
        what = "differ" if comparison.differ else "are not told apart"
        return [f"Wilcoxon: p = {p:.2g}, so the two {what} (at {alpha})."]
    friedman = comparison.friedman
    found = f"Friedman: χ² = {friedman.statistic:.2f}, p = {friedman.pvalue:.2g}"
    if not comparison.differ:
        return [f"{found}, so the methods are not told apart (at {alpha})."]
    apart = f"{comparison.critical_difference:.2f}"
    said = [
        f"{found}, so the methods differ (at {alpha}).",
        f"Nemenyi: two of them do if their mean ranks are {apart} apart.",
    ]
    groups = [", ".join(group) for group in comparison.groups]
    return [*said, f"Not told apart: {'; '.join(groups)}."] if groups else said


def figure(comparison: Comparison) -> Markup:
    """Draw the diagram, with what it says in words."""
    words = [tag("p", sentence) for sentence in sentences(comparison)]
    return tag("figure", diagram(comparison), tag("figcaption", words), class_="panel")


def value_table(comparison: Comparison) -> Markup:
    """Lay out the values, the best of each stream marked, and the mean ranks."""
    head = tag(
        "tr",
        tag("th", "Stream"),
        [tag("th", method, class_="number") for method in comparison.methods],
    )
    best = comparison.ranks == comparison.ranks.min(axis=1, keepdims=True)
    rows = [
        tag(
            "tr",
            tag("th", stream, scope="row"),
            [
                tag(
                    "td",
                    measured(comparison.measure, float(value)),
                    class_="number best" if is_best else "number",
                )
                for value, is_best in zip(values, marks, strict=True)
            ],
        )
        for stream, values, marks in zip(comparison.streams, comparison.values, best, strict=True)
    ]
    ranks = [tag("td", f"{rank:.2f}", class_="number") for rank in comparison.mean_ranks]
    rows.append(tag("tr", tag("th", "Mean rank", scope="row"), ranks))
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="summary")
    return tag("div", table, class_="scroll", tabindex="0")


def pair_table(comparison: Comparison) -> Markup:
    """Lay out the tests of each pair."""
    head = tag("tr", [tag("th", name) for name in ("", "", "Wilcoxon", "Nemenyi")])
    rows = [
        tag(
            "tr",
            tag("th", one, scope="row"),
            tag("th", other),
            [
                tag("td", f"{test(one, other).pvalue:.2g}", class_="number")
                for test in (comparison.wilcoxon, comparison.nemenyi)
            ],
        )
        for one, other in combinations(comparison.methods, 2)
    ]
    table = tag("table", tag("thead", head), tag("tbody", joined(rows)), class_="summary")
    return tag("div", table, class_="scroll", tabindex="0")
