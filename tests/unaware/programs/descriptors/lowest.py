"""The numbers that new descriptors get: the lowest free ones, as POSIX says."""

import os
import socket
import tempfile

first = os.open(os.devnull, os.O_RDONLY)
second = os.dup(first)
pipe = os.pipe()
ours, theirs = socket.socketpair()
with tempfile.TemporaryFile() as file:
    print(first, second, pipe, ours.fileno(), theirs.fileno(), file.fileno())
os.close(first)
print(os.open(os.devnull, os.O_RDONLY))
