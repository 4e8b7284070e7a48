"""Read from standard input, as `python - < script` does."""
# start: - one two

import sys
import traceback

print(__name__, sys.argv, sys.path[0], globals().get("__file__"), sys.stdin.read())


def fails():
    raise ValueError("no file has this line")


try:
    fails()
except ValueError:
    traceback.print_exc()
fails()
