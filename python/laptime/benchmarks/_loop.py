"""The loop that runs a function as often as a plan asks for: `timeit`'s, with its clock inside.

It is made for each call's shape, so that a call in it costs what it costs in the program. No result
is kept between two runs: one that is held takes the place where the next would be made, and a
function would be slower than itself. The garbage collector stays as the program has it.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from itertools import repeat
from keyword import iskeyword
from operator import length_hint
from os import _exit, getpid
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from .._core import now
from ..device.wait import finish_devices, holds_jax, wait_for
from ._lazy_results import lazy

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOP = """
def loop(others, last, now, finish, fn, args, kwargs):
    {unpacked}
    begun = now()
    for {item} in others:
        {each}
    for {item} in last:
        result = {call}
    finish(result)
    return now() - begun, result
"""


class Measured:
    """A function with its arguments, run many times at once.

    `wait` waits for the device that it leaves work to. `look` is given the last result of a run,
    after its time was taken. `at` says with what it is run, in the note on what it raises.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        *,
        wait: Callable[[Any], None] = finish_devices,
        look: Callable[[Any], None] | None = None,
        at: str = "",
    ) -> None:
        if not callable(fn):
            raise TypeError(f"what is measured is something to call, not {type(fn).__name__}")
        if inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn):
            name = getattr(fn, "__name__", "it")
            raise TypeError(
                f"{name} is asynchronous and isn't awaited here. "
                f"Measure `lambda: asyncio.run({name}(…))`."
            )
        self._called = (fn, tuple(args), dict(kwargs or {}))
        self._runs_done = 0
        self._wait = wait
        self._look = look
        self._at = at
        self._finish = self._finish_first
        self._loop = self._loop_that(awaits_each=False)
        self._doubt: str | None = None
        #: Ticks that the last run took beside those that are measured.
        self.aside = 0

    def run(self, iterations: int) -> tuple[int, int]:
        """Runs it so many times. Ticks of the wall clock, and nanoseconds of the process's CPU.

        What it raises goes on, with a note that says in which iteration.
        """
        return self._timed(repeat(None, iterations - 1), repeat(None, 1), iterations)

    def _timed(self, others: Any, last: Any, iterations: int) -> tuple[int, int]:
        """Runs it once for each item of two iterators that know their length."""
        process, cpu_ns = getpid(), process_time_ns()
        try:
            ticks, result = self._loop(others, last, now, self._finish, *self._called)
        except Exception as error:
            left = length_hint(others) + length_hint(last)
            number = self._runs_done + iterations - left
            add_note(error, f"Raised {self._at}in iteration {number:,} of a benchmark.")
            raise
        if getpid() != process:
            # The function forked, and its child has returned too. What follows is the parent's, and
            # the child would begin as many more as there are iterations left.
            _exit(0)
        cpu_ns = process_time_ns() - cpu_ns
        if self._runs_done == 0:
            self._finish_as(result)
        self._runs_done += iterations
        if self._look is not None:
            self._look(result)
        self._doubt = lazy(
            result, "asyncio.run(…) around it measures its work", "go through its items"
        )
        return ticks, cpu_ns

    def give(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Passes other arguments from now on, as many and by the same names."""
        self._called = (self._called[0], args, kwargs)

    def arguments(self) -> tuple[Any, ...]:
        """The positional arguments of a call."""
        return self._called[1]

    def doubts(self) -> list[str]:
        """Says whether its last result stood for work that hasn't been done."""
        return [self._doubt] if self._doubt else []

    def _finish_as(self, result: Any) -> None:
        """After the first run: only arrays of JAX are waited for one by one."""
        if holds_jax(result):
            self._finish = self._finish_all
            self._loop = self._loop_that(awaits_each=True)
        else:
            # Going through a long list for arrays that it doesn't hold takes time of its own.
            self._finish = self._wait

    def _finish_first(self, result: Any) -> None:
        """Waits for the work of a first result, which may be anything."""
        if holds_jax(result):
            wait_for(result)
        self._wait(result)

    def _finish_all(self, result: Any) -> None:
        wait_for(result)
        self._wait(result)

    def _loop_that(self, *, awaits_each: bool) -> Callable[..., Any]:
        _fn, args, kwargs = self._called
        are_names = all(name.isidentifier() and not iskeyword(name) for name in kwargs)
        return _loop_for(len(args), tuple(kwargs) if are_names else None, awaits_each)


def add_note(error: BaseException, said: str) -> None:
    """Adds a note to what is raised, from Python 3.11 on."""
    add = getattr(error, "add_note", None)
    if add is not None:
        add(said)


@lru_cache(maxsize=64)
def _loop_for(count: int, names: tuple[str, ...] | None, awaits_each: bool) -> Callable[..., Any]:
    """The loop for a call with so many positional arguments and these names."""
    given = [f"a{index}" for index in range(count)]
    unpacked = [f"{', '.join(given)}, = args"] if given else []
    if names is None:
        passed = [*given, "**kwargs"]
    else:
        held = [f"k{index}" for index in range(len(names))]
        unpacked += [f"{', '.join(held)}, = kwargs.values()"] if held else []
        passed = given + [f"{name}={value}" for name, value in zip(names, held, strict=True)]
    return _compiled("_", "; ".join(unpacked) or "pass", passed, awaits_each)


@lru_cache(maxsize=64)
def loop_over(count: int, awaits_each: bool) -> Callable[..., Any]:
    """The loop for calls of which each has its own tuple of so many arguments."""
    given = [f"a{index}" for index in range(count)]
    return _compiled("".join(f"{name}, " for name in given) or "_", "pass", given, awaits_each)


def _compiled(item: str, unpacked: str, passed: list[str], awaits_each: bool) -> Callable[..., Any]:
    call = f"fn({', '.join(passed)})"
    each = f"finish({call})" if awaits_each else call
    source = _LOOP.format(item=item, unpacked=unpacked, each=each, call=call)
    made: dict[str, Any] = {}
    exec(compile(source, "<laptime benchmark>", "exec"), made)
    loop: Callable[..., Any] = made["loop"]
    return loop
