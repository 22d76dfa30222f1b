"""The heat map: which features were selected when, and which of them mattered."""

from collections.abc import Sequence

from driftsieve.report.axes import row_axis
from driftsieve.report.lines import drift_lines
from driftsieve.report.markup import Markup, long_name, plotted, tag
from driftsieve.report.story import LEVELS, LONGEST_READ, FeatureRow, Span, Story
from driftsieve.report.words import shortened

LINE = 18
"""Pixels to a feature."""


def heat_map(story: Story, place: int) -> Markup:
    """Draw the selection of a run over time."""
    features = story.map.features
    caption = tag("figcaption", tag("h3", story.name), tag("p", _hint(story)))
    if not features:
        return tag("figure", caption, class_="panel heat empty")
    height = LINE * len(features)
    picture = tag(
        "svg",
        [_feature(i, feature) for i, feature in enumerate(features)],
        drift_lines([story], story.rows, height, mark=5),
        viewBox=f"0 0 {story.rows} {height}",
        preserveAspectRatio="none",
        style=f"height:{height}px",
        role="img",
        aria_label=f"The features selected by {story.name} over the rows",
    )
    names = [tag("li", long_name(feature.name)) for feature in features]
    return tag(
        "figure",
        caption,
        tag(
            "div",
            tag("ol", names, class_="names"),
            tag("div", picture, class_=f"plot run{place}"),
            row_axis(story.rows),
            class_="map",
        ),
        _key(story),
        class_="panel heat",
    )


def _feature(i: int, feature: FeatureRow) -> Markup:
    top = i * LINE
    return tag(
        "g",
        tag("rect", y=top, width="100%", height=LINE, class_="ground"),
        [
            tag(
                "rect",
                tag("title", _reading(feature.name, span)),
                x=plotted(span.start),
                y=top + 2,
                width=plotted(span.stop - span.start),
                height=LINE - 4,
                class_=f"s{span.level}",
            )
            for span in feature.selected
        ],
        [
            tag(
                "rect",
                x=plotted(span.start),
                y=top + 1,
                width=plotted(span.stop - span.start),
                height=LINE - 2,
                class_="truth",
            )
            for span in feature.relevant
        ],
    )


def _reading(name: str, span: Span) -> str:
    rows = f"{shortened(name, LONGEST_READ)}\nrows {int(span.start) + 1:,} to {int(span.stop):,}"
    return rows if span.share > 0.995 else f"{rows}\nselected in {span.share:.0%} of the steps"


def _hint(story: Story) -> str:
    """Say which features are shown."""
    shown, ever = story.map.features, story.map.selected_ever
    chosen = sum(bool(feature.selected) for feature in shown)
    missed = len(shown) - chosen
    if not shown:
        return "No feature was ever selected."
    text = f"The {ever:,} features that were ever selected"
    if chosen < ever:
        text = f"The {chosen} most important of {ever:,} features that were ever selected"
    elif ever == 1:
        text = "The one feature that was ever selected"
    if missed:
        text += f", and {missed} that should have been"
    return f"{text}, in order of appearance"


def _key(story: Story) -> Markup:
    """Explain the shades and lines."""
    swatches = [tag("i", class_=f"swatch s{level}") for level in range(1, LEVELS + 1)]
    parts: Sequence[Markup | None] = (
        tag("li", swatches, " selected in some to all steps")
        if story.map.steps_per_column > 1
        else tag("li", tag("i", class_=f"swatch s{LEVELS}"), " selected"),
        tag("li", tag("i", class_="swatch truth"), " truly relevant")
        if story.map.truth_known
        else None,
        tag("li", tag("i", class_="swatch drift"), " known drift") if story.drifts else None,
    )
    return tag("ul", parts, class_="key")
