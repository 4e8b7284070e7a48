"""Benchmarks as JSON files: what `Benchmark.save` writes, and what pytest-benchmark does.

{"schema": "laptime-benchmark", "version": 1,
 "benchmarks": [{"name": …, "samples_ns": […], "iterations": …, "warmup": …}]}
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from os import PathLike

    from ._bench import Benchmark

SCHEMA = "laptime-benchmark"
VERSION = 1


def benchmark_of(found: Benchmark) -> dict[str, Any]:
    """A benchmark as an object of JSON."""
    return {
        "name": found.name,
        "median_ns": found.median_ns,
        "ci_ns": found.ci,
        "iterations": found.iterations,
        "warmup": found.warmup,
        "ending": found.ending,
        "warnings": found.warnings,
        "samples_ns": found.samples,
    }


def plain(benchmarks: list[dict[str, Any]]) -> dict[str, Any]:
    """A file's content."""
    return {"schema": SCHEMA, "version": VERSION, "benchmarks": benchmarks}


def write(path: str | PathLike[str], benchmarks: list[dict[str, Any]]) -> None:
    """Replaces a file at once: whoever reads it meanwhile finds the old one or the new one."""
    to = Path(path)
    descriptor, name = tempfile.mkstemp(dir=to.parent, prefix=f".{to.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(plain(benchmarks), file, indent=1)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(to)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: str | PathLike[str]) -> dict[str, list[float]]:
    """The samples of each benchmark in a file, in nanoseconds, by its name."""
    with open(path, encoding="utf-8") as file:
        try:
            found = json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} is no JSON: {error}") from None
    listed = found.get("benchmarks") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ValueError(f"{os.fspath(path)} has no benchmarks")
    if found.get("schema") == SCHEMA and found.get("version") != VERSION:
        message = f"{os.fspath(path)} is of version {found.get('version')}, not {VERSION}"
        raise ValueError(f"{message}: a newer Laptime reads it")
    samples = dict(_samples(one) for one in cast("list[Any]", listed))
    return {name: values for name, values in samples.items() if values}


def _samples(one: Any) -> tuple[str, list[float]]:
    """Of Laptime's own, or of pytest-benchmark's, which has rounds in seconds."""
    if "samples_ns" in one:
        return str(one["name"]), [float(ns) for ns in one["samples_ns"]]
    stats = one.get("stats", {})
    rounds: list[float] = stats.get("data") or []
    if not rounds and "median" in stats:
        # Without --benchmark-save-data there is only this.
        rounds = [stats["median"]]
    return str(one.get("fullname") or one["name"]), [float(seconds) * 1e9 for seconds in rounds]
