"""The order of all that runs at an end: finally, atexit, threads, weak references, __del__."""

import atexit
import sys
import threading
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, sys.is_finalizing())


def last():
    print("thread begins its end")


atexit.register(print, "first registered")
thing, cycle = Thing("global"), Thing("cycle")
cycle.itself = cycle
weakref.finalize(thing, print, "finalized")
main = threading.main_thread()
threading.Thread(target=lambda: (main.join(), last())).start()
atexit.register(print, "second registered")


@atexit.register
def nested():
    print("third registered")
    atexit.register(print, "registered at the end")


sys.excepthook = lambda kind, error, trace: print("hook", kind.__name__, error)
try:
    raise LookupError("at the end")
finally:
    print("finally")
