"""`ProfilingTimer`: names, defaults, allies, files. Starting, stopping and figures are native."""

from __future__ import annotations

import copyreg
import logging
import weakref
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..._core import ProfilingSegments, now, ticks_to_ns, write_timeline
from ..._post_import import when_imported
from ...device import each, gauge
from ._table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from os import PathLike

#: Start and duration in ns; bytes at the start, at the end, and at most.
Run: TypeAlias = "tuple[int, int, tuple[int, int, int] | None]"
Field: TypeAlias = Literal[
    "start_time",
    "end_time",
    "elapsed_time",
    "memory_allocated_start",
    "memory_allocated_end",
    "max_memory_allocated_end",
    "net_memory_allocated",
    "peak_memory_allocated",
]

MAIN = "main"
#: What a field of a history is of a run.
_FIELDS: dict[Field, Callable[[Run], float | int | None]] = {
    "start_time": lambda run: run[0] / 1e9,
    "end_time": lambda run: (run[0] + run[1]) / 1e9,
    "elapsed_time": lambda run: run[1] / 1e9,
    "memory_allocated_start": lambda run: run[2] and run[2][0],
    "memory_allocated_end": lambda run: run[2] and run[2][1],
    "max_memory_allocated_end": lambda run: run[2] and run[2][2],
    "net_memory_allocated": lambda run: run[2] and run[2][1] - run[2][0],
    "peak_memory_allocated": lambda run: run[2] and run[2][2] - run[2][0],
}
_log = logging.getLogger("laptime")
_said: set[str] = set()


def _say_once(message: str, reason: str) -> None:
    if message + reason not in _said:
        _said.add(message + reason)
        _log.warning(message, reason)


class History(list[Any]):
    """Values of finished segments, oldest first. Also an iterator, as torchtimer's was."""

    _next = 0

    def __next__(self) -> Any:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]


