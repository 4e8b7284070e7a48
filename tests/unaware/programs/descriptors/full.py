"""Prints to a device that is full: the error, and the code that Python ends with."""

import os
import sys

full = os.open("/dev/full", os.O_WRONLY)
try:
    os.write(full, b"x")
except OSError as error:
    print(error, flush=True)
os.dup2(full, 1)
try:
    print("x" * 100_000, flush=True)
except OSError as error:
    print(error, file=sys.stderr)
print("left in the buffer")
