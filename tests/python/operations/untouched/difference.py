"""Where two fingerprints differ first, in a line that names the path."""

from __future__ import annotations

import re

from .fingerprint import Fingerprint


def first_difference(before: Fingerprint, after: Fingerprint, *, same_run: bool) -> str | None:
    """Where two fingerprints differ first, in a line; none if they don't."""
    for path, was in before.lines.items():
        now = after.lines.get(path)
        if now is None:
            return f"{path} was {was}, is gone"
        if now != was:
            return f"{path} was {was}, is {now}"
        if same_run and before.places.get(path) != after.places.get(path):
            return f"{path} ({was}) is another object, or at another place in memory"
    for path, now in after.lines.items():
        if path not in before.lines:
            return f"{path} is new: {now}"
    return None


def kind_of(difference: str) -> str:
    """A difference without its numbers, for sums over programs."""
    path = difference.split(" ", 2)[1 if difference.startswith("global ") else 0]
    if "NO REAL TENSOR" in difference:
        what = "no real tensor"
    elif "is gone" in difference or "is new" in difference:
        what = "gone or new"
    elif "another object" in difference:
        what = "another object"
    else:
        what = "changed"
    return f"{re.sub(r'[0-9]+', '#', path)} {what}"
