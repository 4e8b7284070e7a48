"""Ended by SIGTERM, which it does not handle: nothing more is printed, no atexit runs."""

import atexit
import os
import signal

atexit.register(print, "never")
print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
print("not here")
