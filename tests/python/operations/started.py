"""Programs that begin with PyTorch imported: an interpreter that did it forks for each of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_SERVER = """
import json, os, sys, traceback
import torch
for line in sys.stdin:
    asked = json.loads(line)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
                os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
            os.environ.update(asked["environment"])
            exec(compile(asked["source"], "program", "exec"), {"__name__": "__main__"})
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Done(NamedTuple):
    """How a program ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


class Started:
    """An interpreter that has imported PyTorch, and does nothing but fork."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, source: str, folder: Path, environment: dict[str, str]) -> Done:
        """Runs a program in a child, which begins after `import torch`."""
        out, err = folder / "out", folder / "err"
        asked = {"source": source, "out": str(out), "err": str(err), "environment": environment}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps(asked), file=self._server.stdin, flush=True)
        code = int(self._server.stdout.readline())
        return Done(code, out.read_text(), err.read_text())

    def close(self) -> None:
        """Ends it."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()
