"""Files may not grow and the signal is left to its default: the program is ended by it."""

import os
import resource
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for number in range(2000):
    with open("small", "w") as file:
        file.write(str(number))
print("before", flush=True)
with open("large", "wb", buffering=0) as file:
    print(file.write(bytes(4096)), flush=True)
    file.write(b"x")
print("not here", os.getpid())
