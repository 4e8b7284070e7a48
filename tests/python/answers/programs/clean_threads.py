"""Two hundred threads that wait for each other."""

import threading

barrier = threading.Barrier(200)


def work():
    for _ in range(100):
        barrier.wait()
        sum(range(2000))


threads = [threading.Thread(target=work) for _ in range(200)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
