"""A Pool that maps, raises from a worker with its traceback, and is replaced after each task."""

import multiprocessing
import traceback


def square(number):
    return number * number


def fail(number):
    raise KeyError(number)


if __name__ == "__main__":
    for start in ("fork", "spawn"):
        with multiprocessing.get_context(start).Pool(2, maxtasksperchild=3) as pool:
            print(pool.map(square, range(20), chunksize=2))
            print(sorted(pool.imap_unordered(square, range(5))))
            try:
                pool.apply(fail, (3,))
            except KeyError:
                traceback.print_exc()
            pool.close()
            pool.join()
