"""A line tracer and a profiler of one's own, in the main thread and in new ones."""

import collections
import os
import sys
import threading

counts = collections.Counter()


def trace(frame, event, argument):
    name = os.path.basename(frame.f_code.co_filename)
    if name == "tracing.py":
        counts["trace", event, frame.f_code.co_name] += 1
    elif "laptime" not in frame.f_code.co_filename:
        counts["trace elsewhere", event] += 1
    return trace


def profile(frame, event, argument):
    if os.path.basename(frame.f_code.co_filename) == "tracing.py":
        counts["profile", event, frame.f_code.co_name] += 1


def work(number):
    total = 0
    for step in range(number):
        total += len(str(step))
    return total


def in_thread():
    thread = threading.Thread(target=work, args=(20,))
    thread.start()
    thread.join()


print(sys.gettrace(), sys.getprofile())
threading.settrace(trace)
threading.setprofile(profile)
sys.settrace(trace)
work(10)
in_thread()
sys.settrace(None)
sys.setprofile(profile)
work(10)
sys.setprofile(None)
threading.settrace(None)
threading.setprofile(None)
for key in sorted(counts, key=str):
    if key[0] != "trace elsewhere":
        print(*key, counts[key])
