"""What an onlooker sees of a run: exit code, both streams, the files left."""

from __future__ import annotations

import difflib
import hashlib
import re
import stat
from dataclasses import dataclass
from pathlib import Path

# How a summary begins: the title with the wall time and, behind it or in the next line, what is
# known.
_HEAD = (
    r"[^\n]+  [\d.,]+ (?:ns|µs|ms|s|min|h)"
    r"(?:(?:[:.] | \()[^\n]*\n|\n(?:[\d,]+ spans?|no laps)\b)"
)
# What `laptime run` appends to standard error: an empty line, the summary from its first line
# ("train.py  1.20 s: 63 % startup, …") to the last: the recording, and mostly what to type next.
_SUMMARY = re.compile(
    rf"\n(?:{_HEAD}(?:(?!\n{_HEAD}).)*\nrecording: [^\n]*\n"
    r"(?:next: laptime (?:report|run)\b[^\n]*\n)?)\Z",
    re.DOTALL,
)
# Where things lie in memory differs from run to run.
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")
_OWN_LINE = re.compile(r"^laptime: .*\n", re.MULTILINE)
_LONGEST_DIFFERENCE = 120


@dataclass(frozen=True)
class Outcome:
    """One run, without what is Laptime's own."""

    code: str
    out: str
    err: str
    files: str
    #: Whether the program ended, rather than being ended because it took too long.
    is_whole: bool = True

    def difference(self, other: Outcome, *, how: str = "under laptime") -> str:
        """A diff from this outcome to another; empty when they are equal."""
        parts = [
            line
            for name in ("code", "out", "err", "files")
            for line in difflib.unified_diff(
                getattr(self, name).splitlines(),
                getattr(other, name).splitlines(),
                f"{name} (alone)",
                f"{name} ({how})",
                lineterm="",
            )
        ]
        if not parts and self != other:
            parts = ["the ends of lines differ"]
        more = len(parts) - _LONGEST_DIFFERENCE
        return "\n".join(parts[:_LONGEST_DIFFERENCE] + [f"… {more} more lines"] * (more > 0))


def without_own_lines(err: str) -> str:
    """Standard error as it would be without Laptime's summary and its `laptime: …` lines."""
    return _OWN_LINE.sub("", _SUMMARY.sub("", err))


def said(raw: bytes, place: Path) -> str:
    """A stream's text, free of what differs between any two runs: its folder, addresses."""
    text = raw.decode("utf-8", "backslashreplace").replace(str(place), "<place>")
    return _ADDRESS.sub("0x…", text)


def exit_code(returncode: int) -> str:
    """As a shell counts it, and as `laptime run` passes it on."""
    return str(returncode if returncode >= 0 else 128 - returncode)


def listing(folder: Path) -> str:
    """A line for every file below a folder: mode, name, digest of its bytes or its target."""
    lines: list[str] = []
    for path in sorted(folder.rglob("*")):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            said = hashlib.sha256(_bytes(path)).hexdigest()[:16] + f" {found.st_size}"
        elif stat.S_ISLNK(found.st_mode):
            said = f"-> {path.readlink()}"
        else:
            said = ""
        mode = stat.filemode(found.st_mode)
        lines.append(f"{mode} {path.relative_to(folder)} {said}".rstrip())
    return "\n".join(lines)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        return str(error.errno).encode()
