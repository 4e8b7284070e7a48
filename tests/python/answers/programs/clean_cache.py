"""A cache that fills to its limit, then stays as it is."""

import functools
import time


@functools.lru_cache(maxsize=2000)
def page(number):
    return bytearray(10_000)


def main():
    end = time.monotonic() + 2
    number = 0
    while time.monotonic() < end:
        page(number % 3000)
        number += 1


main()