class ProfilingTimer(ProfilingSegments):
    """Times named segments, in contexts, on the device or the host.

    `memory=False` leaves memory out: the memory columns then show a dash.
    """

    def __init__(
        self,
        enabled: bool = True,
        device: Any = None,
        stream: Any = None,
        name: str = "timer",
        allies: Iterable[ProfilingTimer] = [],  # torchtimer's default; only read
        *,
        memory: bool = True,
    ) -> None:
        self.name = name
        self.device = device
        self.stream = stream
        self._memory = memory
        self._host_memory = False
        self._coarse = ""
        self._allies = list(allies)
        self._origin = now()
        if not enabled:
            self.disable()
        self._choose_gauge()
        for ally in self.allies:
            if not isinstance(ally, ProfilingTimer):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"an ally is a ProfilingTimer, not {type(ally).__name__}")
            if not enabled:
                ally.disable()
            ally._origin = self._origin

    def _choose_gauge(self) -> None:
        self._host_memory = False
        made, reason = gauge(self.device, self._memory, self.stream, says=False)
        if made is None:
            self._use_host(reason or "")
        elif reason == "the program has not imported PyTorch":
            # Host time costs least until then.
            self._use_host("", said=False)
            this = weakref.ref(self)

            def imported(_torch: object) -> None:
                timer = this()
                if timer is not None:
                    timer._choose_gauge()

            when_imported("torch", imported)
        else:
            self._measure(made)

    def _use_host(self, reason: str, said: bool = True) -> None:
        coarse = self._measure("host" if self._memory else "clock")
        self._coarse = (
            f"the resident memory of the process, in whole pages, because {coarse}; a segment's "
            "peak shows only if it is the highest so far"
            if coarse
            else "what the segment's thread allocated and freed"
        )
        if said and reason != "the device is the CPU":
            _say_once("torchtimer: times are host times: %s", reason)
        self._host_memory = self._memory

    @property
    def allies(self) -> list[ProfilingTimer]:
        """The allies, and theirs."""
        found: dict[int, ProfilingTimer] = {}
        waiting = list(self._allies)
        while waiting:
            ally = waiting.pop(0)
            if id(ally) not in found and ally is not self:
                found[id(ally)] = ally
                waiting += getattr(ally, "_allies", [])
        return list(found.values())

    def create_context(
        self, context: Hashable
    ) -> tuple[Callable[[Any], None], Callable[[Any], Any]]:
        """`start(name)` and `stop(name)` of a context."""

        def start(name: Any) -> None:
            self.start(name, context)

        def stop(name: Any) -> Any:
            return self.stop(name, context)

        return start, stop

    def history(
        self, name: Any, context: Hashable | None = None, field: Field = "elapsed_time"
    ) -> History:
        """One field of every finished segment of a name, in seconds or bytes."""
        if field not in _FIELDS:
            raise ValueError(f"expected one of {', '.join(_FIELDS)}, found {field!r}")
        runs = self._history(name, MAIN if context is None else context, self._origin)
        return History(map(_FIELDS[field], runs))

    def remove(self, name: Any, context: Hashable | None = None) -> None:
        """Forgets a name's segments."""
        if self._enabled:
            self._remove(name, MAIN if context is None else context)

    def synchronize(self) -> None:
        """Waits for the device; nothing but this and `gct` does so by itself."""
        made, reason = gauge(self.device, False, self.stream, says=False)
        if made is None or reason is not None:
            return
        if self.stream is not None:
            self.stream.synchronize()
            return
        for device in each(self.device):
            made.probe.module.synchronize(device)

    def gct(self, relative: bool = True) -> float:
        """Seconds since the timer was made, or `perf_counter()`; waits for the device first."""
        self.synchronize()
        return ticks_to_ns(now() - self._origin) / 1e9 if relative else perf_counter()

    def _shown(self) -> list[str]:
        """The tables. Their first time, the log says what the memory columns are."""
        figures = self._figures(self._origin)
        tables = [table(_text(self.name), *one) for one in figures]
        if tables and self._host_memory:
            self._host_memory = False
            _log.warning(
                "torchtimer: the memory columns of %r are host memory: %s", self.name, self._coarse
            )
        return tables

    def summarize(self) -> None:
        """Prints a table for each context, then the allies'."""
        self._summarize(set())

    def _summarize(self, seen: set[int]) -> None:
        if not self._enabled or id(self) in seen:
            return
        seen.add(id(self))
        for shown in self._shown():
            print(shown)  # noqa: T201 # that is what it is for
        for ally in self._allies:
            print()  # noqa: T201 # as above
            ally._summarize(seen)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What notebooks show: the table of every context, the allies' below."""
        del include, exclude
        timers = [self, *self.allies] if self._enabled else []
        told = [(timer, timer._shown()) for timer in timers if timer._enabled]
        plain = "\n".join(one for _timer, tables in told for one in tables)
        if not plain:
            return {"text/plain": repr(self)}
        html = [
            timer._report(timer.name)._repr_mimebundle_()["text/html"]
            for timer, tables in told
            if tables
        ]
        return {"text/plain": plain, "text/html": "".join(html)}

    def summarize_to_file(self, path: str | PathLike[str]) -> None:
        """Appends the tables to a file, under the date; then the allies', each under its own."""
        self._summarize_to_file(path, set())

    def _summarize_to_file(self, path: str | PathLike[str], seen: set[int]) -> None:
        if not self._enabled or id(self) in seen:
            return
        seen.add(id(self))
        tables = self._shown()
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n".join(["", f"##### {datetime.now()}", *tables]))
        for ally in self._allies:
            ally._summarize_to_file(path, seen)

    def visualize(self, path: str | PathLike[str], figsize: tuple[int, int] = (1920, 960)) -> None:
        """Writes a page with the timeline of every context, the allies' included."""
        if not self._enabled:
            return
        contexts = [
            (
                f"{timer.name}::{context}",
                [_shown(name, run) for name, runs in named for run in runs],
            )
            for timer in [self, *self.allies]
            for context, named in timer._runs(self._origin)
        ]
        write_timeline(path, self.name, contexts, figsize)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles name no function of this place.
        return copyreg.__newobj__, (type(self),), self._kept()  # type: ignore[attr-defined]

    def _kept(self) -> dict[str, Any]:
        own = dict(self.__dict__)
        own.pop("_origin", None)
        # A stream belongs to its process.
        own["stream"] = None
        return {
            "attributes": own,
            "segments": self._state(self._origin),
            "enabled": self._enabled,
            "disabled": self._disabled(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        self._origin = now()
        for context in state["disabled"]:
            self.disable_context(context)
        self._restore(state["segments"], self._origin)
        if not state["enabled"]:
            self.disable()
        self._choose_gauge()


def _text(name: Any) -> str:
    """A name as text that can be printed: what is no character is replaced."""
    return str(name).encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _shown(name: str, run: Run) -> tuple[str, int, int, int | None, int | None, int | None]:
    """A run of a timeline."""
    start_ns, elapsed_ns, memory = run
    if memory is None:
        return name, start_ns, elapsed_ns, None, None, None
    before, after, most = memory
    return name, start_ns, elapsed_ns, after - before, most - before, before
