"""Checks lines with a pattern that goes back and forth on those that don't fit."""

import re


def main():
    pattern = re.compile(r"^(\w+)+$")
    lines = ["a_quick_brown_fox_ju"] * 400 + ["a_quick_brown_fox_ju!"] * 25
    good = 0
    for line in lines:
        if pattern.match(line):  # cause
            good += 1
    print(good)


if __name__ == "__main__":
    main()
