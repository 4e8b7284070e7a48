"""What a training engine (DeepSpeed's) timed itself, beside what is counted of the forward."""

from __future__ import annotations

from typing import Any

from .layout import DASH, Wording, line


def has_timers(engine: Any) -> bool:
    """Whether it times its forward, backward and step."""
    asked = getattr(engine, "wall_clock_breakdown", None)
    return bool(engine) and callable(asked) and bool(asked())


def lines(engine: Any, flop: int, recomputed: float, words: Wording) -> list[str]:
    """The backward's and step's time; rates take a backward for a factor times the forward."""
    fwd, bwd, step = (engine.timers(name).elapsed(False) / 1000.0 for name in words.timers)
    place, factor = words.place, 2 + recomputed
    whole = fwd + bwd + step

    def rate(times: float, seconds: float) -> str:
        return words.flops(times * flop / seconds) if seconds else DASH

    found = [
        line("bwd latency", words.duration(bwd)),
        line(
            f"bwd FLOPS per {place} = {factor:g} * fwd flops per {place} / bwd latency",
            rate(factor, bwd),
        ),
        line(
            f"fwd+bwd FLOPS per {place} = {factor + 1:g} * fwd flops per {place} "
            "/ (fwd+bwd latency)",
            rate(factor + 1, fwd + bwd),
        ),
        line("step latency", words.duration(step)),
        line("iter latency", words.duration(whole)),
        line(
            f"FLOPS per {place} = {factor + 1:g} * fwd flops per {place} / iter latency",
            rate(factor + 1, whole),
        ),
    ]
    samples = engine.train_micro_batch_size_per_gpu() * engine.world_size
    return [*found, line("samples/second", round(samples / whole, 2) if whole else DASH)]
