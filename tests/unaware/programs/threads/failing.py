"""Exceptions in threads: the default hook's text, a hook of one's own, SystemExit."""

import sys
import threading


def fails(word):
    raise ValueError(word)


def run(target, *arguments, name="worker"):
    thread = threading.Thread(target=target, args=arguments, name=name)
    thread.start()
    thread.join()


run(fails, "default hook")
run(sys.exit, 5)
threading.excepthook = lambda hooked: print(
    hooked.exc_type.__name__, hooked.exc_value, hooked.thread.name, hooked.exc_traceback.tb_lineno
)
run(fails, "own hook", name="named")


def broken(hooked):
    raise TypeError("in the hook")


threading.excepthook = broken
run(fails, "broken hook")
