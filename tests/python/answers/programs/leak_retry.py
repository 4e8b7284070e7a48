"""Fetches pages with retries; a cache without a limit keeps them all."""

import functools
import time


def retry(times):
    def wrap(function):
        @functools.wraps(function)
        def wrapper(*args):
            for _ in range(times):
                try:
                    return function(*args)
                except OSError:
                    time.sleep(0.001)
            raise OSError("gave up")

        return wrapper

    return wrap


@functools.cache
def page(number):
    return bytearray(4_000 + number % 7)  # cause


@retry(3)
def fetch(number):
    if number % 11 == 0:
        page(number)
    return sum(page(number)[:4000])


def main():
    end = time.monotonic() + 8
    number = 0
    while time.monotonic() < end:
        fetch(number)
        number += 1


if __name__ == "__main__":
    main()
