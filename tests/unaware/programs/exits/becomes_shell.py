"""Becomes another program at its end, as launchers do."""

import os
import sys

print("before", flush=True)
os.execvp("sh", ["sh", "-c", "echo in sh $#; ls -A; exit 21", "sh", *sys.argv])
