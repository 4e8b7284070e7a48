"""Outcomes of programs alone, in files that later sessions and other processes find.

One file each, `<conditions>.json`: what the outcome depends on is its name, so it is never out of
date. A file is written whole or not at all; one that is damaged is as if it weren't there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path

from .outcome import Outcome

# A second run within weeks finds its outcomes, a folder of years has a few megabytes.
LONGEST_UNUSED_S = 30 * 24 * 3600
MOST = 1000


class Store:
    """Outcomes in a folder, by the digest of what each depends on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, conditions: str) -> Outcome | None:
        """The outcome stored under these conditions, if it is there and whole."""
        path = self._path(conditions)
        try:
            entry = json.loads(path.read_bytes())
            outcome = Outcome(**entry["outcome"])
            if entry["digest"] != _digest(conditions, outcome):
                return None
            os.utime(path)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return outcome

    def write(self, conditions: str, program: str, outcome: Outcome) -> None:
        """Stores an outcome, unless the program was still running: that is none to compare with."""
        if not outcome.is_whole:
            return
        entry = {
            "program": program,
            "digest": _digest(conditions, outcome),
            "outcome": dataclasses.asdict(outcome),
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(suffix=".part", dir=self._folder)
        with os.fdopen(number, "w") as file:
            json.dump(entry, file)
        Path(name).replace(self._path(conditions))

    def prune(self, now: float | None = None) -> None:
        """Removes what was not used for weeks, and what was used longest ago if it is too much."""
        oldest = (time.time() if now is None else now) - LONGEST_UNUSED_S
        used: list[tuple[float, Path]] = []
        for path in self._folder.glob("*"):
            # Another session may remove it meanwhile.
            with contextlib.suppress(FileNotFoundError):
                used.append((path.stat().st_mtime, path))
        used.sort(reverse=True)
        for place, (when, path) in enumerate(used):
            if when < oldest or place >= MOST:
                path.unlink(missing_ok=True)

    def _path(self, conditions: str) -> Path:
        return self._folder / f"{conditions}.json"


def _digest(conditions: str, outcome: Outcome) -> str:
    said = json.dumps([conditions, dataclasses.asdict(outcome)])
    return hashlib.sha256(said.encode()).hexdigest()
