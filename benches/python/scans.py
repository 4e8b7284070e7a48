"""What counting a sequential scan costs: two state-space models without their weights.

Each is called once on bare fake tensors and counted once, in a process of its own, so that neither
finds what the other left in PyTorch's caches. Prints one JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

LENGTH = 512


def model(name: str) -> Any:
    """The model of a name, built within whatever takes its weights away."""
    import transformers

    if name == "Mamba-2.8B":
        config: Any = transformers.MambaConfig(
            hidden_size=2560,
            intermediate_size=5120,
            num_hidden_layers=64,
            time_step_rank=160,
            vocab_size=50280,
        )
        return transformers.MambaForCausalLM(config).eval()
    config = transformers.RwkvConfig(
        hidden_size=2560, attention_hidden_size=2560, num_hidden_layers=32, vocab_size=50277
    )
    return transformers.RwkvForCausalLM(config).eval()


def bare(name: str) -> dict[str, float]:
    import torch
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        scanned, ids = model(name), torch.zeros(1, LENGTH, dtype=torch.long)
        begin = time.perf_counter()
        scanned(ids)
        return {"seconds": time.perf_counter() - begin}


def counted(name: str) -> dict[str, float]:
    import torch

    import laptime as lt

    with lt.no_weights():
        scanned = model(name)
    begin = time.perf_counter()
    counts = lt.count(scanned, torch.zeros(1, LENGTH, dtype=torch.long))
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "operations": counts.operations, "params": counts.params or 0}


def main() -> None:
    if len(sys.argv) == 3:
        way = {"bare": bare, "counted": counted}[sys.argv[1]]
        print(json.dumps(way(sys.argv[2])))
        return
    measured: dict[str, Any] = {}
    for name in ("Mamba-2.8B", "RWKV-3B"):
        for way in ("bare", "counted"):
            command = [sys.executable, __file__, way, name]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            measured.setdefault(name, {})[way] = json.loads(said.stdout.splitlines()[-1])
    print(json.dumps({"length": LENGTH, "models": measured}))


if __name__ == "__main__":
    main()
