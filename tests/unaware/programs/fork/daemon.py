"""A double fork, as daemons do: new session, its own streams, a file that says it is there."""

import os
import sys

reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(reader)
        os.chdir("/")
        os.umask(0o027)
        here = os.environ["TMPDIR"].removesuffix("tmp") + "work"
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        with open(f"{here}/daemon.log", "w") as log:
            print("session of its own", os.getsid(0) != os.getpid(), file=log)
            sys.stdout = log
            print("printed to the log")
        os.write(writer, b"done")
        os._exit(0)
    os._exit(0)
os.close(writer)
os.wait()
print(os.read(reader, 10))
