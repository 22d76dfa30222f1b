"""HTML and SVG as values: whatever is not markup is escaped."""

from collections.abc import Iterable
from html import escape
from typing import Any

VOID = {"meta", "link", "br"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """Return an element. `class_` is class, `stroke_width` is stroke-width; None is left out.

    Children are markup, text (which is escaped), None (left out) or iterables of these.
    """
    text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{text}>")
    return Markup(f"<{name}{text}>{joined(children)}</{name}>")


def joined(children: Iterable[Any]) -> Markup:
    """Return children one behind the other."""
    return Markup("".join(map(_as_markup, children)))


def long_name(name: str) -> Markup:
    """Return a name that can be shortened in its middle, and says itself in full when asked."""
    tail = max(0, len(name) - 6) if len(name) > 12 else len(name)
    parts = [tag("span", name[:tail]), tag("span", name[tail:]) if name[tail:] else None]
    return tag("div", parts, class_="name", title=name)


def _as_markup(child: Any) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, Iterable) and not isinstance(child, str):
        return joined(child)
    return _escaped(str(child))


def _escaped(text: str) -> str:
    return escape(printable(text, also="\n"))


def printable(text: str, also: str = "") -> str:
    """Return text with a mark in the place of control characters, which HTML and terminals
    cannot show (and terminals would obey), and of direction marks, which would turn the rest."""
    return "".join(
        letter if letter.isprintable() or letter in also else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def plotted(value: float) -> str:
    """Write a coordinate as short as it can be drawn."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != int(value) else str(int(value))
