"""Starts recording in a process below `laptime run`, or with `LAPTIME=<path>` in its environment.

Imported by `laptime.pth` when the interpreter starts, before the program's first line. Whatever
goes wrong here costs the recording, never the program.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._core import Recorder


def _start() -> None:
    from ._core import Recorder, join

    memory = os.environ.get("LAPTIME_MEMORY", "")
    if memory not in ("", "0"):
        from . import _tally

        _tally.start(objects=memory == "objects")
    folder = os.environ.get("LAPTIME_RUN")
    if folder:
        join(folder)
        atexit.register(_close_if_interrupted)
    elif os.environ.get("LAPTIME", "1") not in ("", "1"):
        recorder = Recorder(os.environ["LAPTIME"])
        # Processes below this one join it instead of recording on their own.
        os.environ["LAPTIME_RUN"] = str(recorder.path)
        _kept.append(recorder)
        atexit.register(_close_if_interrupted)
    automatic = os.environ.get("LAPTIME_AUTO", "").split(",")
    if "phases" in automatic:
        from .integrations import _autotorch

        _autotorch.install(modules="modules" in automatic, ops="ops" in automatic)


def _close_if_interrupted() -> None:
    """Ends the recording while there is time.

    After an interrupt that nobody caught, CPython ends by the signal itself, and nothing that the C
    library runs at an exit is run. Registered first, this is the last of the interpreter's own.
    """
    if issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt):
        from ._core import close

        while _kept:
            _kept.pop().finish()
        close()


def _is_launcher() -> bool:
    """Whether this process is the `laptime` command: it measures others, not itself."""
    words = sys.orig_argv[1:3]
    return bool(words) and (os.path.basename(words[0]) == "laptime" or words == ["-m", "laptime"])


_kept: list[Recorder] = []

if os.environ.get("LAPTIME") != "0" and not _is_launcher():
    try:
        _start()
    except Exception as error:
        from ._core import warn

        warn(f"{error}; the program goes on unrecorded")
