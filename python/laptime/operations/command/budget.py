"""What a configuration may cost at most: parts of the model, memory and time.

Parts are counted as they are registered, so that a model without end stops early. Time and memory
are looked at by a timer, which reaches every loop of Python. It raises nothing: an error in the
middle of PyTorch's own code aborts the process. It ends the process with an answer (`ends_by`).
What no timer reaches meets the system's own limits a little later.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from .request import Failure, Request

#: Modules, parameters and buffers of a model: those of 1,000 usual layers are 22,000, those of a
#: mixture with every expert a module of its own, 384 in each of 61 layers, are 190,000.
MOST_PARTS = 1 << 18
#: Memory beside what was there before: a model without weights takes some hundred MiB.
MOST_MEMORY_BYTES = 4 << 30
#: Processor time of building, and again of counting. The largest models take half a minute.
MOST_SECONDS = 120
#: `--mode real` asks for weights and arithmetic. Of memory it gets half of the machine's.
_REAL_SECONDS = 3600
#: How often time and memory are looked at, in seconds of processor time.
_TICK = 0.25
#: What is left for the timer to find, before the system's own limit.
_SPARE_BYTES = 2 << 30
#: How torch says that there is no memory.
_NO_MEMORY = ("can't allocate memory", "not enough memory", "bad_alloc", "Cannot allocate memory")


@dataclasses.dataclass(frozen=True)
class Bounds:
    """The most that a configuration may cost."""

    parts: int
    memory_bytes: int
    seconds: float

    @classmethod
    def of(cls, request: Request) -> Bounds:
        """Those of a request."""
        if request.mode != "real":
            return cls(MOST_PARTS, MOST_MEMORY_BYTES, MOST_SECONDS)
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        return cls(MOST_PARTS, max(half, MOST_MEMORY_BYTES), _REAL_SECONDS)


class Budget:
    """Keeps what runs within it in its bounds. Its error is raised again until all has ended."""

    def __init__(self, bounds: Bounds, refused: Callable[[str, str], Failure]) -> None:
        self.bounds = bounds
        self.refused = refused
        self.exceeded: Failure | None = None
        self.parts = 0
        self.weight_bytes = 0
        self.before_bytes = peak_bytes()
        self.began = time.thread_time()

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Within it a bound that is exceeded is a `Failure`, whatever was made of the error."""
        try:
            with contextlib.ExitStack() as within:
                within.enter_context(_registered(self.part))
                within.enter_context(_timed(self.tick, self.bounds.seconds))
                within.enter_context(_limited(self.bounds.memory_bytes + _SPARE_BYTES))
                yield
        except Exception as error:
            if self.exceeded is None and _is_memory(error):
                self.exceeded = self.too_much_memory()
            if self.exceeded is None or error is self.exceeded:
                raise
            raise self.exceeded from error
        if self.exceeded is not None:
            raise self.exceeded

    def part(self, _module: Any, _name: str, part: Any) -> None:
        """Counts a module, parameter or buffer, before its values are made."""
        self.parts += 1
        if self.parts > self.bounds.parts:
            what = "the number of its modules and parameters"
            self.exceed(lambda: self.refused(what, f"{self.bounds.parts:,}"))
        self.weight_bytes += _weight_bytes(part)
        if self.weight_bytes > self.bounds.memory_bytes:
            self.exceed(self.too_much_memory)

    def tick(self) -> None:
        """Looks at time and memory, and ends the process where they are exceeded."""
        if time.thread_time() - self.began > self.bounds.seconds:
            limit = f"{self.bounds.seconds:g} s of processor time"
            _end(self.refused("the time that its model takes", limit))
        if peak_bytes() - self.before_bytes > self.bounds.memory_bytes:
            _end(self.too_much_memory())

    def exceed(self, error: Callable[[], Failure]) -> None:
        """Raises the error, and the first one each time."""
        self.exceeded = self.exceeded or error()
        raise self.exceeded

    def too_much_memory(self) -> Failure:
        """The error where memory is exceeded."""
        limit = f"{self.bounds.memory_bytes / (1 << 30):.3g} GiB"
        return self.refused("the memory that its model takes", limit)


#: How the process ends by an error; the command's answer says.
_end_by: list[Callable[[Failure], Any]] = []


def ends_by(answer: Callable[[Failure], Any]) -> None:
    """Has the process end where time or memory is exceeded, with this called for the answer."""
    _end_by.append(answer)


def _end(error: Failure) -> None:
    for answer in _end_by:
        answer(error)
        os._exit(error.code)


@contextlib.contextmanager
def _registered(hook: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Calls the hook for each part of a model that is built within it."""
    if "torch" not in sys.modules:
        yield
        return
    from torch.nn.modules import module

    kinds: list[Any] = [
        module.register_module_module_registration_hook,
        module.register_module_parameter_registration_hook,
        module.register_module_buffer_registration_hook,
    ]
    handles = [register(hook) for register in kinds]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def _timed(tick: Callable[[], None], seconds: float) -> Iterator[None]:
    """Calls `tick` by processor time; what doesn't let it is ended in twice the time."""
    if not _end_by or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, lambda *_: tick())
    signal.setitimer(signal.ITIMER_PROF, _TICK, _TICK)
    threads = os.cpu_count() or 1
    signal.setitimer(signal.ITIMER_VIRTUAL, threads * (2 * seconds + 10))
    try:
        yield
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def _limited(more_bytes: int) -> Iterator[None]:
    """Within it the process gets this much memory more, where the system can say so."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            data_bytes = int(file.read().split()[5]) * resource.getpagesize()
    except OSError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    unlimited = resource.RLIM_INFINITY
    wanted = [data_bytes + more_bytes, *(one for one in (soft, hard) if one != unlimited)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def peak_bytes() -> int:
    """The most memory that the process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def _weight_bytes(part: Any) -> int:
    """Bytes of a part that has memory: neither a module nor a shape alone."""
    torch: Any = sys.modules["torch"]
    from torch._subclasses.fake_tensor import FakeTensor

    if not isinstance(part, torch.Tensor) or isinstance(part, FakeTensor) or part.is_meta:
        return 0
    return part.numel() * part.element_size()


def _is_memory(error: BaseException) -> bool:
    """Whether it was raised since there is no more memory."""
    said = str(error)
    return isinstance(error, MemoryError) or any(one in said for one in _NO_MEMORY)
