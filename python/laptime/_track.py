"""`lt.track`: one span per iteration, with its wait for the next item as child `data`."""

from __future__ import annotations

from ._core import close_span, open_span, suspend_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO


def _is_iterable(items: object) -> bool:
    """Whether its type says that it can be gone over; nothing of it is called."""
    given = type(items)
    return hasattr(given, "__iter__") or hasattr(given, "__getitem__")


class track:
    """Iterates over `items`; each iteration is a span called `name`.

    The span opens when the next item is asked for and closes when the one after it is, so it
    holds the wait (its child `data`) and the body of the loop. The last request, which finds no
    item, is not an iteration and leaves no span. With `log` each iteration has a line.
    """

    def __init__(
        self,
        items: Any,
        name: str = "step",
        *,
        log: bool | TextIO | Callable[[str], object] = False,
    ) -> None:
        given: object = items
        if callable(given) and not _is_iterable(given):
            called = getattr(given, "__qualname__", type(given).__qualname__)
            raise TypeError(
                f"lt.track takes an iterable, not the function {called}: write "
                "`for batch in lt.track(loader):`. To time the function, decorate it with @lt.lap"
            )
        if not (log is None or isinstance(log, bool) or callable(log) or hasattr(log, "write")):
            raise TypeError(
                f"log must be True, which prints the lines, an open file or a function, not {log!r}"
            )
        self._items: Any = items
        self._name = name
        self._log = log

    def __len__(self) -> int:
        return len(self._items)

    def _begun(self) -> Iterator[Any]:
        """The iterator of the items, or an error that says what was given in their place."""
        try:
            return iter(self._items)
        except TypeError:
            items: object = self._items
            if _is_iterable(items):
                raise
            given = type(items)
            number = f": for so many iterations, range({items})" if given is int else ""
            raise TypeError(f"lt.track goes over items, not {given.__name__}{number}") from None

    def __iter__(self) -> Iterator[Any]:
        name = self._name
        step = 0
        log = None
        try:
            if self._log is not False and self._log is not None:
                from ._epochs import EpochLog

                log = EpochLog(self._items, name, self._log)
            step = open_span(name)
            data = open_span("data")
            iterator = self._begun()
            while True:
                try:
                    item = next(iterator)
                except StopIteration:
                    suspend_span(data)
                    suspend_span(step)
                    if log is not None:
                        log.finished()
                    return
                except BaseException:
                    close_span(data)
                    raise
                close_span(data)
                yield item
                close_span(step)
                if log is not None:
                    log.ended()
                step = open_span(name)
                data = open_span("data")
        except GeneratorExit:
            close_span(step)
            if log is not None:
                log.left()
            raise
        finally:
            close_span(step)
