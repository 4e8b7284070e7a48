"""A writer whose reader is gone: BrokenPipeError, or an end by SIGPIPE where that is wanted."""

import os
import signal

reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"x")
except BrokenPipeError as error:
    print(error)
print("before", signal.getsignal(signal.SIGPIPE), flush=True)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.write(writer, b"x")
print("not here")
