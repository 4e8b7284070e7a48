"""A service in which one request in twenty is slow: its answer is not in the cache."""

import time

import laptime as lt


def look_up(key):
    with lt.lap("cache"):
        time.sleep(0.002)
        hit = key % 20
    if not hit:
        with lt.lap("database"):
            time.sleep(0.06)


for key in range(200):
    with lt.lap("request"):
        look_up(key)
        with lt.lap("answer"):
            time.sleep(0.001)
