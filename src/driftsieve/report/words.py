"""Numbers as people read them, and the names of what is measured."""

from math import floor, isfinite, log10
from typing import Any

NOTHING = "\N{EM DASH}"

MEASURES = {
    "accuracy": "Accuracy",
    "kappa": "Kappa",
    "log_loss": "Log loss",
    "mean_recall": "Mean recall",
    "mean_precision": "Mean precision",
    "mean_stability": "Mean stability",
    "mean_stability_within": "Mean stability within concepts",
    "drifts_found": "Drifts found",
    "median_lag": "Median lag in rows",
    "selector_seconds": "Selector time",
    "learner_seconds": "Learner time",
    "state_bytes": "State size",
}
"""What a run comes to, in the order in which it is shown."""

TITLES = MEASURES | {"stability_within": "Stability within concepts"}

SHARES = ("accuracy", "kappa", "log_loss", "stability", "recall", "precision")


def number(value: float | None) -> str:
    """Write a number with three or four digits that count."""
    if value is None or value != value:
        return NOTHING
    if not isfinite(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if 1e-3 <= abs(value) < 1e6:
        power = floor(log10(abs(value)))
        return f"{value:,.{2 - power if power < 0 else max(0, 3 - power)}f}"
    return f"{value:.2e}"


def share(value: float | None) -> str:
    """Write a measure that ends at 1, such as accuracy, with three decimals."""
    if value is None or not isfinite(value):
        return NOTHING
    return f"{value:.3f}"


def seconds(value: float | None) -> str:
    """Write a duration."""
    if value is None or not isfinite(value):
        return NOTHING
    for unit, size in (("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return (
                f"{value / size:.1f} {unit}"
                if value < 100 * size
                else f"{value / size:,.0f} {unit}"
            )
    return f"{value * 1e6:.0f} µs"


def size(value: float | None) -> str:
    """Write a number of bytes."""
    if value is None or not isfinite(value):
        return NOTHING
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return (
                f"{value:.0f} {unit}" if unit == "bytes" or value >= 100 else f"{value:.1f} {unit}"
            )
        value /= 1000
    return f"{value:,.1f} GB"


def measured(name: str, value: Any) -> str:
    """Write the value of a measure as it is customary for it."""
    if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
        return NOTHING if value is None else str(value)
    if "seconds" in name:
        return seconds(value)
    if "bytes" in name:
        return size(value)
    if name.removeprefix("mean_").startswith(SHARES):
        return share(value)
    return number(value)


def shortened(name: str, most: int) -> str:
    """Leave out the middle of a name that is longer than `most`: names tend to differ at their
    ends."""
    return name if len(name) <= most else f"{name[: most - 8]}…{name[-7:]}"


def title_of(name: str) -> str:
    """Return the name of a measure for people."""
    return TITLES.get(name, name.replace("_", " ").capitalize())
