"""What experiments share: the device, sizes, laps that are timed on it, the line they print.

On a GPU the device is `cuda`. Where fakes stand in for it (`dry/`), tensors are the CPU's and sizes
are tiny: the same lines run, and the numbers mean nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from last_word import last_word

import laptime as lt

Size = TypeVar("Size", int, float)

PACK = Path(__file__).resolve().parent
#: Where tensors go.
DEVICE = os.environ.get("EXPERIMENT_DEVICE", "cuda")
IS_DRY = DEVICE != "cuda"
#: Cycles of a GPU's clock in a millisecond, about: `torch.cuda._sleep` takes cycles.
CYCLES_PER_MS = 1_900_000


def sized(full: Size, tiny: Size) -> Size:
    """The size of an experiment on a GPU, and that of a dry run."""
    return tiny if IS_DRY else full


#: A program that takes longer hangs.
CHILD_S = sized(45, 300)


def tell(figures: dict[str, Any], *, target: str, met: bool | None, why: str | None = None) -> None:
    """Prints the experiment's line. `met` is None where it isn't possible here: `why` says so."""
    told = {"name": Path(sys.argv[0]).stem, "figures": figures, "target": target, "met": met}
    print(json.dumps({**told, "why": why}), flush=True)


def within(one: float, other: float, ratio: float) -> bool:
    """Whether a number differs from another by at most that part of it."""
    return abs(one - other) <= ratio * abs(other)


def command(*words: object) -> list[str]:
    """Starts a file of the pack as experiments are started: with the fakes, in a dry run."""
    under = os.environ.get("EXPERIMENT_UNDER")
    return [sys.executable, *([under] if under else []), *map(str, words)]


def child(words: Sequence[str], **environment: str) -> str:
    """What a program prints; raises with its last word where it fails."""
    done = subprocess.run(
        words,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=CHILD_S,
    )
    print(done.stderr, file=sys.stderr, end="")
    if done.returncode != 0:
        file = next((word for word in reversed(words) if word.endswith(".py")), words[0])
        last = last_word(done.stderr or done.stdout)
        raise RuntimeError(f"{Path(file).name} ended with {done.returncode}: {last}")
    return done.stdout


class Recorded:
    """A recording: its report, once it has ended."""

    def __init__(self, record: lt.Record) -> None:
        self._record = record
        self.report: lt.Report

    def end(self) -> None:
        self._record.stop()
        self.report = lt.open(str(self._record.path)).report()
        # For whoever reads the numbers later: the runner keeps it.
        for warning in json.loads(self.report.to_json())["warnings"]:
            print(f"laptime: {warning['message']}", file=sys.stderr)


@contextmanager
def recorded(**options: Any) -> Iterator[Recorded]:
    """Records, with laps timed on the device from the start on."""
    with tempfile.TemporaryDirectory() as folder:
        told = Recorded(lt.record(f"{folder}/experiment.lap", phases=True, **options))
        try:
            yield told
        finally:
            told.end()


def sleep(ms: float) -> None:
    """Gives the device that much to do, about."""
    import torch

    torch.cuda._sleep(int(ms * CYCLES_PER_MS))
