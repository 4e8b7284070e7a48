"""A small training, and a timer inside of it."""

from __future__ import annotations

import time
from typing import Any

import torch


class Timed(torch.nn.Module):
    """A model that times its own forward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
        self.forward_s = 0.0
        self.fails_at = 0
        self.calls = 0

    def forward(self, x: torch.Tensor, labels: torch.Tensor | None = None) -> Any:
        begun = time.perf_counter()
        self.calls += 1
        if self.calls == self.fails_at:
            raise RuntimeError("the training's own")
        out = self.layer(x)
        for _ in range(20):
            out = out + torch.randn(64, 64).matmul(torch.randn(64, 64)).sum() * 0
        loss = out.pow(2).mean() if labels is None else (out - labels).pow(2).mean()
        self.forward_s += time.perf_counter() - begun
        return {"loss": loss, "logits": out}


def items(count: int = 64) -> list[dict[str, torch.Tensor]]:
    return [{"x": torch.randn(8), "labels": torch.randn(1)} for _ in range(count)]
