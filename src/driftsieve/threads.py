"""Threads over blocks of features, for kernels that release the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise

ENOUGH = 1 << 18
"""Fewer values than this a thread (some 50 microseconds' work) are not worth waking one.

That is about as long as it takes to wake one; the calling thread takes so many more meanwhile."""

_pools: dict[int, ThreadPoolExecutor] = {}
_unfinished: set[Future[None]] = set()


def _finish_all() -> None:
    wait(list(_unfinished))


if hasattr(os, "register_at_fork"):
    # A forked child has none of its parent's threads, and would wait for them forever.
    os.register_at_fork(before=_finish_all, after_in_child=_pools.clear)


def over_blocks(work: Callable[[int, int], None], n: int, values: int, n_jobs: int) -> None:
    """Call `work(lo, hi)` for blocks that cover 0..n, in up to `n_jobs` threads.

    `values` is the size of the whole work; a small one is done in the calling thread alone.
    """
    finish(begin_over_blocks(work, n, values, n_jobs))


def begin_over_blocks(
    work: Callable[[int, int], None], n: int, values: int, n_jobs: int
) -> list[Future[None]]:
    """Do the same, but return when the calling thread has done its part: the others may go on.

    Before anybody uses what they work on, `finish` has to be called with what is returned.
    """
    jobs = max(1, min(n_jobs, n, values // ENOUGH))
    if jobs == 1:
        work(0, n)
        return []
    if jobs not in _pools:
        _pools[jobs] = ThreadPoolExecutor(jobs - 1, thread_name_prefix="driftsieve")
    # The others get less, so that the calling thread need not wait for them.
    each = max(1, (n - n * ENOUGH // values) // jobs)
    edges = [0, *range(n - each * (jobs - 1), n + 1, each)]
    others: list[Future[None]] = []
    try:
        for lo, hi in pairwise(edges[1:]):
            others.append(_pools[jobs].submit(work, lo, hi))
            _unfinished.add(others[-1])
            others[-1].add_done_callback(_unfinished.discard)
        work(edges[0], edges[1])
    except BaseException:
        wait(others)  # which would go on with what the caller has given up
        raise
    return others


def finish(others: list[Future[None]]) -> None:
    """Wait until all of them are done, interrupted or not; then raise what went wrong in one."""
    try:
        for other in others:
            other.exception()  # which waits, and costs less than `wait`
    except BaseException:
        wait(others)  # they still read what belongs to others, who may change it from now on
        raise
    for other in others:
        other.result()
