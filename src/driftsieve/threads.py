"""Threads over blocks of features. Kernels release the GIL; nothing survives a call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

ENOUGH = 1 << 17
"""Fewer values than this a thread are not worth starting one."""


def over_blocks(work: Callable[[int, int], None], n: int, values: int, n_jobs: int) -> None:
    """Call `work(lo, hi)` for blocks that cover 0..n, in up to `n_jobs` threads.

    `values` is the size of the whole work; a small one is done in the calling thread alone.
    """
    jobs = max(1, min(n_jobs, n, values // ENOUGH))
    if jobs == 1:
        work(0, n)
        return
    edges = [n * i // jobs for i in range(jobs + 1)]
    with ThreadPoolExecutor(jobs - 1) as pool:
        others = [pool.submit(work, lo, hi) for lo, hi in pairwise(edges[1:])]
        work(edges[0], edges[1])
        for other in others:
            other.result()
