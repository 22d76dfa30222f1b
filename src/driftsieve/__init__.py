"""driftsieve: which features of this stream matter now, and how has that changed?"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Batch": "batch",
    "as_batch": "border",
    "Fading": "memory",
    "Window": "memory",
    "Selection": "selection",
    "TopK": "selection",
    "Threshold": "selection",
    "Hysteresis": "selection",
    "Screening": "selectors.screening",
    "Keep": "summaries.kept",
    "FSDS": "selectors.fsds",
    "Fourier": "summaries.fourier",
    "FIRES": "selectors.fires",
    "OFS": "selectors.ofs",
    "EFS": "selectors.efs",
    "load": "selectors.stored",
    "GFW": "selectors.gfw",
    "LaplacianScore": "selectors.laplacian",
    "MCFS": "selectors.mcfs",
    "SparseFSA": "learners.sparse_fsa",
    "SummaryNaiveBayes": "learners.naive_bayes",
    "open_stream": "streams.readers",
    "prequential": "evaluation.prequential",
    "Run": "evaluation.run",
    "Comparison": "evaluation.significance",
    "write_report": "report.page",
    "write_comparison": "report.over_streams",
}
"""Where each public name lives. Names are imported on first use: the command starts quickly."""

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'driftsieve' has no attribute {name!r}")
    value = getattr(import_module(f"driftsieve.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
