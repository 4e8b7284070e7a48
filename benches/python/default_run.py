"""What a plain `laptime run` costs: blocks of a second with and without, in one process.

The driver starts each program below `laptime run`; the program itself switches between blocks. Each
ratio is that of two neighbours, so that a machine that slows down slows both. Every processor is
busy: the training computes on all of them, beside the other program a process runs that only
counts. Prints one JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import blocks

#: Pairs of blocks for Laptime, whose cost is small, and for each other tool.
PAIRS, PEERS_PAIRS = 60, 10
#: Length of a block, and what runs before it unmeasured, in seconds.
BLOCK, SETTLING = 1.0, 0.25

Unit = Callable[[], object]
Switch = Callable[[], contextlib.AbstractContextManager[object]]


def training() -> Unit:
    """A step of an MLP; its tensor operations take all processors."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs, targets = torch.randn(64, 784), torch.randint(0, 10, (64,))

    def step() -> None:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


class Record:
    """A node of a tree of objects."""

    def __init__(self, number: int, text: str) -> None:
        self.number, self.text = number, text
        self.children: list[Record] = []

    def add(self, depth: int) -> None:
        if depth:
            self.children = [Record(self.number * 2 + k, self.text[k:]) for k in range(2)]
            for child in self.children:
                child.add(depth - 1)

    def total(self) -> int:
        return self.number + len(self.text) + sum(child.total() for child in self.children)


def pure_python() -> Unit:
    """A tree of small objects, made and summed."""

    def turn() -> int:
        root = Record(1, "DHRYSTONE PROGRAM, SOME STRING")
        root.add(8)
        return root.total()

    return turn


PROGRAMS: dict[str, Callable[[], Unit]] = {
    "a training of an MLP on all processors": training,
    "pure Python, the other processor busy": pure_python,
}


def laptime_switch(trains: bool) -> Switch:
    """As `laptime run` leaves a program: sampled, and with automatic phases where it trains."""
    import laptime as lt
    from laptime.integrations import _autotorch

    def off() -> None:
        lt.disable()
        if trains:
            _autotorch.uninstall()

    @contextlib.contextmanager
    def on() -> Iterator[None]:
        lt.enable()
        if trains:
            _autotorch.install()
        yield
        off()

    off()
    return on


@contextlib.contextmanager
def pyinstrument() -> Iterator[None]:
    """Its default: a look each millisecond, from inside."""
    from pyinstrument import Profiler

    with Profiler():
        yield


@contextlib.contextmanager
def py_spy() -> Iterator[None]:
    """Its default: 100 looks a second from outside, at which the program is stopped."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).parent / "py-spy"), "record", "-f", "raw"]
        command += ["-d", "600", "-p", str(os.getpid()), "-o", str(Path(folder) / "out")]
        spy = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        if spy.poll() is not None:
            raise FileNotFoundError("py-spy may not look at this process")
        yield
        spy.send_signal(signal.SIGINT)
        spy.wait()


def per_unit(unit: Unit, switch: Switch) -> float:
    """Seconds a unit takes in a block."""
    with switch():
        end = time.perf_counter() + SETTLING
        while time.perf_counter() < end:
            unit()
        count, began = 0, time.perf_counter()
        while (now := time.perf_counter()) < began + BLOCK:
            unit()
            count += 1
    return (now - began) / count


def own_ns(pid: int) -> int:
    """Processor time of Laptime's threads in this process and of the process that started it."""
    taken = 0
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().startswith("laptime"):
            taken += int((task / "schedstat").read_text().split()[0])
    for task in Path(f"/proc/{pid}/task").iterdir():
        taken += int((task / "schedstat").read_text().split()[0])
    return taken


def compared(unit: Unit, switch: Switch, pairs: int) -> Json:
    """The ratio of blocks with to blocks without, and what Laptime itself ran meanwhile."""
    on, off = [], []
    launcher, ran_ns, lasted = os.getppid(), 0, 0.0
    for number in range(pairs):
        for is_on in (False, True) if number % 2 else (True, False):
            before_ns, began = own_ns(launcher), time.perf_counter()
            seconds = per_unit(unit, switch if is_on else contextlib.nullcontext)
            if is_on:
                ran_ns += own_ns(launcher) - before_ns
                lasted += time.perf_counter() - began
            (on if is_on else off).append(seconds)
    middle, low, high = blocks.ratio(on, off)
    return {
        "unit_us": sorted(off)[pairs // 2] * 1e6,
        "ratio": middle,
        "interval": [low, high],
        "own_share": ran_ns / 1e9 / lasted,
    }


Json = dict[str, Any]


def inside(name: str, out: Path) -> None:
    """Runs below `laptime run`: all contenders on one program."""
    unit = PROGRAMS[name]()
    ours = laptime_switch(trains="training" in name)
    results = {"laptime run": compared(unit, ours, PAIRS)}
    for peer, switch in (("py-spy record", py_spy), ("pyinstrument", pyinstrument)):
        try:
            results[peer] = compared(unit, switch, PEERS_PAIRS)
        except (ImportError, FileNotFoundError) as missing:
            print(f"{peer} is left out: {missing}", file=sys.stderr)
    out.write_text(json.dumps(results))


def main() -> None:
    """Prints the results of all programs."""
    results = {}
    # As users run it: torch's threads spin while they wait for each other.
    environment = {name: of for name, of in os.environ.items() if name != "OMP_WAIT_POLICY"}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(PROGRAMS):
            out = Path(folder) / f"{number}.json"
            laptime = [sys.executable, "-m", "laptime", "run", "-o", f"{folder}/{number}.lap"]
            busy = [sys.executable, "-c", "while True: pass"]
            other = None if "training" in name else subprocess.Popen(busy)
            try:
                command = [*laptime, __file__, name, str(out)]
                subprocess.run(command, stdout=sys.stderr, env=environment, check=True)
            finally:
                if other is not None:
                    other.kill()
                    other.wait()
            results[name] = json.loads(out.read_text())
    json.dump({"pairs": PAIRS, "default_run": results}, sys.stdout, indent=1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        inside(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
