"""A thread that forks: the child's only thread is the one that forked."""

import os
import threading
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
stop = threading.Event()
others = [threading.Thread(target=stop.wait) for _ in range(3)]
for other in others:
    other.start()


def forks():
    pid = os.fork()
    if pid == 0:
        alive = sorted(thread.name for thread in threading.enumerate())
        print("child", alive, threading.current_thread().name, flush=True)
        os._exit(5)
    print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


for turn in range(3):
    thread = threading.Thread(target=forks, name=f"forks-{turn}")
    thread.start()
    thread.join()
stop.set()
for other in others:
    other.join()
