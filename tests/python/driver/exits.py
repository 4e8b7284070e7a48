"""A training whose driver shuts down at exit, as NVIDIA's does. The argument says how it exits.

`busy` leaves a step that the device ends only when it is asked again and again, and only while
Python runs; `stuck` leaves one that it never ends.
"""

import atexit
import sys
import threading

how = sys.argv[1]
is_exiting = threading.Event()
# First, so that it runs last: phases are over by then.
atexit.register(is_exiting.set)

from training import MS, cuda, step  # the training is done when it is imported

cuda.fake_shut_down_at_exit()


def ends_the_work() -> None:
    is_exiting.wait()
    asked = cuda.fake_queries()
    while cuda.fake_queries() < asked + 2:
        pass
    cuda.fake_advance(20 * MS)


if how in ("busy", "stuck"):
    step()
if how == "busy":
    threading.Thread(target=ends_the_work, daemon=True).start()
if how == "raises":
    raise ValueError("of the program")
if how == "exits":
    sys.exit(3)
