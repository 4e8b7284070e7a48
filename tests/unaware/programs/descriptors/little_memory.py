"""Little address space: MemoryError comes where it would, and the program goes on."""

import resource

with open("/proc/self/statm") as statm:
    pages = int(statm.read().split()[0])
limit = pages * resource.getpagesize() + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    bytearray(1 << 30)
except MemoryError as error:
    print(repr(error))
kept = [bytearray(1 << 20) for _ in range(100)]
print(len(kept))
try:
    "x" * (1 << 40)
except MemoryError as error:
    print(repr(error))
