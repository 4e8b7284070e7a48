"""A child that goes on through the rest of the script and ends as scripts do."""

import atexit
import os

atexit.register(lambda: os.write(1, b"atexit in " + who + b"\n"))
who = b"parent"
pid = os.fork()
if pid == 0:
    who = b"child"
else:
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print("end of", who.decode(), flush=True)
if pid == 0:
    raise SystemExit(3)
