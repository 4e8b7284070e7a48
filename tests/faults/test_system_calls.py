"""Every system call of a recording fails once, and from somewhere on: the program doesn't notice.

`failing.c` makes the n-th call of the extension module fail. One process imports Laptime and forks
a program for each n. `LAPTIME_TEST_FAULTS=all` tries every error at every call. A fork for each
takes eight seconds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launched import Runner

SWEEP = """
    import ctypes, errno, os, signal, sys, threading, time
    import laptime as lt

    shim = ctypes.CDLL(os.environ["LD_PRELOAD"])
    ERRORS = [errno.ENOSPC, errno.EMFILE, errno.ENOMEM, errno.EIO, errno.EINTR, errno.EAGAIN]
    ENOUGH_S = 60

    def work(number):
        for _ in range(number):
            with lt.lap("work"):
                pass

    def program():
        try:
            recording = lt.record("a.lap")
        except OSError:
            recording = None  # the one place where the program is told
        thread = threading.Thread(target=work, args=(100,))
        thread.start()
        thread.join()
        work(30_000)
        lt.mark("half way")
        report = lt.report()
        if recording is not None:
            recording.stop()
        print(report["work"].count)

    def run(nth, error, lasting):
        name = f"{nth}-{errno.errorcode.get(error, 0)}-{lasting}"
        os.mkdir(name)
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            os.chdir(name)
            output = os.open("output", os.O_WRONLY | os.O_CREAT)
            os.dup2(output, 1)
            os.dup2(os.open("messages", os.O_WRONLY | os.O_CREAT), 2)
            shim.failing_arm(nth, error, lasting)
            program()
            sys.stdout.flush()
            os.write(theirs, str(shim.failing_seen()).encode())
            os._exit(7)
        os.close(theirs)
        late = time.monotonic() + ENOUGH_S
        while (done := os.waitpid(pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > late:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        seen = os.read(ours, 100)
        os.close(ours)
        output = open(f"{name}/output").read()
        messages = open(f"{name}/messages").read().splitlines()
        code = os.waitstatus_to_exitcode(done[1])
        if (code, output) != (7, "30100\\n") or len(messages) > 1:
            print(name, code, output, messages)
        return int(seen or 0)

    calls = run(-1, 0, 0)
    print("calls:", calls > 20)
    every = os.environ.get("LAPTIME_TEST_FAULTS") == "all"
    for nth in range(1, calls + 1):
        for lasting in (0, 1):
            for error in ERRORS if every else [ERRORS[(nth + lasting) % len(ERRORS)]]:
                if lasting and error == errno.EINTR:
                    continue  # interrupted for ever: the standard library tries as long
                run(nth, error, lasting)
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("shim") / "failing.so"
    source = Path(__file__).with_name("failing.c")
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


def test_no_system_call_of_ours_that_fails_changes_a_program(run: Runner, shim: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(run.script(SWEEP))],
        cwd=run.folder,
        env={**os.environ, "LD_PRELOAD": str(shim)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3_600,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "calls: True\n"), done.stdout + done.stderr
