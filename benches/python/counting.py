"""What counting costs: an operation, and a decoder of 70 billion parameters without its weights.

The decoder's passes take turns in one process, after one that warms them up: bare fake tensors,
PyTorch's own counter, and `lt.count`. Prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import blocks
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode
from transformers import LlamaConfig, LlamaForCausalLM

import laptime as lt

#: Calls in a block of single operations; rounds of it, and of the decoder's passes.
CALLS, CALL_ROUNDS, PASS_ROUNDS = 2000, 30, 5
LENGTH = 4096

DECODER = {
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}


class Empty(TorchDispatchMode):
    """Sees every operator and does nothing with it: the floor of any counter."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def single_operations() -> dict[str, float]:
    """Microseconds that an operation costs above the bare call."""
    left, right = torch.randn(16), torch.randn(16)

    def calls(x: torch.Tensor) -> None:
        for _ in range(CALLS):
            torch.add(x, right)

    def within(mode: Callable[[], TorchDispatchMode]) -> blocks.Block:
        def run() -> None:
            with mode():
                calls(left)

        return run

    taken = blocks.rounds(
        {
            "bare": lambda: calls(left),
            "an empty dispatch mode": within(Empty),
            "FlopCounterMode": within(lambda: FlopCounterMode(display=False)),
            "laptime: lt.count": lambda: lt.count(calls, left, mode="real") and None,
        },
        CALL_ROUNDS,
    )
    bare = taken.pop("bare")
    return {
        name: statistics.median((mine - its) / CALLS * 1e6 for mine, its in zip(own, bare))
        for name, own in taken.items()
    }


def decoder() -> dict[str, object]:
    """Seconds of a pass, and what a count takes of memory beside the imports."""
    imported = resident_bytes()
    with lt.no_weights():
        model = LlamaForCausalLM(LlamaConfig(**DECODER, use_cache=False)).eval()
    ids = torch.zeros(1, LENGTH, dtype=torch.long)
    fake_mode = next(model.parameters()).fake_mode
    fake_ids = fake_mode.from_tensor(ids)

    def bare(backward: bool) -> None:
        with fake_mode:
            logits = model(fake_ids).logits
            if backward:
                logits.sum().backward()
                model.zero_grad()

    def peer(backward: bool) -> None:
        with FlopCounterMode(display=False):
            bare(backward)

    def ours(backward: bool) -> lt.OpCounts:
        return lt.count(model, ids, backward=backward)

    counts = {backward: ours(backward) for backward in (False, True)}
    counted = resident_bytes()
    passes = {}
    for backward in (False, True):
        taken = blocks.rounds(
            {
                "bare": lambda: bare(backward),  # noqa: B023
                "peer": lambda: peer(backward),  # noqa: B023
                "ours": lambda: ours(backward) and None,  # noqa: B023
            },
            PASS_ROUNDS,
        )
        passes["forward and backward" if backward else "forward"] = {
            **{name: statistics.median(seconds) for name, seconds in taken.items()},
            "of_peer": blocks.ratio(taken["ours"], taken["peer"])[0],
            "of_bare": blocks.ratio(taken["ours"], taken["bare"])[0],
            "operations": counts[backward].operations,
            "flop": counts[backward].flop,
        }
    return {
        "params": counts[True].params,
        "length": LENGTH,
        "passes": passes,
        "imported_bytes": imported,
        "counted_bytes": counted,
        "rounds": PASS_ROUNDS,
    }


def main() -> None:
    torch.set_num_threads(1)
    print(json.dumps({"decoder": decoder(), "above_bare_us": single_operations()}))


if __name__ == "__main__":
    main()
