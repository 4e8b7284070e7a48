"""What `Warm` starts: imports modules, then forks for every client, and each fork is a program."""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.machinery
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import types
from typing import NamedTuple

#: Read when an interpreter starts, and never again.
_AT_START = ("PYTHON", "LD_", "OMP_")
#: But for this one, which keeps the program's own folder out of `sys.path`.
_SAFE = "PYTHONSAFEPATH"


class _Program(NamedTuple):
    pid: int
    #: Readable once it ended.
    end: int
    client: socket.socket


def serve(address: str) -> list[str]:
    """Forks for every client; comes back in a fork, with the arguments of what it shall be."""
    programs: dict[int, _Program] = {}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        events = select.poll()
        # The input ends with the tests, however they end.
        for each in (server, sys.stdin):
            events.register(each, select.POLLIN)
        while True:
            # One at a time: what it leads to may close what another one is about.
            number, _ = events.poll()[0]
            if number == sys.stdin.fileno():
                for program in programs.values():
                    os.kill(program.pid, signal.SIGKILL)
                os._exit(0)
            if number == server.fileno():
                client, _ = server.accept()
                pid = os.fork()
                if pid == 0:
                    for program in {*programs.values()}:
                        _close(program)
                    break
                program = _Program(pid, os.pidfd_open(pid), client)
                programs |= {program.end: program, client.fileno(): program}
                events.register(program.end, select.POLLIN)
                # Of a client nothing but that it is gone.
                events.register(client, 0)
                _tell(client, pid)
                continue
            program = programs[number]
            if number != program.end:
                os.kill(program.pid, signal.SIGKILL)
            _, status = os.waitpid(program.pid, 0)
            _tell(program.client, os.waitstatus_to_exitcode(status))
            for each in (program.end, program.client.fileno()):
                events.unregister(each)
                del programs[each]
            _close(program)
    return _received(client)


def _tell(client: socket.socket, number: int) -> None:
    try:
        client.sendall(f"{number}\n".encode())
    except OSError:
        pass  # It is gone, and is told so by the next event.


def _close(program: _Program) -> None:
    os.close(program.end)
    program.client.close()


def _received(client: socket.socket) -> list[str]:
    """Takes over what the client has: its streams, folder, environment and arguments."""
    # A program that signals its group means itself.
    os.setpgid(0, 0)
    with client:
        _, streams, _, _ = socket.recv_fds(client, 1, 3)
        arguments, folder, environment = json.loads(client.makefile().readline())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for name in {*os.environ, *environment} - {_SAFE}:
        if name.startswith(_AT_START) and os.environ.get(name) != environment.get(name):
            sys.exit(f"{name} has no effect in a fork: start {sys.executable} for it")
    if environment.get("LAPTIME_RUN") or environment.get("LAPTIME", "0") not in ("0", "1", ""):
        sys.exit(f"no recording begins with a fork: start {sys.executable} for it")
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return arguments


def become(arguments: list[str]) -> None:
    """Does what `python ARGUMENTS` does."""
    what, *rest = arguments
    if what in ("-c", "-m"):
        sys.argv = [what, *rest[1:]]
        _look_first_in("" if what == "-c" else os.getcwd())
    elif what.startswith("-"):
        sys.exit(f"an interpreter that is there already takes no option {what}")
    else:
        sys.argv = arguments
        what = os.path.abspath(what)
        _look_first_in(os.path.dirname(os.path.realpath(what)))
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if what == "-m":
        runpy._run_module_as_main(rest[0])
        return
    if what == "-c":
        main.__loader__ = importlib.machinery.BuiltinImporter
        code = compile(rest[0], "<string>", "exec", dont_inherit=True)
    else:
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", what)
        main.__file__, main.__cached__ = what, None
        with open(what, "rb") as file:
            code = compile(file.read(), what, "exec", dont_inherit=True)
    exec(code, main.__dict__)


def _look_first_in(folder: str) -> None:
    sys.path[:1] = [] if os.environ.get(_SAFE) else [folder]


def left(end: SystemExit) -> int:
    """The exit code of `sys.exit(…)`, which says what isn't a number."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def say(error: BaseException) -> None:
    """Tells what nobody caught, from the program's own first line on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    sys.excepthook(type(error), error.with_traceback(trace), trace)


if __name__ == "__main__":
    for module in sys.argv[2:]:
        importlib.import_module(module)
    assert threading.active_count() == 1
    assert not any(name.partition(".")[0] == "laptime" for name in sys.modules)
    # What is there stays where it is: a collection in a fork would copy all of it.
    gc.freeze()
    code = 0
    try:
        become(serve(sys.argv[1]))
    except SystemExit as end:
        code = left(end)
    except BaseException as error:
        code = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
        say(error)
    # As the interpreter ends, but for taking a thousand modules apart, which takes seconds.
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    if code < 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code & 0xFF)
