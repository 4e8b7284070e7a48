"""A thread pool at the end of a program: its queue is worked off after the last line."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

pool = ThreadPoolExecutor(3, thread_name_prefix="pool", initializer=lambda: None)


def work(number):
    time.sleep(0.001)
    with open(f"file-{number}", "w") as file:
        file.write(str(number))
    if number == 7:
        raise OSError(7, "no file")
    return number


futures = [pool.submit(work, number) for number in range(30)]
print(sorted(f.result() for f in as_completed(futures[:6])))
print(repr(futures[7].exception()))
print(sorted(thread.name for thread in threading.enumerate()))
