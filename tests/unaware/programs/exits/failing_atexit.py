"""Functions at exit that raise, exit, and warn: the code stays or changes as Python has it."""

import atexit
import sys
import warnings

atexit.register(print, "the last")


@atexit.register
def fails():
    raise ZeroDivisionError("at exit")


@atexit.register
def exits():
    sys.exit(5)


@atexit.register
def warns():
    warnings.warn("late", stacklevel=1)


print("end")
sys.exit(9)
