"""Prints into `head -1`: what Python says at its end when standard output is gone."""

import os
import subprocess
import sys

reader = subprocess.Popen(["head", "-n", "1"], stdin=subprocess.PIPE, stdout=2)
os.dup2(reader.stdin.fileno(), 1)
reader.stdin.close()
print("the only line that is read", flush=True)
reader.wait()
try:
    for number in range(100_000):
        print(number)
except BrokenPipeError:
    sys.stderr.write("broken\n")
    raise
