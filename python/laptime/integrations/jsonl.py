"""JSON lines: figures of the steps in a file, one object a line.

from laptime.integrations import jsonl

jsonl.log("steps.jsonl", every=50)
"""

from __future__ import annotations

import json
import os

from .._step_sink import StepSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import StepWindow

__all__ = ["log"]


def log(path: str | os.PathLike[str], *, every: int = 50, name: str = "step") -> StepSink:
    """Appends a line at every so many steps, until `.stop()`: at once, as a whole."""
    place = os.path.abspath(path)
    return StepSink(every, lambda window: _write(place, window), name=name, what="jsonl")


def _write(path: str, window: StepWindow) -> None:
    line = json.dumps({f"laptime/{window.name}": window.step, **window.metrics()})
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{line}\n")
