"""Says first of all what the kernel knows of it, and again at its very end."""

import atexit
import sys

from kernel import said

atexit.register(lambda: sys.stdout.write("\n".join(["at exit", *said(), ""])))
print("\n".join(said()))
