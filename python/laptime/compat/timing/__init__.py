"""The timing helpers people write by hand, ready made: change the import and nothing else.

    from laptime.timing import track_time, print_timing_summary

    timers = {}
    model = track_time(timers, "MLP training", train, data, epochs=20)
    print_timing_summary(timers, "Section 1.1")

Every `track_*` call and every phase is also a span of the recording. Times are seconds of host
time; MB are 2**20 bytes.
"""

from .convergence import ConvergenceMetrics, calculate_convergence_metrics
from .export import export_timing_csv, export_timing_json
from .inference import InferenceResult, benchmark_inference, print_inference_benchmark
from .output import quiet
from .phases import DetailedTimer
from .speedup import calculate_speedup_ratios, print_speedup_analysis
from .summary import print_timing_summary
from .track import (
    enable_memory_tracking,
    get_gpu_memory_usage,
    track_time,
    track_time_and_gpu,
    track_time_and_memory,
)
from .warmup import WarmupStats, print_warmup_analysis, track_warmup_timing

__all__ = [
    "ConvergenceMetrics",
    "DetailedTimer",
    "InferenceResult",
    "WarmupStats",
    "benchmark_inference",
    "calculate_convergence_metrics",
    "calculate_speedup_ratios",
    "enable_memory_tracking",
    "export_timing_csv",
    "export_timing_json",
    "get_gpu_memory_usage",
    "print_inference_benchmark",
    "print_speedup_analysis",
    "print_timing_summary",
    "print_warmup_analysis",
    "quiet",
    "track_time",
    "track_time_and_gpu",
    "track_time_and_memory",
    "track_warmup_timing",
]
