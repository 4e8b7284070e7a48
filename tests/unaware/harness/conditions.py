"""What the outcome of a program alone depends on, as one digest: the name it is stored under.

Of Laptime only what every interpreter reads is among it (its `.pth`, its entry points): a program
that runs alone loads none of its modules, as test_harness.py makes sure.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import resource
import signal
import sys
import sysconfig
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from .programs import Program
from .running import DRIVER, environment

_SUITE = Path(__file__).parent.parent
_LIMITS = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
# Of the first processor: libraries of arithmetic choose their instructions by these.
_PROCESSOR = ("model name", "flags", "Features", "CPU implementer", "CPU part")


def conditions(program: Program, cache: Path) -> str:
    """A digest of the program, its surroundings, this interpreter and this machine."""
    given = environment(program, Path("<place>"), cache)
    if driver := os.environ.get(DRIVER):
        given["LD_LIBRARY_PATH"] = _files(Path(driver))
    said = {
        "path": str(program.path),
        "start": program.start,
        # All that lies beside it as well: the program can import it.
        "files": _files(program.path.parent),
        "environment": given,
        "suite": _suite(),
        "python": _python(),
        "machine": _machine(),
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def _files(folder: Path) -> str:
    """A digest of the names and contents of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(folder)
            found.update(f"{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return found.hexdigest()


@functools.cache
def _suite() -> list[str]:
    """What runs the programs, and what all of them can import."""
    return [_files(_SUITE / name) for name in ("harness", "seen", "gpu")]


@functools.cache
def _python() -> list[str]:
    """The interpreter, what is installed in it, and what it reads at each start."""
    packages = {package.name: package for package in distributions()}
    versions = [f"{name} {packages[name].version}" for name in packages if name != "laptime"]
    # Of Laptime too: others load what is registered with them.
    entries = [str(entry) for package in packages.values() for entry in package.entry_points]
    folders = {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    at_start = [
        f"{path.name}: {path.read_text(errors='replace')}"
        for folder in folders
        for pattern in ("*.pth", "sitecustomize.py", "usercustomize.py")
        for path in folder.glob(pattern)
    ]
    installed = [line for part in (versions, entries, at_start) for line in sorted(part)]
    return [sys.executable, sys.prefix, sys.version, *installed]


@functools.cache
def _machine() -> list[str]:
    """The kernel and what it grants: processors, memory, limits; what a child inherits."""
    umask = os.umask(0)
    os.umask(umask)
    ignored = [number for number in signal.Signals if signal.getsignal(number) is signal.SIG_IGN]
    return [
        *platform.uname()._replace(node=""),
        *platform.libc_ver(),
        *_processor(),
        f"processors {sorted(os.sched_getaffinity(0))} of {os.cpu_count()}",
        f"pages {os.sysconf('SC_PHYS_PAGES')}",
        f"group {_content('/sys/fs/cgroup/memory.max')} {_content('/sys/fs/cgroup/cpu.max')}",
        *(f"{name} {resource.getrlimit(getattr(resource, name))}" for name in _LIMITS),
        f"user {os.getuid()} {os.getgid()} umask {umask:o}",
        f"signals {ignored} {signal.pthread_sigmask(signal.SIG_BLOCK, [])}",
        f"folder {tempfile.gettempdir()}",
    ]


def _processor() -> list[str]:
    first = _content("/proc/cpuinfo").split("\n\n")[0]
    return [line for line in first.splitlines() if line.startswith(_PROCESSOR)]


def _content(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
