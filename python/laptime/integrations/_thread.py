"""Which thread trains: one state machine per thread that does.

The first thread with anything to record gets a machine. Another thread gets one when it works
while no other is inside a phase: replicas of ``DataParallel`` and autograd's own threads work
while their trainer waits for them, so they get none. Workers of a DataLoader never do.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from ._phases import Phases


class Here(threading.local):
    """What a thread knows of itself."""

    busy = False
    """Inside a phase whose inside is not looked at: pass everything through."""
    machine: Phases | None = None
    laps: Any = None
    """The laps of this thread's modules."""
    looked_into: Any = None
    """The same, while a forward or backward that is split by module is running."""


class Machines:
    """The machines of a process."""

    def __init__(self, make: Callable[[], Phases], is_worker: Callable[[], bool]) -> None:
        self.here = Here()
        self._make = make
        self._is_worker = is_worker
        self._all: weakref.WeakSet[Phases] = weakref.WeakSet()
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        # What was open belongs to the parent process.
        self.here.busy = False
        self.here.machine = None
        self._all = weakref.WeakSet()
        self._lock = threading.Lock()

    def take(self) -> Phases | None:
        """The machine of this thread, made if this thread may have one."""
        machine = self.here.machine
        if machine is not None:
            return machine
        if self._is_worker():
            self.here.busy = True
            return None
        with self._lock:
            if any(self.is_working(other) for other in self._all):
                return None
            machine = self.here.machine = self._make()
            self._all.add(machine)
        return machine

    def is_working(self, machine: Phases) -> bool:
        """Whether a machine's thread is inside a phase."""
        return bool(machine.op)

    def give(self, machine: Phases) -> None:
        """An event is over."""

    def close(self) -> None:
        """Gives no thread a machine any more."""
        self._is_worker = lambda: True
        for machine in list(self._all):
            machine.close()

    def finish(self) -> None:
        """Closes what is open on this thread."""
        machine = self.here.machine
        self.here.machine = None
        self.here.busy = False
        if machine is not None:
            machine.finish()
