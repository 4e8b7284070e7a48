"""A Pool that maps, raises from a worker with its traceback, and is replaced after each task."""

import multiprocessing
import traceback


def square(number):
    return number * number


def fail(number):
    raise KeyError(number)


if __name__ == "__main__":
    said = []
    for start in ("fork", "spawn"):
        with multiprocessing.get_context(start).Pool(2, maxtasksperchild=3) as pool:
            said.append(pool.map(square, range(20), chunksize=2))
            said.append(sorted(pool.imap_unordered(square, range(5))))
            try:
                pool.apply(fail, (3,))
            except KeyError:
                said.append(traceback.format_exc())
            pool.close()
            pool.join()
    # Only now: a thread of the pool forks workers while it lives, and what stands in a buffer of
    # this process at that moment would be written by the worker as well.
    print(*said, sep="\n")
