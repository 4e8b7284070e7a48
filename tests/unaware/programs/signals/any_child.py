"""A supervisor that reaps any child on SIGCHLD and takes every id for one of its own."""

import os
import signal

reaped = {}


def reap(number, frame):
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        reaped[pid] = os.waitstatus_to_exitcode(status)


try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError as error:
    print(error)
signal.signal(signal.SIGCHLD, reap)
children = []
for code in range(6):
    pid = os.fork()
    if pid == 0:
        os._exit(code)
    children.append(pid)
while not set(children) <= set(reaped):
    signal.sigtimedwait([], 0.01)
print([reaped.pop(pid) for pid in children], reaped)
