"""An interpreter that has imported torch, and forks itself where a test would start one.

Importing torch takes seconds; a fork of who has it takes milliseconds. Laptime is imported in the
fork, as in a program of its own. `Warm.python` is a file to name in an interpreter's place.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import traceback
from pathlib import Path

# What stands at `Warm.python`: hands its arguments, folder, environment and streams over.
CLIENT = """#!{python} -IS
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    streams = socket.SCM_RIGHTS, array.array("i", [0, 1, 2])
    server.sendmsg([b"."], [(socket.SOL_SOCKET, *streams)])
    server.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    code = int(server.makefile().read() or 1)
sys.exit(code)
"""


class Warm:
    """The interpreter that waits, and the file that stands for it."""

    def __init__(self, folder: Path) -> None:
        address = str(folder / "warm")
        self.python = folder / "python"
        self.python.write_text(CLIENT.format(python=sys.executable, address=address))
        self.python.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        self._server = subprocess.Popen(
            [sys.executable, __file__, address],
            env=kept,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def close(self) -> None:
        self._server.kill()
        self._server.communicate()


def serve(address: str) -> list[str]:
    """Forks for every client; comes back in a fork, with the arguments of what it shall be."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            # Its input ends with the tests, however they end.
            if sys.stdin in select.select([server, sys.stdin], [], [])[0]:
                os._exit(0)
            client, _ = server.accept()
            if os.fork() == 0:
                break
            client.close()
            # Forks that ended and told it.
            while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG):
                pass
    # One fork waits for the other, and tells its exit code.
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        client.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    with client:
        _, streams, _, _ = socket.recv_fds(client, 1, 3)
        arguments, folder, environment = json.loads(client.makefile().read())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return arguments


def become(arguments: list[str]) -> None:
    """Does what `python ARGUMENTS` does."""
    option, what, *rest = arguments
    sys.path[0] = os.getcwd()
    if option == "-m":
        sys.argv = [what, *rest]
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert option == "-c", arguments
        sys.argv = [option, *rest]
        del sys.modules["__main__"].__file__
        exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    # Tensors without memory import it, and it takes as long as torch itself.
    importlib.import_module("torch._dynamo")
    gc.freeze()
    arguments = serve(sys.argv[1])
    code: object = 0
    try:
        become(arguments)
    except SystemExit as left:
        code = left.code
    except BaseException:
        traceback.print_exc()
        code = 1
    # As the interpreter ends, but for taking a thousand modules apart, which takes seconds.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)
