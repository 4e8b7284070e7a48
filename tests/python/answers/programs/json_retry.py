"""Stores documents, each serialized with an indent, behind a decorator that tries again."""

import functools
import json
import time


def retry(function):
    @functools.wraps(function)
    def again(*args, **options):
        for _ in range(3):
            try:
                return function(*args, **options)
            except ConnectionError:
                time.sleep(0.005)
        raise ConnectionError("no store")

    return again


class Store:
    def __init__(self):
        self.calls = 0
        self.sizes = []

    @retry
    def put(self, document):
        self.calls += 1
        if self.calls % 10 == 0:
            raise ConnectionError("try again")
        text = json.dumps(document, indent=2, sort_keys=True)  # cause
        self.sizes.append(len(text))


def simulate(number):
    return {f"key{n}": {"value": n * number, "tags": ["a", "b", str(n)]} for n in range(2000)}


store = Store()
for number in range(90):
    store.put(simulate(number))
