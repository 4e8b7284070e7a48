"""torchtimer's tutorial, start to end, on `laptime.torchtimer`.

To move a program over, only the import and the device change: with torchtimer the first line
below would read `from torchtimer import ProfilingTimer`, and `DEVICE` "cuda".

    python examples/torchtimer/tutorial.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

from laptime.torchtimer import ProfilingTimer

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def start_and_stop() -> None:
    timer = ProfilingTimer(device=DEVICE)
    a, b = (torch.randn(256, 256, device=DEVICE) for _ in range(2))
    timer.start()
    a @ b
    print(f"one product: {timer.stop():.6f} s")


def repeated() -> None:
    timer = ProfilingTimer(device=DEVICE, name="repeated")
    a, b = (torch.randn(64, 64, device=DEVICE) for _ in range(2))
    for _ in range(100):
        timer.start()
        a @ b
        timer.stop()
    timer.summarize()


def several_segments() -> None:
    timer = ProfilingTimer(device=DEVICE, name="segments")
    x = torch.randn(300, 64, device=DEVICE)
    for _ in range(10):
        timer.start("distances")
        distances = torch.cdist(x, x)
        timer.stop_and_start("distances", "sort")
        distances.sort(dim=-1)
        timer.stop("sort")
    timer.summarize()
    print("sorting took", [f"{seconds:.4f}" for seconds in timer.history("sort")][:3], "…")


class Word2Vec(nn.Module):
    """Skip-gram with negative sampling, timed inside in two contexts."""

    def __init__(self, words: int, width: int, timer: ProfilingTimer) -> None:
        super().__init__()
        self.timer = timer
        self.centre = nn.Embedding(words, width)
        self.around = nn.Embedding(words, width)

    def forward(self, centre: torch.Tensor, around: torch.Tensor, other: torch.Tensor):
        start, stop = self.timer.create_context("forward")
        start("embeddings")
        one, two, wrong = self.centre(centre), self.around(around), self.around(other)
        stop("embeddings")
        start("products")
        near = (one * two).sum(-1)
        far = torch.einsum("bw,bnw->bn", one, wrong)
        stop("products")
        start("loss")
        loss = -nn.functional.logsigmoid(near).mean() - nn.functional.logsigmoid(-far).mean()
        stop("loss")
        return loss


def word2vec(folder: Path) -> None:
    timer = ProfilingTimer(device=DEVICE, name="Word2Vec")
    model = Word2Vec(5_000, 64, timer).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        centre, around = (torch.randint(5_000, (256,), device=DEVICE) for _ in range(2))
        other = torch.randint(5_000, (256, 8), device=DEVICE)
        timer.start("step")
        loss = model(centre, around, other)
        timer.start("backward", context="training")
        optimizer.zero_grad()
        loss.backward()
        timer.stop_and_start("backward", "update", context="training")
        optimizer.step()
        timer.stop("update", context="training")
        timer.stop("step")
    timer.summarize()
    timer.summarize_to_file(folder / "word2vec.md")
    timer.disable_context("forward")
    print("without the context forward:")
    timer.summarize()
    timer.enable_context("forward")
    timer.visualize(folder / "word2vec.html")


def memory_statistics() -> None:
    timer = ProfilingTimer(device=DEVICE, name="memory")
    kept = []
    for size in (1_000, 2_000):
        timer.start("allocate")
        kept.append(torch.ones(size, size, device=DEVICE))
        timer.stop("allocate")
        timer.start("temporary")
        torch.ones(size, size, device=DEVICE).add_(1)
        timer.stop("temporary")
    timer.summarize()
    print("left behind:", list(timer.history("allocate", field="net_memory_allocated")))


def disabled() -> None:
    timer = ProfilingTimer(device=DEVICE, enabled=False)
    timer.start()
    print("disabled, stop() gives", timer.stop())


def allies(folder: Path) -> None:
    data = ProfilingTimer(device=DEVICE, name="data")
    timer = ProfilingTimer(device=DEVICE, name="training", allies=[data])
    for _ in range(3):
        data.start("load")
        x = torch.randn(100, 100)
        data.stop("load")
        timer.start("multiply")
        x @ x
        timer.stop("multiply")
    timer.summarize()
    timer.summarize_to_file(folder / "allies.md")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    start_and_stop()
    repeated()
    several_segments()
    word2vec(folder)
    memory_statistics()
    disabled()
    allies(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
