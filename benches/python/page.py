"""Turns the results of a run of the benches into docs/benchmarks.md, and prints it."""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import date
from pathlib import Path

from budgets import Json, budgets


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def rust_table(rust: Json) -> str:
    rows = [(row["name"], f"{row['ns']:.1f}", f"{row['ratio']:.2f}") for row in rust["spans"]]
    return table(("a span in Rust", "ns", "of two clock reads"), rows)


def python_table(python: Json) -> str:
    rows = [
        (
            row["name"],
            f"{row['ns']:.0f}",
            f"{row['ratio']:.2f}",
            f"{row['interval'][0]:.2f} to {row['interval'][1]:.2f}",
        )
        for row in python["pairs"]
    ]
    return table(("a pair in Python", "ns", "of `with threading.Lock()`", "95 % interval"), rows)


def overhead_table(overhead: Json, what: str = "a training step with") -> str:
    rows = [
        (
            name,
            f"{row['step_us']:.0f}",
            f"{row['ratio']:.4f}",
            f"{row['interval'][0]:.4f} to {row['interval'][1]:.4f}",
        )
        for name, row in overhead["overhead"].items()
    ]
    return table((what, "µs without", "ratio", "95 % interval"), rows)


def device_table(on_device: list[Json]) -> str:
    rust, python = on_device
    rows = [
        ("a span in Rust", rust["host_ns"], rust["timed_ns"], rust["above_ns"]),
        ("`with lap` in Python", python["lap_ns"], python["timed_ns"], python["above_ns"]),
    ]
    told = [(name, *(f"{ns:.0f}" for ns in each)) for name, *each in rows]
    return table(("ns", "without", "with device time", "above the driver's calls"), told)


def operations_table(operations: Json) -> str:
    rows = [
        (
            name,
            *(f"{row[contender]:.2f}" for contender in ("bare", "peer", "ours")),
            f"{row['of_bare']:.2f}",
            f"{row['of_peer']:.2f}",
            f"{row['operations']:,}",
        )
        for name, row in operations["decoder"]["passes"].items()
    ]
    head = ("a pass", "bare, s", "FlopCounterMode, s", "`lt.count`, s")
    return table((*head, "of bare", "of FlopCounterMode", "operations"), rows)


def scans_table(scans: Json) -> str:
    rows = []
    for name, ways in scans["models"].items():
        seconds, bare = ways["counted"]["seconds"], ways["bare"]["seconds"]
        operations = f"{ways['counted']['operations']:,}"
        rows.append((name, f"{bare:.1f}", f"{seconds:.1f}", f"{seconds / bare:.2f}", operations))
    return table(("a scan", "bare, s", "`lt.count`, s", "of bare", "operations"), rows)


def run_table(default_run: Json) -> str:
    rows = [
        (
            program,
            name,
            f"{row['ratio']:.3f}",
            f"{row['interval'][0]:.3f} to {row['interval'][1]:.3f}",
            f"{row['own_share']:.2%}" if name == "laptime run" else "",
        )
        for program, contenders in default_run["default_run"].items()
        for name, row in contenders.items()
    ]
    head = ("a program", "watched by", "ratio", "95 % interval", "its own time, of a processor")
    return table(head, rows)


def calls_table(calls: Json) -> str:
    rows = [
        (
            program,
            f"{row['ratio']['cProfile']:.2f}",
            f"{row['ratio']['laptime']:.2f}",
            f"{row['over_cprofile']:.2f}",
            "differ" if row["counts_differ"] else f"equal, {row['functions']} functions",
        )
        for program, row in calls["calls"].items()
    ]
    return table(("a program", "below cProfile", "below `--calls`", "of cProfile", "counts"), rows)


def exports_table(export: Json) -> str:
    rows = [
        (row["name"], f"{row['per_s'] / 1e6:.2f}", f"{row['of_viztracer']:.2f}")
        for row in export["exports"]
    ]
    return table(("export", "millions of spans per second", "time, of viztracer's"), rows)


BENCHES = (
    "rust", "rust_device", "device", "spans", "overhead", "memory", "counting", "scans",
    "onnx_file", "default_run", "calls", "trainer", "export", "comparing", "first_line",
    "bench_loop",
)  # fmt: skip


