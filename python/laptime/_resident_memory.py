"""The process's resident memory while a call runs: where allocations cannot be counted.

Resident memory is what the system gave the process, in whole pages. Memory that was freed but not
handed back counts as there.
"""

from __future__ import annotations

import os
import threading

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
REASON = "memory is the process's resident memory, in whole pages"
NO_RESET = "the system does not let its peak be set back, so only the bounds of calls are looked at"


def current_bytes() -> int:
    """Resident memory of the process."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[1]) * PAGE_BYTES


def _high_water_bytes() -> int:
    with open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return current_bytes()


class Region:
    """Memory from `Region()` to `finish()`: what is left of it, and what it grew by at its peak.

    Regions may nest and overlap, over threads too: the high-water mark is the process's only one,
    so whoever sets it back first notes it for all that are open.
    """

    _open: list[Region] = []  # noqa: RUF012 # shared on purpose
    lock = threading.Lock()
    resets = True

    def __init__(self) -> None:
        with Region.lock:
            Region.note()
            self._begun = self._peak = current_bytes()
            Region._open.append(self)

    @staticmethod
    def note() -> None:
        """Notes the high-water mark for all open regions, and sets it back."""
        high = _high_water_bytes() if Region.resets else current_bytes()
        for region in Region._open:
            region._peak = max(region._peak, high)
        try:
            with open("/proc/self/clear_refs", "wb") as clear:
                clear.write(b"5")  # the high-water mark only
        except OSError:
            Region.resets = False  # a peak from before must not stand for the region's

    def finish(self) -> tuple[int, int]:
        """Net (below zero if freed) and peak bytes, above the level at the start."""
        with Region.lock:
            now = current_bytes()
            Region.note()
            Region._open.remove(self)
            peak = max(self._peak, now)
        return now - self._begun, max(peak - self._begun, 0)

    def peak_bytes(self) -> int:
        """Ends it; the most resident memory there was, what was there at the start included."""
        _net, peak = self.finish()
        return self._begun + peak


def why() -> str:
    """What figures are, and what more is amiss with them."""
    with Region.lock:
        Region.note()
    return REASON if Region.resets else f"{REASON}; {NO_RESET}"
