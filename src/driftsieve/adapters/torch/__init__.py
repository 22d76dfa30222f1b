"""torch: any `torch.nn.Module` as a model of FIRES."""

try:
    import torch  # noqa: F401  (absent, it is missed here and nowhere else)
except ImportError as error:
    raise ImportError(
        "driftsieve.adapters.torch needs torch: pip install 'driftsieve[torch]'"
    ) from error

from driftsieve.adapters.torch.model import TorchModel

__all__ = ["TorchModel"]
