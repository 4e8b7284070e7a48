"""`lt.capture`: tells nsys and ncu which steps to look at, by CUDA's profiler switch."""

from __future__ import annotations

import atexit
import os
import sys

from ._core import cuda_profiler_start, cuda_profiler_stop, raised_by_handler
from ._log import warn
from ._step_sink import StepSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._core import StepWindow

# Captures that are under way: CUDA's switch doesn't count, so a second one must not end the first.
_running = 0


def capture(name: str = "step", *, skip: int = 0, count: int = 1) -> None:
    """Switches CUDA's profiler on for `count` laps of that `name`, after the first `skip` of them.

        lt.capture("step", skip=10, count=3)

    For `nsys profile --capture-range=cudaProfilerApi` and `ncu --profile-from-start off`, which
    then look at nothing else. Without more it is the first lap named `"step"`. Steps are those of
    `lt.log_every`. Where there is no CUDA this says why, once, and does nothing; where the program
    ends before such a lap began, it says that too.
    """
    _check_name(name)
    _check_number("skip", skip, 0)
    _check_number("count", count, 1)
    _Capture(name, skip, count)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"lt.capture takes the name of a lap, not {name!r}")


def _check_number(what: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(
            f"lt.capture: {what} must be a whole number from {least} on, not {value!r}"
        )


class _Capture:
    """One call of `lt.capture`, from then until its steps are over."""

    def __init__(self, name: str, skip: int, count: int) -> None:
        self._name, self._skip, self._count = name, skip, count
        self._ended = 0  # steps
        self._began: int | None = None  # after so many
        self._is_over = False
        self._reason: str | None = None
        self._process = os.getpid()
        if skip == 0:
            self._begin()  # the GPU may be used in the first step only: then after that
        self._sink = StepSink(1, self._step_ended, name=name, what="lt.capture")
        atexit.register(self._exits)

    def _step_ended(self, _window: StepWindow) -> None:
        if self._is_over:
            return
        self._ended += 1
        if self._began is not None:
            if self._ended - self._began >= self._count:
                self._end()
        elif self._ended >= self._skip:
            has_said = self._reason is not None and self._ended > max(self._skip, 1)
            self._begin()
            if self._began is None and not has_said:
                warn(f"lt.capture: step {self._ended + 1} is not captured: {self._reason}")

    def _begin(self) -> None:
        global _running
        self._reason = _switch(on=True) if _running == 0 else None
        if self._reason is None:
            _running += 1
            self._began = self._ended

    def _end(self) -> None:
        global _running
        self._is_over = True
        atexit.unregister(self._exits)
        self._sink.stop()
        if self._began is None:
            return
        _running -= 1
        if _running == 0:
            reason = _switch(on=False)
            if reason is not None:
                warn(f"lt.capture: the capture could not be ended: {reason}")

    def _exits(self) -> None:
        """The program ends before the captured steps did."""
        if self._process != os.getpid():
            return  # a child that was forked meanwhile
        others = self._sink.others() if self._ended == 0 else []
        if self._ended == 0:
            names = ", ".join(map(repr, others))
            more = (
                f"; name= takes the name of others: {names}"
                if others
                else "; the steps of a training are found under `laptime run`, or with phases=True"
            )
            warn(f"lt.capture: nothing was captured: no lap named {self._name!r} ended{more}")
        elif self._began is None and self._reason is None:
            warn(
                f"lt.capture: nothing was captured: the program ended after {_laps(self._ended)} "
                f"named {self._name!r}, and skip is {self._skip}"
            )
        elif self._began is not None:
            warn(
                f"lt.capture: {self._ended - self._began} of {_laps(self._count)} named "
                f"{self._name!r} were captured: then the program ended"
            )
        self._end()


def _switch(*, on: bool) -> str | None:
    """Switches CUDA's profiler; why not, if so.

    By PyTorch's own CUDA where it is in use, since tools may know that library's functions only.
    """
    try:
        runtime = _runtime()
        if runtime is None:
            return cuda_profiler_start() if on else cuda_profiler_stop()
        code = int(runtime.cudaProfilerStart() if on else runtime.cudaProfilerStop())
    except Exception as error:
        if raised_by_handler(error):
            raise
        return f"{type(error).__name__}: {error}"
    return f"CUDA answered with error {code}" if code else None


def _runtime() -> Any:
    """PyTorch's CUDA, if it is in use. A file of the program's that is called like it has none."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    is_initialized = getattr(cuda, "is_initialized", None)
    return cuda.cudart() if is_initialized is not None and is_initialized() else None


def _laps(count: int) -> str:
    return "1 lap" if count == 1 else f"{count} laps"
