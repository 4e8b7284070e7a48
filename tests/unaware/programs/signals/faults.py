"""faulthandler: a dump of all threads on request, and one at a segmentation fault."""

import faulthandler
import os
import signal
import sys
import threading

faulthandler.enable()
faulthandler.register(signal.SIGUSR1, file=sys.stderr, all_threads=True)
ready, stop = threading.Event(), threading.Event()


def waits():
    ready.set()
    stop.wait()


def strip(name):
    with open(name) as file:
        return [line.split(" [")[0].split("0x")[0].rstrip() for line in file if "File" in line]


thread = threading.Thread(target=waits)
thread.start()
ready.wait()
with open("dump", "w+") as file:
    faulthandler.dump_traceback(file, all_threads=False)
print([line.rsplit("/", 1)[-1] for line in strip("dump")])
os.remove("dump")
stop.set()
thread.join()
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSEGV)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
