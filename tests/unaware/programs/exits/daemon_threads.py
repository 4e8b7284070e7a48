"""Daemon threads that still run, and hold locks and files, when the program ends."""

import threading
import time

lock = threading.Lock()


def holds(name):
    with open(name, "w") as file:
        file.write("begun")
        file.flush()
        ready.release()
        while True:
            with lock:
                sum(range(100))
            time.sleep(0)


ready = threading.Semaphore(0)
for number in range(4):
    threading.Thread(target=holds, args=(f"file-{number}",), daemon=True).start()
for _ in range(4):
    ready.acquire()
print("end")
