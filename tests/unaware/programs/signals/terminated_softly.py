"""SIGTERM turned into an exit, as services do: finally and atexit run."""

import atexit
import os
import signal
import sys


def leave(number, frame):
    sys.exit(128 + number)


atexit.register(print, "at exit")
signal.signal(signal.SIGTERM, leave)
try:
    os.kill(os.getpid(), signal.SIGTERM)
    while True:
        signal.pause()
finally:
    print("finally")
