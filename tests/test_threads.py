"""Blocks in threads: everything once, whatever the numbers."""

import signal
import time
from threading import Lock, get_ident, main_thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftsieve.threads import ENOUGH, over_blocks


@given(st.integers(1, 60), st.integers(0, 40 * ENOUGH), st.integers(1, 5))
def test_each_place_is_worked_on_once(n, values, n_jobs):
    done, lock = [], Lock()

    def work(lo, hi):
        with lock:
            done.append((lo, hi))

    over_blocks(work, n, values, n_jobs)
    assert sorted(i for lo, hi in done for i in range(lo, hi)) == list(range(n))
    assert all(lo < hi for lo, hi in done)
    assert len(done) <= n_jobs


def test_little_work_stays_in_the_calling_thread():
    seen = []
    over_blocks(lambda lo, hi: seen.append((lo, hi, get_ident())), 1000, 2 * ENOUGH - 1, 2)
    assert seen == [(0, 1000, get_ident())]


def test_the_calling_thread_takes_the_most_and_much_work_is_shared_alike():
    blocks = {}
    for values in (4 * ENOUGH, 1000 * ENOUGH):
        sizes = []
        over_blocks(lambda lo, hi, sizes=sizes: sizes.append((lo, hi - lo)), 1200, values, 3)
        blocks[values] = [size for _, size in sorted(sizes)]
    assert blocks[4 * ENOUGH] == [600, 300, 300]
    assert blocks[1000 * ENOUGH] == [402, 399, 399]


def test_an_error_in_another_thread_is_raised():
    def work(lo, hi):
        if lo:
            raise RuntimeError(f"from {lo}")

    with pytest.raises(RuntimeError, match="from"):
        over_blocks(work, 10, 100 * ENOUGH, 2)


def test_errors_wait_until_all_threads_are_done():
    done = []

    def work(lo, hi):
        if hi == 10:  # the last
            time.sleep(0.3)
            done.append(lo)
        elif lo:
            raise RuntimeError("at once")

    with pytest.raises(RuntimeError, match="at once"):
        over_blocks(work, 10, 100 * ENOUGH, 3)
    assert done


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="there are no such signals here")
def test_an_interrupt_waits_until_all_threads_are_done():
    done = []

    def work(lo, hi):
        if lo:
            time.sleep(0.1)
            signal.pthread_kill(main_thread().ident, signal.SIGINT)
            time.sleep(0.3)
            done.append(lo)

    with pytest.raises(KeyboardInterrupt):
        over_blocks(work, 10, 100 * ENOUGH, 2)
    assert done
