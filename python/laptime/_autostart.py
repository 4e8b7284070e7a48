"""Starts recording in a process below `laptime run`, or with `LAPTIME=<path>` in its environment.

Imported by `laptime.pth` when the interpreter starts, before the program's first line, and by the
package. Whatever goes wrong here costs the recording, never the program. It imports nothing of the
standard library that an interpreter hasn't imported by then: a file of the program's folder that is
called like one of its modules is the program's own, to be found or never to be run.
"""

from __future__ import annotations

import atexit
import os
import sys

# First: it refuses interpreters that cannot be measured.
from . import _interpreter as _interpreter  # isort: split

from ._core import (
    Recorder,
    asked,
    catch_up_at_exit,
    close,
    count_calls,
    enable,
    join,
    leave_calls,
    leave_interpreter,
    sample_stacks,
)
from ._log import say


def _start() -> None:
    if _is_launcher():
        return
    wanted = asked()
    for variable, warning in wanted.warnings:
        say(warning)
        # Once: processes below this one have the environment too.
        os.environ.pop(variable, None)
    if wanted.is_off:
        return
    enable()
    if wanted.memory is not None:
        from . import _tally

        _tally.start(objects=wanted.memory == "objects")
    if "stacks" in (wanted.automatic or ()) and (wanted.run or wanted.record):
        sample_stacks()
    if "nvtx" in (wanted.automatic or ()):
        from . import _nvtx

        _nvtx.start_for_run()
    if wanted.run is not None:
        join(wanted.run)
        atexit.register(_end)
    elif wanted.record is not None:
        recorder = Recorder(wanted.record)
        # Processes below this one join it instead of recording on their own.
        os.environ["LAPTIME_RUN"] = recorder.folder
        if recorder.taken_path is not None:
            say(recorder.taken_path)
        _kept.append(recorder)
        atexit.register(_end)
    if wanted.memory is not None:
        from . import _device_memory

        # A process of `laptime run` is Laptime's own: peaks are exact there.
        _device_memory.start(usual="bounds" if wanted.run is None else "fold")
        atexit.register(_device_memory.stop)
    phases = set(wanted.automatic or ()) - {"stacks", "calls", "nvtx"}
    kernels = next((word[8:] for word in phases if word.startswith("kernels=")), None)
    if phases and (wanted.run or wanted.record or wanted.memory):
        from .integrations import _autojax, _autotorch, _program_ranges

        steps = None if kernels is None else range(*map(int, kernels.split(":")))
        _autotorch.install(modules="modules" in phases, ops="ops" in phases, kernels=steps)
        _autojax.install()
        _program_ranges.install()
    if "calls" in (wanted.automatic or ()) and (wanted.run or wanted.record) and count_calls():
        # Registered early, so that it runs late: the program's own handlers are counted too.
        atexit.register(leave_calls)


def _end() -> None:
    """Notes where the interpreter's own exit begins, and ends the recording while there is time.

    Registered first, it runs last: the program's own handlers run before it, and are the program's
    work. Drivers of devices shut down later, so they are asked here for the last they have to tell.
    After an interrupt that nobody caught, CPython ends by the signal itself, and nothing that the C
    library runs at an exit is run.
    """
    if os.getpid() == _pid:  # a forked child that did nothing leaves nothing
        leave_interpreter()
        _say_why_no_device()
    catch_up_at_exit()
    if issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt):
        while _kept:
            _kept.pop().finish()
        close()


def _say_why_no_device() -> None:
    torch = sys.modules.get("torch")
    if torch is None and asked().device != "off":
        return
    try:
        from ._device_times import say_why_none

        say_why_none(torch)
    except Exception as error:
        # Less is told: nothing else may suffer.
        say(f"why no device was timed is not known: {error}")


def _is_launcher() -> bool:
    """Whether this process is the `laptime` command: it measures others, not itself."""
    words = sys.orig_argv[1:3]
    return bool(words) and (os.path.basename(words[0]) == "laptime" or words == ["-m", "laptime"])


_kept: list[Recorder] = []
_pid = os.getpid()

try:
    _start()
except KeyboardInterrupt:
    raise
except BaseException as error:
    # A panic is no `Exception`, and an exit is the program's to choose.
    say(f"{error}; the program goes on unrecorded")
