"""Timers, barriers, conditions, queues: what the standard library builds of threads."""

import queue
import threading

fired = queue.Queue()
timer = threading.Timer(0.01, fired.put, ["fired"])
timer.start()
print(fired.get(timeout=60), threading.Timer(1000, print).cancel())
barrier = threading.Barrier(3, action=lambda: fired.put("met"))


def meet():
    barrier.wait()


threads = [threading.Thread(target=meet) for _ in range(2)]
for thread in threads:
    thread.start()
barrier.wait()
print(fired.get(), barrier.n_waiting)
work, done = queue.PriorityQueue(3), []


def consume():
    while (item := work.get()) is not None:
        done.append(item)
        work.task_done()


thread = threading.Thread(target=consume, daemon=True)
thread.start()
for number in range(50):
    work.put(number)
work.join()
print(sorted(done) == list(range(50)))
