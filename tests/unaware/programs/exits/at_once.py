"""os._exit: what is buffered is lost, no atexit runs."""

import atexit
import os

atexit.register(print, "never")
os.write(1, b"written\n")
print("lost")
os._exit(17)
