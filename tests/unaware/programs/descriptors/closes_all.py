"""A daemon's first deed: it closes every descriptor it can think of, then opens its own."""

import os
import sys

for descriptor in range(256):
    try:
        os.close(descriptor)
    except OSError:
        pass
opened = [os.open(os.devnull, os.O_RDWR) for _ in range(3)]
with open("report", "w") as file:
    print(opened, file.fileno(), file=file)
    sys.stdout = sys.stderr = file
    for number in range(20):
        with open(f"file-{number}", "w") as numbered:
            print(number, file=numbered)
    print("end")
os._exit(11)
