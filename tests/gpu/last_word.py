"""The line of a program's output that says why it failed."""

from __future__ import annotations

import re

#: How Python names what was raised; CUDA's errors have lines of advice after it.
RAISED = re.compile(r"[\w.]*(Error|Exception|Interrupt|Exit|Expired)\b")


def last_word(text: str) -> str:
    """The last error, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if RAISED.match(line)]
    return (errors or lines or ["no word"])[-1]
