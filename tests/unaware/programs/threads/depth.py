"""How deep recursion goes before RecursionError: plain, through C, in a thread, at limits."""

import functools
import sys
import threading


def depth():
    try:
        return 1 + depth()
    except RecursionError:
        return 0


@functools.lru_cache(None)
def cached(number):
    return 0 if number == 0 else 1 + cached(number - 1)


def deepest(function):
    low, high = 1, 4000
    while low < high:
        middle = (low + high + 1) // 2
        try:
            cached.cache_clear()
            function(middle)
            low = middle
        except RecursionError:
            high = middle - 1
    return low


class Compares:
    def __init__(self, inner):
        self.inner = inner

    def __eq__(self, other):
        return self.inner == other.inner


def nested(number):
    a = b = 0
    for _ in range(number):
        a, b = Compares(a), Compares(b)
    return a == b


print(sys.getrecursionlimit(), depth(), deepest(cached), deepest(nested))
sys.setrecursionlimit(300)
print(depth())
thread = threading.Thread(target=lambda: print("thread", depth(), deepest(cached)))
thread.start()
thread.join()
try:
    sys.setrecursionlimit(5)
    print(depth())
except RecursionError as error:
    print(error)
