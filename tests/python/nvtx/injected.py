"""What a tool was told that takes NVTX ranges."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass

Told = Callable[..., "Log"]


@dataclass(frozen=True)
class Call:
    """A call of the tool's."""

    what: str
    process: int
    thread: int
    domain: str
    name: str
    payload: int
    number: int
    depth: int


@dataclass(frozen=True)
class Log:
    """What the tool was told, and what the program printed."""

    calls: list[Call]
    done: subprocess.CompletedProcess[str]

    def shown(self, *what: str) -> list[str]:
        """Pushes as `+name`, pops as `-`, and so on, in order: of some kinds, or all."""
        signs = {"push": "+", "pop": "-", "start": "(", "end": ")", "mark": "!"}
        calls = [call for call in self.calls if call.what in (what or signs)]
        return [signs[call.what] + call.name for call in calls]


def call_of(line: str) -> Call:
    what, process, thread, domain, name, payload, number, depth = line.split("\t")
    numbers = (int(payload), int(number), int(depth))
    return Call(what, int(process), int(thread), domain, name, *numbers)
