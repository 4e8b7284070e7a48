"""`flops_profiler` with numbers that are right, for its two ways of use.

    from laptime.flops_profiler import get_model_profile
    flops, macs, params = get_model_profile(model, input_shape=(1, 3, 224, 224))

MACs are of matrix products, convolutions and attention, wherever they are called; FLOP are two for
each, and all other floating-point arithmetic.
"""

from __future__ import annotations

from .profiler import FlopsProfiler, get_model_profile

__all__ = ["FlopsProfiler", "get_model_profile"]
