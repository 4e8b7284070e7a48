"""Finds names that two lists have, by a comprehension over both."""


def names(start, count):
    return [f"name{n}" for n in range(start, start + count)]


def shared(left, right):
    return [name for name in left if name in right]  # cause


def report(left, right):
    return {"shared": len(shared(left, right)), "left": len(left), "right": len(right)}


print(report(names(0, 16_000), names(8_000, 16_000)))
