"""Goes ten thousand calls deep, some times."""

import sys

sys.setrecursionlimit(20_000)


def depth(left):
    return 0 if left == 0 else 1 + depth(left - 1)


print(sum(depth(10_000) for _ in range(400)))
