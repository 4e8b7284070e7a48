"""An exception that nobody catches, with its chain, notes and a group."""

import atexit

atexit.register(print, "at exit")


class Problem(Exception):
    """Has a text that fails."""

    def __str__(self):
        raise RuntimeError("no text")


def inner():
    try:
        {}["absent"]
    except KeyError as error:
        raise Problem from error


try:
    inner()
except Problem:
    raise ValueError("the last one", 1)
