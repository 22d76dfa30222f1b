"""The selectors by name, as the command line knows them: a new one adds one line to SELECTORS."""

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any

SCREENING = "driftsieve.selectors.screening:Screening"

SELECTORS: dict[str, tuple[str, dict[str, Any]]] = {
    "t": (SCREENING, {"score": "t"}),
    "fisher": (SCREENING, {"score": "fisher"}),
    "mutual_information": (SCREENING, {"score": "mutual_information"}),
    "chi2": (SCREENING, {"score": "chi2"}),
    "gini": (SCREENING, {"score": "gini"}),
    "information_gain": (SCREENING, {"score": "information_gain"}),
    "symmetrical_uncertainty": (SCREENING, {"score": "symmetrical_uncertainty"}),
    "aed": (SCREENING, {"score": "aed"}),
    "fsds": ("driftsieve.selectors.fsds:FSDS", {}),
    "gfw": ("driftsieve.selectors.gfw:GFW", {}),
    "mcfs": ("driftsieve.selectors.mcfs:MCFS", {}),
    "laplacian": ("driftsieve.selectors.laplacian:LaplacianScore", {}),
    "fires": ("driftsieve.selectors.fires:FIRES", {}),
    "ofs": ("driftsieve.selectors.ofs:OFS", {}),
    "efs": ("driftsieve.selectors.efs:EFS", {}),
}
"""Name: (module:class, the options that make it this one). A class is imported when chosen."""

MEMORY = ("drift", "half_life", "fading", "every", "window")


def make_selector(
    wish: str,
    *,
    k: int = 10,
    open_features: bool = False,
    categorical: str | Sequence[str] | None = None,
    jobs: int = 1,
    **memory: Any,
) -> Any:
    """Make the selector of a wish such as `t` or `t:half-life=5000:k=20`.

    What the wish leaves open comes from the other arguments, as far as the selector has a use for
    them; a wish that says how to forget replaces `memory` as a whole.
    """
    from driftsieve.cli.options import names_in, settings_of

    name, *rest = wish.strip().split(":")
    name = name.replace("-", "_")
    own = settings_of(rest)
    if name not in SELECTORS:
        raise ValueError(f"there is no selector {name!r}: {suggestion(name, list(SELECTORS))}")
    where, fixed = SELECTORS[name]
    module, _, kind = where.partition(":")
    make = getattr(import_module(module), kind)
    takes = [option for option in signature(make).parameters if option not in fixed]
    forgets = {option: own.pop(option, None) for option in MEMORY}
    if any(value is not None for value in forgets.values()):
        memory = forgets
    odd = next((option for option in own if option not in takes or option == "memory"), None)
    if odd is not None:
        offered = [option for option in takes if option != "memory"]
        offered += MEMORY if "memory" in takes else ()
        raise ValueError(f"the selector {name!r} has no option {odd!r}: it has {listed(offered)}")
    options: dict[str, Any] = {
        "k": k,
        "n_jobs": jobs,
        "features": "open" if open_features else "closed",
    }
    options = {option: value for option, value in options.items() if option in takes}
    if categorical is not None and reads_categories(fixed):
        if isinstance(categorical, str):
            categorical = names_in(categorical, "--categorical")
        options["categorical"] = [*categorical]
    remembers = memory_of(**memory)
    if remembers is not None:
        if "memory" not in takes:
            raise ValueError(f"the selector {name!r} forgets in its own way: give it no memory")
        options["memory"] = remembers
    return make(**fixed, **{**options, **own})


def memory_of(
    drift: Any = None,
    half_life: Any = None,
    fading: Any = None,
    every: Any = None,
    window: Any = None,
) -> Any:
    """Make a memory of the options of the command line; None if there are none."""
    from driftsieve.memory import Fading, Window

    ways = {"drift": drift, "half-life": half_life, "fading": fading, "window": window}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are two ways to forget: choose one")
    if every is not None and fading is None:
        raise ValueError("every says how often to fade: it goes with fading only")
    if drift is not None:
        return Fading.for_drift(drift)
    if half_life is not None:
        return Fading.half_life(half_life)
    if fading is not None:
        return Fading(fading, 1 if every is None else every)
    return None if window is None else Window(window)


def reads_categories(fixed: dict[str, Any]) -> bool:
    """Tell whether a selector has a use for knowing which columns are categories."""
    from driftsieve.scores.registry import score_named
    from driftsieve.summaries.kept import recommended

    if "score" not in fixed:
        return False
    return hasattr(recommended(score_named(fixed["score"]).summary), "use_categories")


def needs_labels(selector: Any) -> bool:
    """Tell whether a selector can learn from labelled rows only."""
    return bool(selector.__sklearn_tags__().target_tags.required)


def described(selector: Any) -> dict[str, Any]:
    """Return what a selector is, as words and numbers."""
    settings = {"selector": type(selector).__name__, **selector.get_params(deep=False)}
    memory = settings.get("memory")
    return {**settings, "memory": None if memory is None else memory_text(memory)}


def name_of(selector: Any) -> str:
    """Name a selector by its score, if it has one, and its memory."""
    about = described(selector)
    parts = [about.get("score") or about["selector"], about["memory"]]
    return ", ".join(part for part in parts if part)


def memory_text(memory: Any) -> str:
    """Say how the past is forgotten."""
    from driftsieve.memory import Window

    if isinstance(memory, Window):
        return f"the last {memory.rows:,} rows"
    if memory.every == 1 and memory.alpha < 1:
        from math import log

        return f"half-life {log(0.5) / log(memory.alpha):,.0f} rows"
    return f"fading {memory.alpha:g} every {memory.every:,} rows"


def suggestion(name: str, known: list[str]) -> str:
    """Say what was perhaps meant, or what there is."""
    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"choose one of {listed(known)}"


def listed(names: list[str]) -> str:
    """Join names as they are typed on a command line."""
    return ", ".join(name.replace("_", "-") for name in names)
