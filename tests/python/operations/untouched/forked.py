"""Programs in processes of their own, forked from one that has imported everything.

So a program that a count left broken doesn't disturb the next, nor does one that crashes. What
forks has no threads: torch gets one, and the parent's programs are plain.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from .proof import Count, Verdict, proved
from .recipe import Recipe, named, plain, recipe
from .struck import Strikes

#: A program takes parts of a second; one that hangs must not hold up the others.
LIMIT_S = 120


def ready() -> None:
    """Imports what programs import."""
    import torch
    import torch._dynamo
    import torch.distributed.fsdp
    import torchmetrics
    from transformers import DynamicCache, GPT2Model, LlamaModel

    assert all((torchmetrics, DynamicCache, GPT2Model, LlamaModel))
    torch.set_num_threads(1)  # tensors are small, and threads wait for each other
    # What is done for the first time takes half a second, and children would each do it again.
    proved(0, plain())
    proved(0, named(network="GPT-2", optimizer="AdamW", average="AveragedModel"))
    gc.collect()
    atexit.register(gc.unfreeze)
    gc.freeze()  # else each child would look through, and so copy, all that was imported


def in_child(number: int, chosen: Recipe, count: Count | None = None) -> Verdict:
    """What `proved` says, in a child of this process."""
    out, into = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(out)
        signal.alarm(LIMIT_S)
        try:
            found = proved(number, chosen, count)
            gc.collect()  # what is broken may crash only now
            os.write(into, json.dumps([found.outcome, found.why[:8000]]).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as told:
        text = told.read()
    _, status = os.waitpid(child, 0)
    if text:
        return Verdict(*json.loads(text))
    ended = os.waitstatus_to_exitcode(status)
    what = signal.Signals(-ended).name if ended < 0 else f"exit code {ended}"
    return Verdict("crashed", what)


def serve() -> None:
    """Answers numbers on stdin with verdicts, a line each; "struck" may stand behind a number."""
    ready()
    for line in sys.stdin:
        number, *struck = line.split()
        count = Strikes(int(number)) if struck else None
        found = in_child(int(number), recipe(int(number)), count)
        print(json.dumps([found.outcome, found.why]), flush=True)


class Served:
    """The same from a process that cannot fork: it has threads."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "untouched", "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent,
            env={key: value for key, value in os.environ.items() if "LAPTIME" not in key},
        )

    def verdict(self, number: int, *, struck: bool = False) -> Verdict:
        """What became of a program, perhaps of one whose counts are ended at any instant."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number} struck\n" if struck else f"{number}\n")
        self._process.stdin.flush()
        return Verdict(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()
