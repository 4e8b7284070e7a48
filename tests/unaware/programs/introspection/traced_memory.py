"""tracemalloc: what each line of the program holds, to the byte, and the peak over it."""

import os
import tracemalloc

print(tracemalloc.is_tracing())
tracemalloc.start(5)
kept = [bytes(1000 + number) for number in range(200)]
more = {number: bytearray(number) for number in range(1000, 1100)}
snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)])
for entry in snapshot.statistics("lineno"):
    place = entry.traceback[0]
    print(os.path.basename(place.filename), place.lineno, entry.count, entry.size)
tracemalloc.clear_traces()
tracemalloc.reset_peak()
before = tracemalloc.get_traced_memory()
large = bytearray(10 << 20)
during = tracemalloc.get_traced_memory()
del large
print(during[0] - before[0] >> 20, during[1] - before[0] >> 20)
print(tracemalloc.get_object_traceback(kept[0]))
tracemalloc.stop()
print(tracemalloc.is_tracing())