def page(results: dict[str, Json]) -> str:
    rust, python, overhead, memory = (
        results[name] for name in ("rust", "spans", "overhead", "memory")
    )
    operations, scans, onnx_file = (results[name] for name in ("counting", "scans", "onnx_file"))
    calls, export, comparing, loop = (
        results[name] for name in ("calls", "export", "comparing", "bench_loop")
    )
    default_run, first_line = results["default_run"], results["first_line"]
    on_device = [results["rust_device"], results["device"]]
    decoder = operations["decoder"]
    above = ", ".join(f"{name} {us:.1f}" for name, us in operations["above_bare_us"].items())
    return f"""# What Laptime costs

Printed by `make bench` on {date.today():%Y-%m-%d}: {cpu_name()}, {os.cpu_count()} processors,
Linux {platform.release().split("-")[0]}, CPython {python["python"]}, torch {overhead["torch"]}.
Take the ratios: the contenders take turns in short blocks of one run, so that they hold on a
machine whose speed drifts. Nanoseconds are medians and differ from machine to machine.

## Budgets

{table(("budget", "measured", "goal", ""), [one.row() for one in budgets(results)])}
## A span in Rust

Two bare reads of the clock that is used ({rust["clock"]}) are the floor. {rust["rounds"]} rounds of
{rust["block"]} spans; peers record the way their users do, without a connected viewer.

{rust_table(rust)}
## A lap in Python

{python["rounds"]} rounds; the cost of the empty loop is taken off. torchtimer runs against a
`torch.cuda` whose calls return at once: its Python part alone. The two rows that count memory have
rounds of their own, since every lap counts it then.

{python_table(python)}
## A lap on a device

On a driver that does nothing, that of the tests: what a lap takes with device time, less a lap
without it and the {on_device[0]["calls_ns"]:.0f} ns of that driver's calls alone. A real one's take
longer. The fastest of seven runs each.

{device_table(on_device)}
## A whole training step

{overhead["rounds"]} rounds of {overhead["steps"]} steps with and without, in turns, one thread.
Where functions are watched, {overhead["settling"]} more steps run after each switch that are not
measured: the interpreter gets used to them, which a program does once.

{overhead_table(overhead)}
## Counting memory

What `--memory` adds, and tracemalloc beside it: {memory["turns"]} rounds of {memory["steps"]}
training steps with and without, each time after {memory["settling"]} that are not measured. The
program that allocates makes text, numbers, dictionaries and buffers and does little else.

{overhead_table(memory, "with")}
## Counting PyTorch

A decoder of {decoder["params"] / 1e9:.1f} G parameters at sequence {decoder["length"]}, without
its weights: {decoder["rounds"]} rounds in turns after a pass that warms up. Bare is the same pass
on fake tensors, uncounted. Memory is taken after a count forward and one with backward.

{operations_table(operations)}
Above the bare call, µs an operation on small real tensors: {above}.

Sequential scans of {scans["length"]} tokens, without weights: one pass each, in processes of their
own. What an operator makes of sizes that it met before is not asked for again.

{scans_table(scans)}
## Counting an ONNX file

{onnx_file["name"]}, {onnx_file["bytes"] / 1024:.0f} KiB, from `lt.count(path)` to the counts: the
first time {onnx_file["first_ms"]:.1f} ms, the median of {onnx_file["rounds"]} times
{onnx_file["median_ms"]:.1f} ms.

## A program below `laptime run`

As it is without an option: functions are sampled, and a training has its automatic phases. Blocks
of a second with and without take turns in one process; a ratio is the median of those of
{default_run["pairs"]} pairs of neighbours. Each tool looks as often as it does by default.

{run_table(default_run)}
## Counting calls

Programs that do little but call, on CPython {python["python"]}: times of the bare program, the
fastest of several runs of a process, and whether each function has the counts of cProfile.

{calls_table(calls)}
## Exporting

A recording of {export["spans"]:,} spans to a file, CPU time, the summary that comes first included;
beside it viztracer's saving of {export["events"]:,} events.

{exports_table(export)}
## Comparing

Two recordings of {comparing["spans"]:,} spans each, medians of {comparing["rounds"]}: `laptime
compare` takes {comparing["compare_s"]:.2f} s from start to end, and `laptime report` of one of them
{comparing["report_s"]:.2f} s.

Of a million spans and 100,000 samples of functions, {first_line["bytes"] / 1e6:.0f} MB,
`laptime report` prints the first line after {first_line["first_line_s"]:.2f} s and the last one
after {first_line["report_s"]:.2f} s.

An iteration of `lt.bench` of a function that does nothing takes {loop["bench_ns"]:.1f} ns, one of
`timeit` {loop["timeit_ns"]:.1f} ns, in turns in one process.
"""


def main() -> None:
    results, output = map(Path, sys.argv[1:])
    text = page({name: json.loads((results / f"{name}.json").read_text()) for name in BENCHES})
    output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
