"""What sampling functions costs: two programs below `laptime run`, beside other samplers.

A program tells how long its own loop took, so that no tool is charged for starting. All contenders
take turns; a ratio is the median over turns of a contender's time over the bare program's. Every
processor is busy meanwhile: the first program computes on all of them, beside the second runs a
second copy of it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 5

TRAINING = """
import time, torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
inputs, targets = torch.randn(64, 784), torch.randint(0, 10, (64,))
def step():
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for _ in range(200):
    step()
began = time.perf_counter()
for _ in range(4_000):
    step()
print("SECONDS", time.perf_counter() - began)
"""

RECORDS = """
import time
class Record:
    def __init__(self, number, text):
        self.number, self.text, self.children = number, text, []
    def add(self, depth):
        if depth:
            self.children = [Record(self.number * 2 + k, self.text[k:]) for k in range(2)]
            for child in self.children:
                child.add(depth - 1)
    def total(self):
        return self.number + len(self.text) + sum(child.total() for child in self.children)
def turn(index):
    root = Record(index, "DHRYSTONE PROGRAM, SOME STRING")
    root.add(8)
    return root.total()
for index in range(100):
    turn(index)
began = time.perf_counter()
total = sum(turn(index) for index in range(3_000))
print("SECONDS", time.perf_counter() - began)
"""

# By name: what stands before the script. OUT is a file of the contender's own.
CONTENDERS: dict[str, list[str]] = {
    "bare": [sys.executable],
    "laptime run": [
        sys.executable, "-m", "laptime", "run", "--no-auto", "--force", "-o", "OUT.lap",
    ],
    "py-spy record": [
        "py-spy", "record", "-r", "100", "-f", "raw", "-o", "OUT", "--", sys.executable,
    ],
    "pyinstrument": [sys.executable, "-m", "pyinstrument", "-i", "0.01", "-r", "json", "-o", "OUT"],
    "scalene": [sys.executable, "-m", "scalene", "run", "--cpu-only", "-o", "OUT"],
}  # fmt: skip


def seconds(prefix: list[str], script: Path, out: Path) -> float | None:
    """The time of the script's loop; none where the contender doesn't run here."""
    folder = Path(sys.executable).parent
    command = [word.replace("OUT", str(out)) for word in prefix]
    if (folder / command[0]).exists():
        command[0] = str(folder / command[0])
    try:
        ran = subprocess.run([*command, str(script)], capture_output=True, text=True, timeout=300)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    told = [line for line in ran.stdout.splitlines() if line.startswith("SECONDS")]
    return float(told[0].split()[1]) if told else None


def measured(source: str, beside: bool) -> dict[str, dict[str, float]]:
    """Times and ratios by contender."""
    times: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text(source)
        for turn in range(TURNS):
            for name, prefix in CONTENDERS.items():
                busy = [sys.executable, "-c", "while True: pass"]
                other = subprocess.Popen(busy) if beside else None
                try:
                    took = seconds(prefix, script, Path(folder) / f"{turn}-{len(times[name])}")
                finally:
                    if other is not None:
                        other.kill()
                        other.wait()
                if took is not None:
                    times[name].append(took)
    bare = times["bare"]
    return {
        name: {
            "seconds": statistics.median(took),
            "ratio": statistics.median(one / base for one, base in zip(took, bare, strict=False)),
        }
        for name, took in times.items()
        if took
    }


def main() -> None:
    """Prints the results as JSON."""
    results = {
        "a training of an MLP on all processors": measured(TRAINING, beside=False),
        "pure Python, the other processor busy": measured(RECORDS, beside=True),
    }
    json.dump({"stacks": results}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
