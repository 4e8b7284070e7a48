"""Ctrl-C that nobody catches: a traceback, and an end by the signal itself."""

import atexit
import os
import signal

atexit.register(print, "at exit")
print("before", flush=True)


def work():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**9):
        pass


work()
