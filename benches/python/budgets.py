"""What Laptime may cost, and whether a run of the benches met it.

A figure with an interval meets its budget if all of the interval does, and misses it if none of it
does; else the run can't tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Budget:
    """A figure and the most that it may be."""

    name: str
    value: float
    most: float
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, name: str, row: Json, most: float) -> Budget:
        """A ratio with the interval of its bootstrap."""
        low, high = row["interval"]
        return cls(name, row["ratio"], most, (low, high))

    def verdict(self) -> str:
        low, high = self.interval or (self.value, self.value)
        if high <= self.most:
            return "met"
        return "missed" if low > self.most else "can't tell"

    def row(self) -> tuple[str, ...]:
        told = f"{self.value:.3f}"
        if self.interval is not None:
            told += f" ({self.interval[0]:.3f} to {self.interval[1]:.3f})"
        return self.name, told, f"≤ {self.most:g}", self.verdict()


def budgets(results: dict[str, Json]) -> list[Budget]:
    """All budgets, from the results by the name of their bench."""
    return [*spans(results), *steps(results), *counting(results), *programs(results)]


def spans(results: dict[str, Json]) -> Iterator[Budget]:
    """Of a span in Rust and a pair in Python."""
    rust, python = results["rust"], results["spans"]
    spans = {row["name"]: row for row in rust["spans"]}
    pairs = {row["name"]: row for row in python["pairs"]}
    recorded = spans["laptime, to a recording"]
    yield Budget("Rust span to a recording, of two clock reads", recorded["ratio"], 1.3)
    yield Budget("the same, of fastrace", recorded["ns"] / spans["fastrace"]["ns"], 1.0)
    yield Budget("Rust span, off, ns", spans["laptime, off"]["ns"], 1.0)
    yield Budget("bytes a span on disk", rust["bytes_per_span"], 8.0)
    name = "CPU to read and aggregate a span, of decoding its integers"
    yield Budget(name, rust["read_ratio"], 2.0)
    yield Budget.of("`with lap`, of `with Lock`", pairs["laptime: with lap"], 0.6)
    yield Budget.of("`with lap`, off", pairs["laptime: with lap, off"], 0.3)
    yield Budget.of("Timer start/stop", pairs["laptime: Timer start/stop"], 1.0)
    without_ns = pairs["laptime: ProfilingTimer start/stop, memory off"]["ns"]
    of_timer = without_ns / pairs["laptime: Timer start/stop"]["ns"]
    yield Budget("ProfilingTimer start/stop without memory, of Timer start/stop", of_timer, 2.0)
    with_ns = pairs["laptime: ProfilingTimer start/stop, memory on"]["ns"]
    yield Budget("ProfilingTimer start/stop with memory, µs", with_ns / 1e3, 5.0)
    line_ns = pairs["laptime: track_time, its line to /dev/null"]["ns"]
    yield Budget("track_time with its line, µs", line_ns / 1e3, 50.0)
    yield Budget.of("decorator", pairs["laptime: decorator, its share of the call"], 1.2)
    above = "above the driver's calls, ns"
    yield Budget(f"Rust span with device time, {above}", results["rust_device"]["above_ns"], 300)
    yield Budget("the same of a lap in Python, ns", results["device"]["above_ns"], 600)


def steps(results: dict[str, Json]) -> Iterator[Budget]:
    """Of a training step."""
    steps = results["overhead"]["overhead"] | results["memory"]["overhead"]
    yield Budget.of("4 laps a step", steps["4 laps a step, MLP 784-128-10"], 1.005)
    yield Budget.of("automatic phases", steps["automatic phases, MLP 784-128-10"], 1.02)
    memory = "memory, 4 laps a step"
    yield Budget.of(memory, steps[f"{memory}, MLP 784-128-10"], 1.03)
    allocates = "memory, a program that allocates"
    yield Budget.of(allocates, steps[allocates], 1.1)
    yield Budget.of("module times", steps["--modules, 75 modules"], 1.08)
    for name, row in results["trainer"].items():
        yield Budget.of(name, row, 1.01)


def counting(results: dict[str, Json]) -> Iterator[Budget]:
    """Of counting operations."""
    operations = results["counting"]
    decoder = operations["decoder"]
    above_us = operations["above_bare_us"]["laptime: lt.count"]
    yield Budget("`lt.count`, an operation above the bare call, µs", above_us, 40.0)
    resident = decoder["counted_bytes"] / decoder["imported_bytes"]
    large = "`lt.count` of 70 G parameters"
    yield Budget(f"{large}, resident memory, of the imports'", resident, 1.1)
    for name, row in decoder["passes"].items():
        yield Budget(f"{large}, {name}, of bare", row["of_bare"], 1.5)
        yield Budget(f"the same, {name}, of FlopCounterMode", row["of_peer"], 0.9)
    for name, ways in results["scans"]["models"].items():
        yield Budget(f"`lt.count` of {name}, s", ways["counted"]["seconds"], 15.0)
    yield Budget("counting an ONNX file, ms", results["onnx_file"]["first_ms"], 50.0)


def programs(results: dict[str, Json]) -> Iterator[Budget]:
    """Of whole programs, and of reading what they recorded."""
    for program, contenders in results["default_run"]["default_run"].items():
        ours = contenders["laptime run"]
        yield Budget.of(f"`laptime run`, {program}", ours, 1.02)
        name = f"its own processor time, {program}, of a processor"
        yield Budget(name, ours["own_share"], 0.01)
    for program, row in results["calls"]["calls"].items():
        yield Budget(f"`--calls`, {program}, of cProfile", row["over_cprofile"], 1.0)
    exports = results["export"]["exports"]
    slowest = max(row["ns"] for row in exports if row["name"] != "viztracer")
    yield Budget("the slowest export, µs a span", slowest / 1e3, 1.25)
    compared = results["comparing"]["compare_s"]
    yield Budget("comparing two recordings of a million spans, s", compared, 2.0)
    first_line = "first line of a report of a million spans and 100,000 samples, s"
    yield Budget(first_line, results["first_line"]["first_line_s"], 0.15)
    yield Budget("an iteration of `lt.bench`, of `timeit`'s", results["bench_loop"]["ratio"], 1.1)
