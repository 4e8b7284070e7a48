"""Killed by SIGKILL, as by the kernel when memory runs out."""

import os
import signal

os.write(1, b"written\n")
print("lost")
os.kill(os.getpid(), signal.SIGKILL)
