"""Whether any value is too large."""

from driftsieve.kernels import kernel


@kernel
def any_beyond(values, limit):
    """Tell whether the size of any value exceeds the limit; NaN has none."""
    beyond = 0
    for i in range(len(values)):
        beyond += abs(values[i]) > limit
    return beyond > 0
