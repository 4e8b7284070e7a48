"""`flops_profiler` with numbers that are right, for its two ways of use.

    from laptime.flops_profiler import get_model_profile
    flops, macs, params = get_model_profile(model, input_shape=(1, 3, 224, 224))

MACs are of matrix products, convolutions and attention, wherever they are called; FLOP are two for
each, and all other floating-point arithmetic. Latency is timed in runs of its own, in which nothing
is counted; only of the program's own call, between `start_profile` and `stop_profile`, it includes
the counting and is an upper bound. `laptime.flops_profiler.deepspeed` has DeepSpeed's defaults.
"""

from __future__ import annotations

from .profiler import FlopsProfiler, get_model_profile
from .units import (
    duration_to_string,
    flops_to_string,
    macs_to_string,
    number_to_string,
    params_to_string,
)

__all__ = [
    "FlopsProfiler",
    "duration_to_string",
    "flops_to_string",
    "get_model_profile",
    "macs_to_string",
    "number_to_string",
    "params_to_string",
]
