"""A GPT-style training with 50 laps a step, beside the same without: what they add

Blocks of steps with laps and without take turns, in an order that cancels a steady drift. Both run
in one process under one recording, so the automatic phases are in both.
"""

from __future__ import annotations

import statistics
import time
from contextlib import AbstractContextManager, nullcontext

import stage
import torch
from torch import nn

import laptime as lt

LAYERS, WIDTH, HEADS = stage.sized(12, 1), stage.sized(768, 16), stage.sized(12, 2)
BATCH, LENGTH, WORDS = stage.sized(8, 2), stage.sized(1024, 8), stage.sized(32_000, 32)
#: Of a block at most; fewer on a GPU on which all of them would take longer than this.
STEPS = stage.sized(10, 1)
ALL_S = 40.0
#: Each is four blocks: with, without, without, with.
TURNS = stage.sized(16, 2)
LAPS = 50


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.attend = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, bias=False)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )


class Gpt(nn.Module):
    """48 laps around its parts, and two around the step's."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.has_laps = True

    def lap(self, name: str) -> AbstractContextManager[object]:
        return lt.lap(name) if self.has_laps else nullcontext()

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.embed(words)
        each = (LAPS - 2) // LAYERS // 2
        for block in self.blocks:
            for _ in range(each - 1):
                with self.lap("nothing"):
                    pass
            with self.lap("attention"):
                y = block.norms[0](x)
                x = x + block.attend(y, y, y, need_weights=False)[0]
            for _ in range(each - 1):
                with self.lap("nothing"):
                    pass
            with self.lap("mlp"):
                x = x + block.mlp(block.norms[1](x))
        return self.head(x)


def main() -> None:
    model = Gpt().to(stage.DEVICE, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    words = torch.randint(WORDS, (BATCH, LENGTH + 1), device=stage.DEVICE)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with model.lap("loss"):
            told = model(words[:, :-1])
            loss = nn.functional.cross_entropy(told.flatten(0, 1).float(), words[:, 1:].flatten())
        loss.backward()
        with model.lap("optimize"):
            optimizer.step()

    def block_s(has_laps: bool, steps: int) -> float:
        model.has_laps = has_laps
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        return time.perf_counter() - begun

    with stage.recorded() as recorded:
        block_s(True, STEPS)
        step_s = block_s(False, STEPS) / STEPS
        steps = max(1, min(STEPS, int(ALL_S / step_s / TURNS / 4)))
        ratios, alone = [], []
        for _ in range(TURNS):
            first, second, third, fourth = (
                block_s(one, steps) for one in (True, False, False, True)
            )
            ratios.append((first + fourth) / (second + third) - 1)
            alone += [second, third]
    timed = sum(
        row.device_count or 0
        for path, row in ((path, recorded.report[path]) for path in recorded.report)
        if str(path).endswith(("attention", "mlp"))
    )
    overhead = statistics.median(ratios)
    quartiles = statistics.quantiles(ratios, n=4)
    figures = {
        "overhead_ratio": overhead,
        "overhead_lower_quartile_ratio": quartiles[0],
        "overhead_upper_quartile_ratio": quartiles[2],
        "step_ms": statistics.median(alone) / steps * 1e3,
        "laps_timed_count": timed,
    }
    why = None if timed else "no lap of the training was timed on the device"
    stage.tell(figures, target="below 1 %", met=overhead < 0.01 and timed > 0, why=why)


if __name__ == "__main__":
    main()
