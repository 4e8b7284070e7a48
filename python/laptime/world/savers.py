"""How objects are saved whose state neither attributes nor elements show."""

from __future__ import annotations

import array
import contextvars
import functools
import gc
import io
import queue
import random
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .arrays import Arrays

#: Answers with what puts the object back, perhaps with what else is reached through it.
Saver = Callable[[Any], Callable[[], Any] | tuple[Callable[[], Any] | None, Any] | None]


def savers() -> Iterator[tuple[type, Saver]]:
    """What saves an object, by its class."""
    yield random.Random, _python_random
    yield type(functools.lru_cache(len)), _remembered
    yield queue.Queue, _queue
    yield contextvars.ContextVar, _variable
    yield array.array, _array
    yield io.StringIO, _text
    yield io.BytesIO, _text
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        yield numpy.random.Generator, _numpy_generator
        yield numpy.random.RandomState, _numpy_state
        yield numpy.ndarray, Arrays()


def _remembered(function: Any) -> tuple[Callable[[], Any], list[Any]]:
    """What a function remembers of calls: what the count added is forgotten.

    One that remembers only the latest calls has them in a list, too, which nobody can put back: it
    forgets everything.
    """
    held = [it for it in gc.get_referents(function) if it is not vars(function)]
    cache = next((it for it in held if type(it) is dict), {})
    # Its entries belong to that list.
    held = [it for it in held if it is not cache]
    before, misses = dict(cache), function.cache_info().misses

    def restore() -> None:
        if function.cache_info().misses == misses:
            return
        function.cache_clear()
        if function.cache_info().maxsize is None:
            cache.update(before)

    return restore, [*held, *before.values()]


def _variable(variable: contextvars.ContextVar[Any]) -> tuple[Callable[[], Any], Any]:
    """A count runs in a context of its own: only what the variable has now is to be seen."""
    return _nothing, variable.get(None)


def _nothing() -> None: ...


def _array(held: array.array[Any]) -> Callable[[], Any]:
    before = held[:]

    def restore() -> None:
        if held.tobytes() != before.tobytes():
            held[:] = before

    return restore


def _text(file: Any) -> Callable[[], Any] | None:
    """What was written into memory."""
    if file.closed:
        return None
    before, at = file.getvalue(), file.tell()

    def restore() -> None:
        if file.getvalue() != before:
            file.seek(0)
            file.truncate()
            file.write(before)
        file.seek(at)

    return restore


def _queue(held: queue.Queue[Any]) -> Callable[[], Any] | None:
    """A copy of what waits in a queue is there for the count; other threads' doings stay."""
    before = held.queue
    if type(before) is list:
        return _put_list_back(held, before)
    if type(before) is not deque:
        return None
    unfinished = held.unfinished_tasks
    meanwhile = _Meanwhile(before, before.maxlen)

    def restore() -> None:
        with held.mutex:
            if held.queue is meanwhile:
                meanwhile.others_do(before)
                held.queue = before
                held.unfinished_tasks = unfinished + len(meanwhile.put)

    with held.mutex:
        held.queue = meanwhile
    return restore


def _put_list_back(held: Any, items: list[Any]) -> Callable[[], Any]:
    """What waits in a queue that is sorted, or gives the last first."""
    before, unfinished = list(items), held.unfinished_tasks

    def restore() -> None:
        with held.mutex:
            items[:] = before
            held.unfinished_tasks = unfinished

    return restore


class _Meanwhile(deque[Any]):
    """A queue's content while a count runs."""

    def __init__(self, items: deque[Any], most: int | None) -> None:
        super().__init__(items, most)
        self._counting = threading.get_ident()
        self.put: list[Any] = []
        self.taken: set[int] = set()

    def append(self, item: Any) -> None:
        """Another thread's is put in for good."""
        if threading.get_ident() != self._counting:
            self.put.append(item)
        super().append(item)

    def popleft(self) -> Any:
        """Another thread's is taken for good."""
        item = super().popleft()
        if threading.get_ident() != self._counting:
            self.taken.add(id(item))
        return item

    def others_do(self, items: deque[Any]) -> None:
        """Does to the true content what other threads did to this one."""
        for item in [item for item in items if id(item) in self.taken]:
            items.remove(item)
        items.extend(item for item in self.put if id(item) not in self.taken)


def _python_random(generator: random.Random) -> Callable[[], Any] | None:
    if isinstance(generator, random.SystemRandom):
        return None
    before = generator.getstate()
    return lambda: generator.setstate(before)


def _numpy_generator(generator: Any) -> Callable[[], Any]:
    bits = generator.bit_generator
    before = bits.state

    def restore() -> None:
        bits.state = before

    return restore


def _numpy_state(generator: Any) -> Callable[[], Any]:
    before = generator.get_state()
    return lambda: generator.set_state(before)
