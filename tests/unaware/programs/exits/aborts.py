"""os.abort, as a failed assertion of a C library does."""

import os

print("lost")
os.write(1, b"written\n")
os.abort()
