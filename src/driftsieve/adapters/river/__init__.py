"""river: a driftsieve selector as a river transformer, and a river classifier as a learner.

River speaks of one row at a time, a dict whose keys may differ from row to row; driftsieve of
batches with named columns. The adapters translate, and add nothing.
"""

try:
    import river  # noqa: F401  (absent, it is missed here and nowhere else)
except ImportError as error:
    raise ImportError(
        "driftsieve.adapters.river needs river: pip install 'driftsieve[river]'"
    ) from error

from driftsieve.adapters.river.learner import RiverLearner
from driftsieve.adapters.river.selector import RiverSelector

__all__ = ["RiverLearner", "RiverSelector"]
