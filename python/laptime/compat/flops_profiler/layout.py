"""The printed profile: a summary, the largest modules of each depth, and every module.

Labels and order are those of flops-profiler and of DeepSpeed, whose users know where to look.
Where a number is absent there is a dash; beneath the summary stands how each was got.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._core import write_output
from .account import Account

DASH = "–"  # noqa: RUF001

_WORDS = """\
data parallel size (dp_size), model parallel size (mp_size),
number of parameters (params): each once,
number of multiply-accumulate operations (MACs): of matrix products, convolutions and attention,
number of floating-point operations (flops): 2 for each MAC, and all other arithmetic,
floating-point operations per second (FLOPS): a rate, FLOP/s; flops over latency,
fwd latency (forward propagation latency), bwd latency (backward propagation latency),
step (weights update latency), iter latency (sum of fwd, bwd and step latency)
"""

_NOTES = """\
Each module profile is listed after its name in the following order:
params, percentage of total params, MACs, percentage of total MACs, fwd latency, percentage of the \
model's in this list, fwd FLOPS

Note: 1. What a module does itself, by functions and operators, has no line of its own: it is the \
difference between the module and the sum of those in it.
2. A module that only holds others is not called: its latency is the sum of theirs.
3. A module without latency was not called by itself: it was not needed, or others ran what is in \
it (a compiled graph, PyTorch's fast path for transformers, a module that reads its weights).
"""


@dataclass(frozen=True)
class Wording:
    """What the two profilers write differently."""

    title: str
    place: str
    number: Callable[[float], str]
    #: FLOP as `get_model_profile` returns them.
    returned: Callable[[float], str]
    macs: Callable[[float], str]
    flops: Callable[[float], str]
    params: Callable[[float], str]
    duration: Callable[[float], str]
    #: What DeepSpeed's engine calls its timers of forward, backward and step.
    timers: tuple[str, str, str]


@dataclass(frozen=True)
class Profile:
    """What is printed."""

    model: Account
    #: Seconds of the whole call.
    latency: float | None
    #: How the numbers were got, and which are in doubt; a line each.
    how: Sequence[str]

    @property
    def flop_per_s(self) -> float | None:
        """FLOP over the latency, where both are of the same modules."""
        return None if self.model.lacks or not self.latency else self.model.flop / self.latency

    def returned(self, words: Wording, as_string: bool) -> tuple[Any, Any, Any]:
        """FLOP, MACs and parameters, as `get_model_profile` returns them."""
        flop, mac, params = self.model.flop, self.model.mac, self.model.params
        if as_string:
            return words.returned(flop), words.macs(mac), words.params(params)
        return flop, mac, params


def whole(
    profile: Profile,
    step: int,
    depth: int,
    top: int,
    is_detailed: bool,
    words: Wording,
    engine: Any = None,
    more: Sequence[str] = (),
) -> str:
    """All that is printed; `more` are lines on what the training engine timed."""
    place = words.place[0].upper() + words.place[1:]
    parts = [
        summary(profile, step, words, engine, more),
        f"\n----------------------------- Aggregated Profile per {place} "
        "-----------------------------",
        aggregated(profile.model, depth, top, words),
    ]
    if is_detailed:
        parts.append(
            f"\n------------------------------ Detailed Profile per {place} "
            "------------------------------"
        )
        parts.append(detailed(profile.model, words))
    return "\n".join([*parts, "-" * 78])


def check(output_file: Any) -> None:
    """Raises, before the model runs, where a profile could not be written."""
    if not output_file:
        return
    if not isinstance(output_file, str | os.PathLike):
        kind = type(output_file).__name__
        raise TypeError(f"output_file is the path of a file, not {kind}: it is opened here")
    if Path(output_file).is_dir():
        raise IsADirectoryError(errno.EISDIR, "output_file is a folder", str(output_file))


def put(text: str, output_file: str | None) -> None:
    """Prints it, or writes it to a file, whose folders are made."""
    if output_file:
        path = Path(output_file)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, f"{text}\n")
    else:
        print(text)  # noqa: T201


def line(name: str, text: object) -> str:
    """A line of the summary."""
    return f"{name + ':':<70}  {text:<8}".rstrip()


def shown(text: Callable[[float], str], value: float | None) -> str:
    """A number that may be absent."""
    return DASH if value is None else text(value)


def summary(profile: Profile, step: int, words: Wording, engine: Any, more: Sequence[str]) -> str:
    """The model's numbers, and beneath them how they were got."""
    model, place = profile.model, words.place
    ranks = engine.mp_world_size if engine else 1
    lines = [f"\n-------------------------- {words.title} --------------------------"]
    lines += [f"Profile Summary at step {step}:", f"Notations:\n{_WORDS}"]
    if engine:
        lines.append(line("world size", engine.world_size))
        lines.append(line("data parallel size", engine.dp_world_size))
        lines.append(line("model parallel size", engine.mp_world_size))
        if hasattr(engine, "train_micro_batch_size_per_gpu"):
            lines.append(line(f"batch size per {place}", engine.train_micro_batch_size_per_gpu()))
    lines += [
        line(f"params per {place}", words.params(model.params)),
        line(f"params of model = params per {place} * mp_size", words.params(model.params * ranks)),
        line(f"fwd MACs per {place}", words.macs(model.mac)),
        line(f"fwd flops per {place}", words.number(model.flop)),
        line(
            f"fwd flops of model = fwd flops per {place} * mp_size",
            words.number(model.flop * ranks),
        ),
        line("fwd latency", shown(words.duration, profile.latency)),
        line(
            f"fwd FLOPS per {place} = fwd flops per {place} / fwd latency",
            shown(words.flops, profile.flop_per_s),
        ),
        *more,
        "\nHow these were got:",
        *profile.how,
    ]
    return "\n".join(lines)


def aggregated(model: Account, depth: int, top: int, words: Wording) -> str:
    """The classes with the most, at each of so many depths; -1: at all."""
    levels = list(model.levels())
    if depth >= 0:
        levels = levels[:depth]
    what = "params, flops, MACs or fwd latency"
    lines = [f"Top {top} modules in terms of {what} at different model depths:"]
    for at, level in enumerate(levels):
        columns: list[tuple[str, Callable[[float], str], Callable[[Account], float]]] = [
            ("params     ", words.params, lambda one: one.params),
            ("flops      ", words.number, lambda one: one.flop),
            ("MACs       ", words.macs, lambda one: one.mac),
            ("fwd latency", words.duration, lambda one: one.seconds or 0.0),
        ]
        lines.append(f"depth {at}:")
        for name, text, value in columns:
            if name == "fwd latency":
                level = [one for one in level if one.seconds is not None]
            sums: dict[str, float] = {}
            for one in level:
                sums[one.kind] = sums.get(one.kind, 0) + value(one)
            most = sorted(sums.items(), key=lambda item: item[1], reverse=True)[:top]
            shares = {kind: text(size).strip() for kind, size in most}
            lines.append(f"    {name} - {shares if level else DASH}")
    return "\n".join(lines)


def detailed(model: Account, words: Wording) -> str:
    """The model as PyTorch prints it, with each module's numbers."""
    return f"{_NOTES}\n{_module(model, model, words)}"


def _module(one: Account, model: Account, words: Wording) -> str:
    items = [one.left_out or _numbers(one, model, words)]
    if one.about:
        items.append(one.about)
    text = ", ".join(items)
    if not one.children:
        return f"{one.kind}({text})"
    inside = [text]
    inside += [f"({child.name}): {_module(child, model, words)}" for child in one.children]
    body = "\n".join(inside).replace("\n", "\n  ")
    return f"{one.kind}(\n  {body}\n)"


def _numbers(one: Account, model: Account, words: Wording) -> str:
    return ", ".join(
        [
            f"{words.params(one.params)} = {_share(one.params, model.params)} Params",
            f"{words.macs(one.mac)} = {_share(one.mac, model.mac)} MACs",
            f"{words.duration(one.seconds)} = {_share(one.seconds, model.seconds or 0)} latency"
            if one.seconds is not None
            else f"{DASH} latency",
            f"{DASH} FLOPS" if one.flop_per_s is None else words.flops(one.flop_per_s),
        ]
    )


def _share(part: float, whole: float) -> str:
    return f"{round(100 * part / whole, 2) if whole else 0:g}%"
