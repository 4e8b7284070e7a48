"""Benchmarks as JSON files: what `save` writes, and what pytest-benchmark does.

{"schema": "laptime-benchmark", "version": 1,
 "benchmarks": [{"name": …, "samples_ns": […], "iterations": …, "warmup": …, "machine": {…}}]}
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .._core import machine as _machine, write_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from .._core import BenchmarkOutcome, InferenceCase
    from ._bench import Benchmark

SCHEMA = "laptime-benchmark"
VERSION = 1


def benchmark_of(found: Benchmark) -> dict[str, Any]:
    """A benchmark as an object of JSON. Memory stands in it where it was counted."""
    names = [
        f"{where}_memory_{which}_bytes" for where in ("host", "device") for which in ("net", "peak")
    ]
    counted = {name: getattr(found, name) for name in names}
    return {
        **outcome_of(found.name, found),
        "ending": found.ending,
        "warnings": found.warnings,
        **{name: number for name, number in counted.items() if number is not None},
    }


def outcome_of(name: str, outcome: BenchmarkOutcome | Benchmark) -> dict[str, Any]:
    """What all that was measured by itself has, such as a contender of a contest."""
    return {
        "name": name,
        "median_ns": outcome.median_ns,
        "ci_ns": outcome.ci,
        "iterations": outcome.iterations,
        "warmup": outcome.warmup,
        "machine": machine(),
        "samples_ns": outcome.samples,
    }


def case_of(name: str, case: InferenceCase) -> dict[str, Any]:
    """A model's calls with batches of one size: a sample is a call on the whole batch."""
    return {
        "name": f"{name} batch {case.batch} {case.device}",
        "median_ns": case.p50_ns,
        "ci_ns": case.p50_ci,
        "iterations": 1,
        "warmup": case.warmup,
        "warnings": case.warnings,
        "machine": machine(),
        "samples_ns": case.samples,
    }


@cache
def machine() -> dict[str, Any]:
    """What a benchmark ran on. It stands in each: a file may hold those of several machines."""
    import platform

    processor, cores = _machine()
    return {
        "processor": processor,
        "cores": cores,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def plain(
    benchmarks: list[dict[str, Any]], verdicts: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A file's content. Verdicts are on those that took turns."""
    told: dict[str, Any] = {"schema": SCHEMA, "version": VERSION, "benchmarks": benchmarks}
    return told if verdicts is None else {**told, "verdicts": verdicts}


def write(
    path: str | PathLike[str],
    benchmarks: list[dict[str, Any]],
    verdicts: list[dict[str, Any]] | None = None,
) -> None:
    """Replaces a file at once: whoever reads it meanwhile finds the old one or the new one."""
    write_output(path, json.dumps(plain(benchmarks, verdicts), indent=1))


def merge(path: str | PathLike[str], benchmarks: list[dict[str, Any]]) -> None:
    """Puts benchmarks into a file, in the place of those of the same name; the others stay.

    Processes that do so at the same time wait for each other, so none undoes what another wrote.
    """
    to = Path(path)
    with _locked(to):
        kept = {one["name"]: one for one in own(to)} if to.exists() else {}
        kept.update((one["name"], one) for one in benchmarks)
        write(to, list(kept.values()))


def own(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The benchmarks of a file that Laptime wrote, whole; ValueError says what is wrong with it."""
    found, listed = _loaded(path)
    if found.get("schema") != SCHEMA:
        raise ValueError(f"{os.fspath(path)} was not written by Laptime")
    _by_name(path, listed)
    return listed


def read(path: str | PathLike[str]) -> dict[str, list[float]]:
    """The samples of each benchmark in a file, in nanoseconds, by its name."""
    _found, listed = _loaded(path)
    return {name: values for name, values in _by_name(path, listed).items() if values}


@contextmanager
def _locked(to: Path) -> Iterator[None]:
    """Holds the lock on a file, which is a file beside it while it is held."""
    import fcntl

    beside = to.with_name(f".{to.name}.lock")
    while True:
        descriptor = os.open(beside, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, beside):
                break
        except BaseException:
            os.close(descriptor)
            raise
        # Whoever held it has removed it since: a lock on a removed file keeps nobody out.
        os.close(descriptor)
    try:
        yield
    finally:
        beside.unlink(missing_ok=True)
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file still has this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _loaded(path: str | PathLike[str]) -> tuple[dict[str, Any], list[Any]]:
    """A file's content, and the list of benchmarks in it."""
    with open(path, encoding="utf-8") as file:
        try:
            found = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{os.fspath(path)} is no JSON: {error}") from None
    listed = found.get("benchmarks") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ValueError(f"{os.fspath(path)} has no benchmarks")
    if found.get("schema") == SCHEMA and found.get("version") != VERSION:
        message = f"{os.fspath(path)} is of version {found.get('version')}, not {VERSION}"
        raise ValueError(f"{message}: a newer Laptime reads it")
    return found, cast("list[Any]", listed)


def _by_name(path: str | PathLike[str], listed: list[Any]) -> dict[str, list[float]]:
    """The samples of each benchmark; ValueError names the file and the one that is damaged."""
    samples: dict[str, list[float]] = {}
    for number, one in enumerate(listed, 1):
        try:
            name, values = _samples(one)
        except ValueError as error:
            raise ValueError(
                f"{os.fspath(path)} is damaged: benchmark {number} of {len(listed)} {error}"
            ) from None
        samples[name] = values
    return samples


def _samples(one: Any) -> tuple[str, list[float]]:
    """Of Laptime's own, or of pytest-benchmark's, which has rounds in seconds."""
    if not isinstance(one, dict):
        raise ValueError(f"should be an object, and is {_kind(one)}")
    found = cast("dict[str, Any]", one)
    if "samples_ns" in found:
        return _name(found.get("name")), _numbers("samples_ns", found["samples_ns"], 1.0)
    stats = found.get("stats")
    if not isinstance(stats, dict):
        raise ValueError("has neither samples_ns nor stats")
    rounds: Any = stats.get("data") or []
    if not rounds and "median" in stats:
        # Without --benchmark-save-data there is only this.
        rounds = [stats["median"]]
    name = found.get("fullname") or found.get("name")
    return _name(name), _numbers("stats", rounds, 1e9)


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"should have a name that is text, and has {_kind(name)}")
    return name


def _numbers(where: str, values: Any, ns: float) -> list[float]:
    """Durations in nanoseconds, of a unit of so many."""
    if not isinstance(values, list):
        raise ValueError(f"should have a list of numbers in {where}, and has {_kind(values)}")
    for value in cast("list[Any]", values):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"should have only numbers in {where}, and has {_kind(value)}")
    try:
        return [float(value) * ns for value in cast("list[float]", values)]
    except OverflowError:
        raise ValueError(f"has a number in {where} that is too large") from None


def _kind(value: Any) -> str:
    """What a value is called in JSON."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
