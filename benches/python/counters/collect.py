"""What one counter says of every model, as JSON: `collect.py laptime|thop|…`.

A process for each counter: some leave PyTorch changed behind them.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from typing import Any

import models
import peers
import torch

#: Counters that can tell of the backward too.
TRAINING = ("laptime", "flop_counter", "torch_profiler", "calflops")


def laptime(model: torch.nn.Module, x: torch.Tensor, *, backward: bool) -> dict[str, Any]:
    """Ours: the sum, and of what it is made, by classes of modules and by kinds of operators."""
    import laptime as lt

    with peers.grad(backward):
        counts = lt.count(model, x, backward=backward, loss=_first if backward else None)
    classes: dict[str, int] = {}
    for row in counts.by_module.values():
        if row.own is not None and row.own.mac:
            kind = row.kind or "the model itself"
            classes[kind] = classes.get(kind, 0) + row.own.mac
    operators: dict[str, int] = {}
    for name, row in counts.by_op.items():
        if row.mac:
            kind = peers.kind_of(name)
            operators[kind] = operators.get(kind, 0) + row.mac
    return {
        "mac": counts.mac,
        "classes": classes,
        "operators": operators,
        "uncounted": [f"{it.name}: {it.reason}" for it in counts.uncounted],
    }


def _first(output: Any) -> torch.Tensor:
    return (output if isinstance(output, torch.Tensor) else output[0]).sum()


def peer(name: str, model: torch.nn.Module, x: torch.Tensor, **options: bool) -> dict[str, Any]:
    """A peer's, or the first words of its error."""
    try:
        with peers.grad(options.get("backward", False)):
            said = getattr(peers, name)(model, x, **options)
    except Exception as error:
        words = " ".join(str(error).split()[:7])
        return {"error": f"{type(error).__name__}: {words}" if words else type(error).__name__}
    return {"mac": said.mac, "parts": dict(said.parts), "by_operator": said.by_operator}


def main(name: str, out: Any) -> None:
    found: dict[str, dict[str, Any]] = {"forward": {}, "training": {}}
    for label, model in models.MODELS.items():
        for pass_, cells in found.items():
            backward = pass_ == "training"
            if backward and name not in TRAINING:
                continue
            torch.manual_seed(0)
            options = {"backward": backward} if name in TRAINING else {}
            built, x = model.build(), model.example()
            run = laptime if name == "laptime" else lambda *a, **k: peer(name, *a, **k)
            cells[label] = run(built, x, **options)
    json.dump(found, out)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # What the counters print is not the result.
    with contextlib.redirect_stdout(sys.stderr):
        main(sys.argv[1], sys.__stdout__)
