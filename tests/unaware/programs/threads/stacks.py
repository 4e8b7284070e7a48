"""What a watchdog sees: sys._current_frames, threads by name, native ids, stack sizes."""

import os
import sys
import threading
import traceback

ready, stop = threading.Semaphore(0), threading.Event()


def waits():
    ready.release()
    stop.wait()


print(threading.stack_size(), threading.stack_size(1 << 20))
threads = [threading.Thread(target=waits, name=f"waits-{n}") for n in range(2)]
for thread in threads:
    thread.start()
    ready.acquire()
known = {thread.ident: thread.name for thread in threading.enumerate()}
for ident, frame in sorted(sys._current_frames().items(), key=lambda item: known[item[0]]):
    names = [entry.name for entry in traceback.extract_stack(frame)]
    print(known[ident], names[:4] if ident != threading.get_ident() else names)
print(threading.main_thread().native_id == os.getpid(), threading.main_thread().daemon)
stop.set()
