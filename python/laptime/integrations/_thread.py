"""What a thread knows of itself, and the phases of its process.

The machines are native, one per thread that trains: see ``crates/laptime-phases``.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from .._core import Phases


class Here(threading.local):
    """What a thread knows of itself."""

    laps: Any = None
    """The laps of this thread's modules."""


class Machines:
    """The machines of a process."""

    def __init__(self, phases: Phases) -> None:
        self.here = Here()
        self.phases = phases
        _know_forks()

    def close(self) -> None:
        """Begins nothing any more, on whichever thread."""
        self.phases.close()

    def finish(self) -> None:
        """Closes what is open on this thread."""
        self.phases.finish()


_knows_forks = False


def _know_forks() -> None:
    """Once a process: what was registered can't be taken back."""
    global _knows_forks
    if not _knows_forks:
        _knows_forks = True
        os.register_at_fork(after_in_child=Phases.forked)
