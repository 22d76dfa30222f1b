"""Hot loops: arrays in, arrays filled. They check nothing and never raise.

Every kernel is compiled by `kernel`, and calls only what stands in its own file: numba's disk
cache does not see changes in functions imported from another one. Kernels are serial; callers
run them in threads over blocks of features (`driftsieve.threads`).
"""

from functools import partial
from typing import Any

from numba import njit

kernel: Any = partial(
    njit,
    nogil=True,
    cache=True,
    error_model="numpy",  # a division by zero is NaN or infinity, not an exception
    fastmath={"contract"},  # fused multiply-add only: NaN stays visible, sums keep their order
)

# Sums of products in whatever order the vector unit likes: without that, the sum over a row waits
# for each addition. For kernels that compensate no rounding; NaN stays visible here as well.
dot_kernel: Any = partial(kernel, fastmath={"contract", "reassoc", "nsz"})
