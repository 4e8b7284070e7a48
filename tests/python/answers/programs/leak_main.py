"""Answers requests, and keeps the body of each for ever."""

import time

HISTORY = []


def remember(number, body):
    HISTORY.append((number, bytearray(body * 200)))  # cause


def answer(number):
    body = b"request %d" % number
    total = sum(range(20_000))
    remember(number, body)
    return total


def main():
    end = time.monotonic() + 8
    number = 0
    while time.monotonic() < end:
        answer(number)
        number += 1
        time.sleep(0.002)


if __name__ == "__main__":
    main()
