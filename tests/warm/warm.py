"""An interpreter that has imported torch, and forks itself where a test would start one.

Importing torch takes seconds; a fork of who has it takes milliseconds. `Warm.python` is a file to
name where `sys.executable` would stand:

    subprocess.run([warm.python, "-c", code, *arguments], env=…, cwd=…, capture_output=True)
    subprocess.run([warm.python, "-m", "laptime", "ops", …])
    subprocess.run([warm.python, "train.py", *arguments])

The program has the arguments, folder, environment and streams that it is given, a `__main__` and
`sys.path` of its own, and ends as an interpreter does: threads are joined, exit handlers run, and
the exit code or the signal is that of the fork. Signals to `warm.python` reach it.

What differs from an interpreter that was started:

- torch, `torch._dynamo` and numpy are imported when the program begins. Laptime isn't: the program
  imports it, after torch. What tests that Laptime comes first starts an interpreter.
- What is read when an interpreter starts has no effect: `PYTHON*`, `LD_*`, `OMP_*`, and what begins
  a recording (`LAPTIME_RUN`, `LAPTIME=path`). Such a variable is refused where it isn't as in the
  tests' own environment, so that no test believes in it. So `laptime run` starts a real one.
- `sys.orig_argv` and `/proc/self/cmdline` are the server's; other options of `python` are refused.
- Its memory is torch's from the first line; nothing is taken apart after the exit handlers.
- Limits (`preexec_fn`) and descriptors beyond the three streams aren't handed over.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

_SERVER = Path(__file__).with_name("server.py")

# What stands at `Warm.python`: hands over what the program has, and ends as the program did.
_CLIENT = """#!{python} -IS
import array, json, os, signal, socket, sys
passed = [getattr(signal, "SIG" + name) for name in ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2")]
signal.pthread_sigmask(signal.SIG_BLOCK, passed)
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    streams = socket.SCM_RIGHTS, array.array("i", [0, 1, 2])
    server.sendmsg([b"."], [(socket.SOL_SOCKET, *streams)])
    given = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    server.sendall(given.encode() + b"\\n")
    answers = server.makefile()
    pid = int(answers.readline())
    for each in passed:
        signal.signal(each, lambda number, _: os.kill(pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, passed)
    code = int(answers.readline() or 1)
if code < 0:
    if code != -signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


class Warm:
    """The interpreter that waits, and the file that stands for it.

    `modules` are what it imports before it waits; none of them may start a thread by that (those
    that numpy's BLAS starts it ends before each fork). With
    `environment` it is started, for what is read then: its forks must be given the same.
    """

    def __init__(
        self,
        folder: Path,
        modules: tuple[str, ...] = ("torch", "torch._dynamo"),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        for module in modules:
            if importlib.util.find_spec(module.partition(".")[0]) is None:
                pytest.skip(f"{module} isn't installed")
        address = str(folder / "warm")
        self.python = folder / "python"
        self.python.write_text(_CLIENT.format(python=sys.executable, address=address))
        self.python.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        self._server = subprocess.Popen(
            [sys.executable, str(_SERVER), address, *modules],
            env={**kept, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            # An interrupt of the tests comes once, by way of `python`.
            start_new_session=True,
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """Ends it, and what it forked."""
        self._server.communicate()
