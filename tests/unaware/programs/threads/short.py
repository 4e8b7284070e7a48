"""Two thousand threads that live for an instant, a few at a time, each with its own locals."""

import threading

local = threading.local()
ended = []


class Tells:
    def __del__(self):
        ended.append(1)


def work(number):
    local.tells = Tells()
    local.number = number
    with lock:
        numbers.append(local.number)


lock, numbers = threading.Lock(), []
for start in range(0, 2000, 10):
    threads = [threading.Thread(target=work, args=(start + n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(sorted(numbers) == list(range(2000)), len(ended), threading.active_count())
print([thread.name for thread in threading.enumerate()], hasattr(local, "number"))
