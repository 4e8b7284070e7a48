"""What an iteration of `lt.bench` costs beside one of `timeit`, for a function that does nothing.

Both are measured in turns in one process. Prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import timeit

import laptime as lt
from laptime._core import now
from laptime.benchmarks._loop import Measured

#: Iterations of a sample, and samples of each kind.
ITERATIONS, ROUNDS = 200_000, 50


def nothing() -> None:
    return None


def main() -> None:
    timer = timeit.Timer("f()", globals={"f": nothing})
    measured = Measured(nothing)
    of_bench: list[float] = []
    of_timeit: list[float] = []
    per_tick = _seconds_per_tick()
    for _ in range(ROUNDS):
        ticks, _cpu_ns = measured.run(ITERATIONS)
        of_bench.append(ticks * per_tick / ITERATIONS * 1e9)
        of_timeit.append(timer.timeit(ITERATIONS) / ITERATIONS * 1e9)
    bench_ns, timeit_ns = statistics.median(of_bench), statistics.median(of_timeit)
    ratio = statistics.median(a / b for a, b in zip(of_bench, of_timeit, strict=True))
    print(
        json.dumps(
            {
                "bench_ns": round(bench_ns, 2),
                "timeit_ns": round(timeit_ns, 2),
                "ratio": round(ratio, 3),
                "laptime": lt.__version__,
            }
        )
    )


def _seconds_per_tick() -> float:
    """The rate of Laptime's clock, by a tenth of a second of timeit's."""
    start, ticks = timeit.default_timer(), now()
    while (passed := timeit.default_timer() - start) < 0.1:
        pass
    return passed / (now() - ticks)


if __name__ == "__main__":
    main()
