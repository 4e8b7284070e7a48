"""What a signal's handler raises is told from a failure of Laptime's own, whatever it is."""

from __future__ import annotations

import ctypes
import functools
import signal
import sys
import threading
import traceback

import pytest

from laptime._core import Compilations, raised_by_handler

pytestmark = pytest.mark.interpreter


class TimeIsUp(Exception):
    pass


def function(number, frame):
    raise TimeIsUp


def of_any(*arguments):
    raise TimeIsUp


def by_name(number, frame=None):
    deeper(0)


def deeper(depth):
    if depth < 3:
        deeper(depth + 1)
    raise TimeIsUp


def forgetful(number, frame):
    del number
    local = [1 for _ in range(3)]
    raise TimeIsUp(local)


def walks(number, frame):
    while frame.f_back:
        frame = frame.f_back
    raise TimeIsUp


def deletes(number, frame):
    del frame
    raise TimeIsUp


def standard(number, frame):
    frame = number
    raise TimeoutError(frame)


def leaves(number, frame):
    raise SystemExit(3)


class Stubborn(Exception):
    def __setattr__(self, name, value):
        raise AttributeError(name)


def stubborn(number, frame):
    raise Stubborn


class Handler:
    def method(self, number, frame):
        raise TimeIsUp

    def __call__(self, number, frame):
        raise TimeIsUp

    @staticmethod
    def static(number, frame):
        raise TimeIsUp


HANDLERS = {
    "function": function,
    "any": of_any,
    "default": by_name,
    "forgetful": forgetful,
    "walks": walks,
    "deletes": deletes,
    "standard": standard,
    "partial that forgets": functools.partial(lambda extra, *_: standard(extra, None), 0),
    "exit": leaves,
    "stubborn": stubborn,
    "method": Handler().method,
    "static": Handler.static,
    "object": Handler(),
    "partial": functools.partial(lambda extra, number, frame: deeper(extra), 0),
    "lambda": lambda number, frame: deeper(2),
    "interrupt": signal.default_int_handler,
}


def work(depth):
    """Something of Laptime's that a signal interrupts."""
    if depth:
        work(depth - 1)
    else:
        signal.raise_signal(signal.SIGUSR1)
        for _ in range(1_000):
            pass


@pytest.mark.parametrize("name", HANDLERS)
def test_what_a_handler_raises_is_known_and_shows_what_the_handler_did(name):
    before = signal.signal(signal.SIGUSR1, HANDLERS[name])
    try:
        with pytest.raises(BaseException) as caught:
            work(3)
        assert raised_by_handler(caught.value)
    finally:
        signal.signal(signal.SIGUSR1, before)
    left = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert "work" not in left
    assert bool(left) == (name != "interrupt")


def test_what_another_thread_raises_here_is_known():
    def work():
        raise_here(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(TimeIsUp))
        for _ in range(1_000):
            pass

    raise_here = ctypes.pythonapi.PyThreadState_SetAsyncExc
    with pytest.raises(TimeIsUp) as caught:
        work()
    assert raised_by_handler(caught.value)


def fails():
    raise ValueError("no such value")


def passes_its_own_frame():
    def looks(frame):
        raise ValueError("no such value")

    looks(sys._getframe(1))


@pytest.mark.parametrize("failing", [fails, passes_its_own_frame, lambda: 1 / 0])
def test_a_failure_is_none_of_a_handlers(failing):
    with pytest.raises(Exception) as caught:
        failing()
    before = traceback.format_exception(caught.value)
    assert not raised_by_handler(caught.value)
    assert traceback.format_exception(caught.value) == before


def test_an_error_of_the_programs_is_no_handlers_where_the_program_runs():
    with pytest.raises(TimeIsUp) as caught:
        deeper(0)
    before = traceback.format_exception(caught.value)
    assert not raised_by_handler(caught.value, own=False)
    assert traceback.format_exception(caught.value) == before
    assert raised_by_handler(caught.value)


def test_an_exit_is_the_programs_wherever_it_comes_from():
    with pytest.raises(SystemExit) as caught:
        raise SystemExit(1)
    assert raised_by_handler(caught.value)


def test_what_a_handler_raises_in_a_listener_for_compilations_is_the_program_s():
    def interrupted():
        signal.raise_signal(signal.SIGUSR1)
        return True

    def broken():
        raise ValueError("of Laptime's own")

    event = "/jax/core/compile/jaxpr_trace_duration"
    before = signal.signal(signal.SIGUSR1, function)
    try:
        with pytest.raises(TimeIsUp):
            Compilations(interrupted).began(event, 1.0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    Compilations(broken).began(event, 1.0)
    Compilations.ended(event, "no number", fun_name=3)
