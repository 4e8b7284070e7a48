"""DeepSpeed's profiler: its defaults, and its way to write numbers.

    from laptime.flops_profiler.deepspeed import FlopsProfiler, get_model_profile

`get_model_profile` gives strings unless told otherwise; figures are those of
`laptime.flops_profiler`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch

from . import layout, profiler
from .call import profile_of
from .layout import Wording

__all__ = [
    "FlopsProfiler",
    "bytes_to_string",
    "duration_to_string",
    "flops_to_string",
    "get_model_profile",
    "macs_to_string",
    "number_to_string",
    "params_to_string",
]

_SIZES = {"T": 1e12, "G": 1e9, "M": 1e6, "K": 1e3, "": 1.0, "m": 1e-3, "u": 1e-6}


def number_to_string(num: float, units: str | None = None, precision: int = 2) -> str:
    """`4.09 G`; a blank stands before the unit, and where there is none too."""
    if units is None:
        units = "" if num == 0 else next((it for it, size in _SIZES.items() if num >= size), "u")
    return f"{round(num / _SIZES.get(units, 1.0), precision):g} {units}"


def macs_to_string(macs: float, units: str | None = None, precision: int = 2) -> str:
    """`4.09 GMACs`."""
    return f"{number_to_string(macs, units, precision)}MACs"


def flops_to_string(flops: float, units: str | None = None, precision: int = 2) -> str:
    """A rate, FLOP/s by its older name: `1.83 TFLOPS`."""
    return f"{number_to_string(flops, units, precision)}FLOPS"


def bytes_to_string(b: float, units: str | None = None, precision: int = 2) -> str:
    """`4.09 GB`: of 10**9 bytes."""
    return f"{number_to_string(b, units, precision)}B"


def params_to_string(params_num: float, units: str | None = None, precision: int = 2) -> str:
    """`25.56 M`; 10**9 is B, a billion."""
    units = units.replace("B", "G") if units else units
    return number_to_string(params_num, units, precision).replace("G", "B").strip()


def duration_to_string(duration: float, units: str | None = None, precision: int = 2) -> str:
    """Seconds: `12.22 ms`."""
    return f"{number_to_string(duration, units, precision)}s"


_WORDING = Wording(
    title="DeepSpeed Flops Profiler",
    place="GPU",
    number=number_to_string,
    returned=number_to_string,
    macs=macs_to_string,
    flops=flops_to_string,
    params=params_to_string,
    duration=duration_to_string,
    timers=("fwd", "bwd", "step"),
)


class FlopsProfiler(profiler.FlopsProfiler):
    """As `laptime.flops_profiler.FlopsProfiler`, with numbers written as DeepSpeed does."""

    _wording: ClassVar[Wording] = _WORDING


def get_model_profile(
    model: torch.nn.Module,
    input_shape: tuple[int, ...] | None = None,
    args: Sequence[Any] | None = (),
    kwargs: Mapping[str, Any] | None = None,
    print_profile: bool = True,
    detailed: bool = True,
    module_depth: int = -1,
    top_modules: int = 1,
    warm_up: int = 1,
    as_string: bool = True,
    output_file: str | None = None,
    ignore_modules: Sequence[type] | None = None,
    mode: str = "forward",
) -> tuple[Any, Any, Any]:
    """As `laptime.flops_profiler.get_model_profile`, with DeepSpeed's defaults."""
    layout.check(output_file)
    profile = profile_of(
        model, input_shape, args, kwargs, ignore_modules, mode, warm_up, print_profile
    )
    if print_profile:
        text = layout.whole(profile, warm_up, module_depth, top_modules, detailed, _WORDING)
        layout.put(text, output_file)
    return profile.returned(_WORDING, as_string)
