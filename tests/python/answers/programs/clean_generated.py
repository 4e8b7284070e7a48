"""Runs code that it wrote itself."""

import time

CODE = """
def work_{n}(end):
    while time.monotonic() < end:
        sum(range(1000))
"""
space = {"time": time}
for n in range(4):
    exec(CODE.format(n=n), space)
for n in range(4):
    space[f"work_{n}"](time.monotonic() + 0.5)
