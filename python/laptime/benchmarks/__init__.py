"""Is it faster? `lt.bench` on one function, `compare_functions` on several that take turns,
`lt.bench_inference` on a model for batches of several sizes.

Plan, statistics and words are native. Here is what only Python can do: call the functions, and wait
for the work that they leave to a device.
"""

from ._bench import Benchmark, bench
from ._contest import FunctionComparison, compare_functions
from ._inference import InferenceBenchmark, bench_inference

__all__ = [
    "Benchmark",
    "FunctionComparison",
    "InferenceBenchmark",
    "bench",
    "bench_inference",
    "compare_functions",
]
