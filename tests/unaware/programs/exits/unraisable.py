"""Exceptions that nobody can catch: in __del__, in a weak reference's callback, in a hook."""

import sys
import weakref


class Fails:
    def __del__(self):
        raise ValueError("in del")


def callback(reference):
    raise TypeError("in callback")


thing = Fails()
reference = weakref.ref(thing, callback)
del thing
sys.unraisablehook = lambda unraisable: print("hook", unraisable.exc_value, unraisable.err_msg)
Fails()


def broken(*arguments):
    raise RuntimeError("in the hook itself")


sys.unraisablehook = sys.__unraisablehook__
sys.excepthook = broken
left_over = Fails()
raise LookupError("the original")
