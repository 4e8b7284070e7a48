"""A ProcessPoolExecutor whose worker dies, and its replacement."""

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context


def triple(number):
    return 3 * number


def die():
    os._exit(1)


if __name__ == "__main__":
    for start in ("fork", "forkserver", "spawn"):
        with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
            print(list(pool.map(triple, range(10))))
            try:
                pool.submit(die).result()
            except BrokenProcessPool as error:
                print(type(error).__name__, error)
        with ProcessPoolExecutor(1, mp_context=get_context(start)) as pool:
            print(pool.submit(triple, 14).result())
