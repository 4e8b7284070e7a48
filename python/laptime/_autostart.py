"""Starts recording in a process below `laptime run`, or with `LAPTIME=<path>` in its environment.

Imported by `laptime.pth` when the interpreter starts, before the program's first line. Whatever
goes wrong here costs the recording, never the program.
"""

import os
import sys


def _start() -> None:
    from ._core import Recorder, join

    memory = os.environ.get("LAPTIME_MEMORY", "")
    if memory not in ("", "0"):
        from . import _tally

        _tally.start(objects=memory == "objects")
    folder = os.environ.get("LAPTIME_RUN")
    if folder:
        join(folder)
    elif os.environ.get("LAPTIME", "1") not in ("", "1"):
        recorder = Recorder(os.environ["LAPTIME"])
        # Processes below this one join it instead of recording on their own.
        os.environ["LAPTIME_RUN"] = str(recorder.path)
        _kept.append(recorder)
    automatic = os.environ.get("LAPTIME_AUTO", "").split(",")
    if "phases" in automatic:
        from .integrations import _autotorch

        _autotorch.install(modules="modules" in automatic)


def _is_launcher() -> bool:
    """Whether this process is the `laptime` command: it measures others, not itself."""
    words = sys.orig_argv[1:3]
    return bool(words) and (os.path.basename(words[0]) == "laptime" or words == ["-m", "laptime"])


_kept: list[object] = []

if os.environ.get("LAPTIME") != "0" and not _is_launcher():
    try:
        _start()
    except Exception as error:
        print(f"laptime: warning: {error}; the program goes on unrecorded", file=sys.stderr)
