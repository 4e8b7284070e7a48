"""Restarts itself with other arguments, as reloaders do."""

import os
import sys

print(sys.argv[1:], len(os.listdir("/proc/self/task")) < 100, flush=True)
if len(sys.argv) < 4:
    os.execv(sys.executable, [sys.executable, *sys.argv, f"{len(sys.argv)}"])
raise SystemExit(len(sys.argv))
