"""Given on the command line, as `python -c`."""
# start: -c

import sys

print(__name__, sys.argv, repr(sys.path[0]), globals().get("__file__"))
sys.exit(len(sys.argv))
