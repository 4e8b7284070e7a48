"""Filters addresses with a lambda whose pattern backtracks."""

import re

ADDRESSES = ["someone@example.org", "a" * 22 + "!", "x.y@z.de"] * 6

is_good = lambda text: re.fullmatch(r"([a-z.]+)*@[a-z.]+", text) is not None  # noqa: E731 # cause


def check(addresses):
    return [one for one in addresses if is_good(one)]


def summary(addresses):
    return {one: len(one) for one in check(addresses)}


print(summary(ADDRESSES))
