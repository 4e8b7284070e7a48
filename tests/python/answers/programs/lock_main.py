"""Threads that need one lock each time, which each holds while it writes."""

import threading
import time


def main():
    lock = threading.Lock()
    done = []

    def work(number):
        for _ in range(10):
            with lock:  # cause
                time.sleep(0.05)  # cause
                done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
