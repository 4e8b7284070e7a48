"""What a thread knows of itself, and the phases of its process.

The machines are native, one per thread that trains: see ``crates/laptime-python/src/phases``.
"""

from __future__ import annotations

import os
import threading
from typing import Any


class Here(threading.local):
    """What a thread knows of itself."""

    laps: Any = None
    """The laps of this thread's modules."""
    looked_into: Any = None
    """The same, while a forward or backward that is split by module is running."""


class Machines:
    """The machines of a process."""

    def __init__(self, phases: Any) -> None:
        self.here = Here()
        self.phases = phases
        os.register_at_fork(after_in_child=phases.forked)

    def close(self) -> None:
        """Begins nothing any more, on whichever thread."""
        self.phases.close()

    def finish(self) -> None:
        """Closes what is open on this thread."""
        self.phases.finish()
