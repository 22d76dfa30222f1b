import signal
import threading

import pytest

from driftsieve.evaluation.interrupts import uninterrupted


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def same_handler():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_waits_for_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        interrupt()
        done.append("all of it")
    assert done


def test_a_second_interrupt_does_not_wait():
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        interrupt()
        interrupt()
        raise AssertionError("the second one was to stop this")


def test_without_an_interrupt_nothing_happens():
    with uninterrupted():
        pass


def test_an_error_comes_before_an_interrupt_that_waits():
    with pytest.raises(ZeroDivisionError), uninterrupted():
        interrupt()
        _ = 1 / 0


def test_the_users_own_handler_is_called():
    called = []
    before = signal.signal(signal.SIGINT, lambda *_: called.append("here"))
    try:
        with uninterrupted():
            interrupt()
            assert not called
        assert called == ["here"]
    finally:
        signal.signal(signal.SIGINT, before)


def test_ignored_interrupts_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_left_alone():
    done = []

    def work():
        with uninterrupted():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
