"""Files may not grow: SIGXFSZ is ignored by Python, writes fail with EFBIG."""

import os
import resource
import signal

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
print(signal.getsignal(signal.SIGXFSZ), flush=True)
try:
    with open("large", "wb") as file:
        file.write(bytes(10_000))
except OSError as error:
    print(error)
print(os.path.getsize("large"))
for number in range(2000):
    with open("small", "w") as file:
        file.write(str(number))
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
