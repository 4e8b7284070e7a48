"""Ends with a code, after output that was not flushed yet."""

import sys

print("not flushed by itself", end="")
print("and this to the other stream", end="", file=sys.stderr)
sys.exit(42)
