"""What the kernel says of a process, in lines that can be compared.

Leaves out what docs/unaware.md says that a program can see of Laptime: a thread, descriptors from
900 on, the signals 32 and 33, which the C library sets up with a first thread, and what says of the
process that it is somebody's child.
"""

import os
import resource
import signal
import termios
import threading
from pathlib import Path

SELF = Path("/proc/self")

THREADS_SIGNALS = 3 << 31
"""The signals 32 and 33 in a mask."""

STATUS = (
    "Umask",
    "Ngid",
    "TracerPid",
    "Uid",
    "Gid",
    "Groups",
    "Kthread",
    "NoNewPrivs",
    "Seccomp",
    "Cpus_allowed",
    "Mems_allowed",
    "CoreDumping",
    "THP_enabled",
)
"""Lines of `status` that are the process's, and don't change from one moment to the next."""

FILES = ("oom_score_adj", "coredump_filter", "timerslack_ns", "comm", "personality", "loginuid")


def said():
    """Everything, a line each."""
    return [
        *_signals(),
        *_status(),
        *_limits(),
        *_timers(),
        *_descriptors(),
        *_mappings(),
        *_terminals(),
        f"cwd {Path.cwd().name} nice {os.nice(0)} policy {os.sched_getscheduler(0)}",
    ]


def _lines():
    text = (SELF / "status").read_text()
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def _signals():
    lines = _lines()
    for name in ("SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"):
        mask = int(lines[name], 16) & ~THREADS_SIGNALS
        numbers = [number for number in range(1, 65) if mask >> (number - 1) & 1]
        yield f"{name} {numbers}"
    handlers = [signal.getsignal(number) for number in sorted(signal.valid_signals())]
    yield f"handlers {[getattr(it, '__name__', it) for it in handlers]}"
    if threading.current_thread() is threading.main_thread():
        yield f"wakeup {signal.set_wakeup_fd(-1)}"


def _status():
    lines = _lines()
    for name, value in lines.items():
        if name in STATUS or name.startswith("Cap"):
            yield f"{name} {value}"
    for name in FILES:
        try:
            yield f"{name} {(SELF / name).read_text().strip()}"
        except OSError as error:
            yield f"{name} {error.strerror}"


def _limits():
    for name in sorted(name for name in dir(resource) if name.startswith("RLIMIT_")):
        yield f"{name} {resource.getrlimit(getattr(resource, name))}"


def _timers():
    for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"):
        yield f"{name} {signal.getitimer(getattr(signal, name))}"
    timers = SELF / "timers"
    yield f"timers {timers.read_text().splitlines() if timers.exists() else None}"


def _descriptors():
    for number in sorted(map(int, os.listdir("/proc/self/fd"))):
        if number >= 900:
            continue
        try:
            inherits, flags = os.get_inheritable(number), _flags(number)
        except OSError:
            continue  # that of the listing
        yield f"descriptor {number} inherits {inherits} flags {flags}"


def _flags(number):
    info = dict(
        line.split(":\t", 1) for line in (SELF / "fdinfo" / str(number)).read_text().splitlines()
    )
    return info.get("flags")


def _mappings():
    """Memory that is both written and run, and the protection of the stack."""
    lines = [line.split(None, 5) for line in (SELF / "maps").read_text().splitlines()]
    yield f"written and run {[line[5:] for line in lines if 'w' in line[1] and 'x' in line[1]]}"
    yield f"stack {[line[1] for line in lines if line[5:] == ['[stack]']]}"
    yield f"vdso {sum(line[5:] == ['[vdso]'] for line in lines)}"


def _terminals():
    for number in range(3):
        try:
            yield f"terminal {number} {termios.tcgetattr(number)}"
        except (termios.error, OSError) as error:
            yield f"terminal {number} {error.args[-1]}"
