"""What all benchmarks share: fair timing, the machine, and result pages.

A claim is a ratio of two times taken in one run. `race` runs the contestants in turn, several
rounds, so that a noisy machine disturbs all of them alike, and compares medians.
"""

import os
import platform
from collections.abc import Callable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

RESULTS = Path(__file__).parent / "results"


def race(
    contestants: Mapping[str, Callable[[], Any]],
    rounds: int = 9,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Return the median seconds of each contestant; a first round of warming up is not counted.

    With `process_time` for a clock a busy machine matters less; it adds up over threads.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for round_ in range(rounds + 1):
        for name, run in contestants.items():
            begin = clock()
            run()
            if round_:
                times[name].append(clock() - begin)
    return {name: median(seconds) for name, seconds in times.items()}


def environment(*packages: str) -> str:
    """Describe the machine, the versions and the day, as a line for a result page."""
    versions = [f"{name} {version(name)}" for name in ("driftsieve", "numpy", "numba", *packages)]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{date.today().isoformat()} · {_processor()}, {os.cpu_count()} cores{load} · "
        f"{platform.system()} · Python {platform.python_version()} · " + " · ".join(versions)
    )


def table(header: list[str], rows: list[list[Any]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def verdict(ratio: float, target: float, *, at_most: bool) -> str:
    """Say whether a ratio meets its target."""
    met = ratio <= target if at_most else ratio >= target
    return "met" if met else "**missed**"


def write_result(name: str, text: str) -> Path:
    """Write a result page, and show it."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text(text.rstrip() + "\n")
    print(text)
    print(f"-> {path}")
    return path


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
