"""Redirections with dup2 and back, as test tools and notebooks do."""

import os
import sys

saved = [os.dup(1), os.dup(2)]
captured = os.open("captured", os.O_CREAT | os.O_RDWR)
os.dup2(captured, 1)
os.dup2(captured, 2)
print("out", flush=True)
print("err", file=sys.stderr, flush=True)
os.system("echo from sh; echo to err >&2")
os.dup2(saved[0], 1)
os.dup2(saved[1], 2)
os.lseek(captured, 0, 0)
print(os.read(captured, 1000))
os.dup2(captured, 2)
print("left redirected to the end", file=sys.stderr)
