"""cProfile around the work: which functions it saw, and how often each was called."""

import cProfile
import os
import pstats
import threading


def leaf(number):
    return sorted(range(number))


def work():
    thread = threading.Thread(target=leaf, args=(3,))
    thread.start()
    thread.join()
    return sum(len(leaf(number)) for number in range(50))


profiler = cProfile.Profile()
print(profiler.runcall(work))
print(eval("profiler.runctx('work()', globals(), locals())") is profiler)
for (file, line, name), entry in sorted(pstats.Stats(profiler).stats.items()):
    if os.path.basename(file) != "threading.py":
        print(os.path.basename(file), line, name, entry[:2])
