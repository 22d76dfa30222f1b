"""The learners by name, as the command line knows them: a new one adds one line to LEARNERS."""

from importlib import import_module
from typing import Any

from driftsieve.cli.selectors import suggestion

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("sklearn.linear_model:SGDClassifier", {"loss": "log_loss", "random_state": 0}),
    "sparse-fsa": ("driftsieve.learners.sparse_fsa:SparseFSA", {}),
    "perceptron": ("sklearn.linear_model:Perceptron", {"random_state": 0}),
    "nb": ("sklearn.naive_bayes:GaussianNB", {}),
    "bins-nb": ("driftsieve.learners.naive_bayes:SummaryNaiveBayes", {}),
    "tree": ("river.tree:HoeffdingTreeClassifier", {}),
}
"""Name: (module:class, its options). A class is imported when chosen. "none" is no learner."""


def make_learner(name: str) -> Any:
    """Make the learner of this name; None for "none"."""
    if name == "none":
        return None
    if name not in LEARNERS:
        raise ValueError(f"there is no learner {name!r}: {suggestion(name, [*LEARNERS, 'none'])}")
    where, options = LEARNERS[name]
    module, _, kind = where.partition(":")
    try:
        return getattr(import_module(module), kind)(**options)
    except ModuleNotFoundError:
        package = module.partition(".")[0]
        raise ValueError(
            f"the learner {name!r} needs {package}: pip install 'driftsieve[{package}]'"
        ) from None
