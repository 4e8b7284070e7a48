"""Says of itself, as JSON, all that docs/unaware.md says a program can see of Laptime."""

import ctypes
import json
import os
import sys
from pathlib import Path

PR_GET_PDEATHSIG = 2


def processes_of_group():
    """Those that the process group has."""
    own = os.getpgrp()
    group = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        group += int(after_name[2]) == own
    return group


def signals_of_threads():
    """Which of the two signals that the C library sets up with a first thread have handlers."""
    status = dict(
        line.split(":\t", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":\t" in line
    )
    caught = int(status["SigCgt"], 16)
    return [number for number in (32, 33) if caught >> (number - 1) & 1]


def death_signal():
    number = ctypes.c_int()
    ctypes.CDLL(None).prctl(PR_GET_PDEATHSIG, ctypes.byref(number))
    return number.value


def may_begin_a_session():
    try:
        os.setsid()
    except PermissionError:
        return False
    return True


def taken_from_arguments():
    """How many bytes of the room for arguments and environment are Laptime's variables."""
    own = [f"{key}={value}" for key, value in os.environ.items() if key.startswith("LAPTIME")]
    return sum(map(len, own))


facts = {
    "recording": [path.name for path in Path().iterdir()],
    "variables": sorted(key for key in os.environ if key.startswith("LAPTIME")),
    "modules": any(name.split(".")[0] == "laptime" for name in sys.modules),
    "descriptors": sum(int(number) >= 900 for number in os.listdir("/proc/self/fd")),
    "processes": processes_of_group(),
    "threads": len(os.listdir("/proc/self/task")),
    "signals": signals_of_threads(),
    "leads": [os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(), may_begin_a_session()],
    "arguments": taken_from_arguments(),
    "death signal": death_signal(),
}
print(json.dumps(facts))
