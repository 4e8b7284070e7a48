"""Closes sys.stdout and sys.stderr themselves before it ends."""

import sys

print("before")
sys.stdout.close()
try:
    print("after")
except ValueError as error:
    print(error, file=sys.stderr)
sys.stderr.close()
sys.exit(6)
