"""What runs."""

import sys

from .inner import where

print(__name__, __package__, __spec__.name, where(), sys.argv[1:], sys.path[0])
raise SystemExit(7)
