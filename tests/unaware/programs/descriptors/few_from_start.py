"""Started where few descriptors are allowed, as under a strict `ulimit -n`."""

import os
import resource
import subprocess
import sys

code = """
import os
opened = []
try:
    while True:
        opened.append(os.open(os.devnull, os.O_RDONLY))
except OSError as error:
    print(error, opened[:5])
"""
resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))
done = subprocess.run([sys.executable, "-c", code], stderr=2)
print(done.returncode)
