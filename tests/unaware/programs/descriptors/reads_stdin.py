"""A filter: reads all of its standard input, through a buffer, a child and the rest."""

import subprocess
import sys

print(sys.stdin.readline().strip(), sys.stdin.encoding)
print([line.strip() for line in sys.stdin])
print(sys.stdin.read() == "", sys.stdin.fileno())
print(subprocess.run(["cat"], capture_output=True).stdout)
try:
    input()
except EOFError as error:
    print(repr(error))
