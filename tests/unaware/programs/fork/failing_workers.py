"""Workers that raise, exit with a code, and are killed, as multiprocessing reports them."""

import multiprocessing
import os
import signal
import sys


def raises():
    raise ValueError("a bad item")


def exits():
    sys.exit(7)


def says():
    sys.exit("a message")


def leaves():
    os._exit(9)


def is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    for start in ("fork", "spawn"):
        context = multiprocessing.get_context(start)
        for work in (raises, exits, says, leaves, is_killed):
            worker = context.Process(target=work, name=work.__name__)
            worker.start()
            worker.join()
            print(start, worker.name, worker.exitcode, flush=True)
