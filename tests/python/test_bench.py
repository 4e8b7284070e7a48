"""`lt.bench`: what it measures, and the functions that it must not fall over."""

from __future__ import annotations

import functools
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime.benchmarks import _saved
from laptime.benchmarks._contest import compare_saved

QUICK = lt.bench.options(budget=0.05)


def nothing() -> None:
    return None


def test_figures_of_a_function_are_of_one_iteration(clock: Any) -> None:
    calls = 0

    def works() -> None:
        """Takes a microsecond, and one percent more or less."""
        nonlocal calls
        calls += 1
        clock.work(1e-6 * (1 + 1e-2 * (calls % 3 - 1)))

    found = lt.bench.options(budget=0.01)(works)
    # In each sample the clock is read once, which takes as long.
    assert found.median_ns == pytest.approx(1e3 + 1e3 / found.iterations, rel=0.02)
    assert found.ci is not None
    low, high = found.ci
    assert 0 < low <= found.median_ns <= high
    assert found.iterations > 1
    assert found.samples
    assert found.p99_ns is None
    assert "runs together" in (found.why("p99_ns") or "")


def test_all_arguments_are_the_functions_own() -> None:
    seen: list[tuple[Any, Any]] = []

    def asked(*args: Any, **kwargs: Any) -> None:
        seen.append((args, kwargs))

    lt.bench.options(budget=0.001)(asked, 1, budget=2, device="cpu", fn=3, **{"not a name": 4})
    assert seen[0] == ((1,), {"budget": 2, "device": "cpu", "fn": 3, "not a name": 4})
    seen.clear()
    lt.bench.options(budget=0.001)(asked, 1, 2, budget=3, args=4, kwargs=5, now=6)
    assert seen[0] == ((1, 2), {"budget": 3, "args": 4, "kwargs": 5, "now": 6})


def test_single_iterations_have_a_percentile(clock: Any) -> None:
    waits = iter(0.001 + 1e-6 * (call % 101) for call in range(10**6))
    found = lt.bench.options(budget=1.0, precision=0.0)(lambda: clock.wait(next(waits)))
    assert found.iterations == 1
    assert found.p99_ns is not None
    assert found.p99_ns >= found.median_ns
    assert found.why("p99_ns") is None
    assert any("waited" in said for said in found.warnings)


def test_what_raises_in_iteration_700_is_raised_with_its_number() -> None:
    calls = 0

    def raises() -> None:
        nonlocal calls
        calls += 1
        if calls == 700:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken") as caught:
        QUICK(raises)
    notes = getattr(caught.value, "__notes__", ["Raised in iteration 700 of a benchmark."])
    assert notes == ["Raised in iteration 700 of a benchmark."]


def test_a_first_iteration_that_raises_is_the_first() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        QUICK(lambda: 1 // 0)
    notes = getattr(caught.value, "__notes__", ["Raised in iteration 1 of a benchmark."])
    assert notes == ["Raised in iteration 1 of a benchmark."]


def test_a_function_longer_than_the_budget_runs_once_and_has_no_interval(clock: Any) -> None:
    calls: list[None] = []

    def long() -> None:
        calls.append(None)
        clock.work(0.02)

    found = lt.bench.options(budget=0.01)(long)
    assert len(calls) == len(found.samples) == 1
    assert found.ci is None
    assert found.why("ci")
    assert found.ending == "budget"
    assert any("budget" in said for said in found.warnings)


def test_the_shortest_function_has_a_time() -> None:
    assert QUICK(nothing).median_ns > 0


def test_work_that_is_not_done_is_said() -> None:
    found = QUICK(lambda: (item for item in range(3)))
    assert any("generator" in said for said in found.warnings)


def test_an_asynchronous_function_is_refused_with_what_works() -> None:
    async def waits() -> None: ...

    with pytest.raises(TypeError, match=r"asyncio\.run"):
        lt.bench(waits)
    with pytest.raises(TypeError, match="something to call"):
        lt.bench(3)  # type: ignore[arg-type]


def test_rates_are_told_of_work_that_is_told() -> None:
    found = lt.bench.options(budget=0.05, items=64)(nothing)
    assert found.items_per_s == pytest.approx(64e9 / found.median_ns)
    assert "items/s" in str(found)
    assert found.bytes_per_s is None
    assert found.why("bytes_per_s") == "bytes of an iteration was not told"
    endless = {"items": float("inf")}
    for wrong in (endless, {"items": 0}, {"budget": 0}, {"budget": float("nan")}, {"precision": 2}):
        with pytest.raises(ValueError, match="not"):
            lt.bench.options(**wrong)


def test_a_name_that_is_told_stands_for_the_function_s() -> None:
    found = lt.bench.options(budget=0.01, name="a\x1b[31mRED\nnew")(nothing)
    assert found.name == "a\x1b[31mRED\nnew"
    assert json.loads(found.to_json())["benchmarks"][0]["name"] == found.name
    # It is shown on one line without escapes.
    for shown in (str(found), repr(found)):
        assert "a\\u{1b}[31mRED\\nnew: " in shown
        assert "\x1b" not in shown
    assert QUICK(nothing).name == "nothing"
    assert QUICK(functools.partial(sorted, [1])).name == "sorted"
    for wrong in ("", 3):
        with pytest.raises(ValueError, match="name of a benchmark"):
            lt.bench.options(name=wrong)  # type: ignore[arg-type]


def test_a_forked_child_that_returns_from_the_function_ends_quietly() -> None:
    script = """
import os, sys
import laptime as lt
def forks():
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
lt.bench.options(budget=0.05)(forks)
lt.compare({"a": forks, "b": forks}, budget=0.2)
print("here")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "here\n", "")


def test_memory_of_an_iteration_is_counted_after_the_timed_ones() -> None:
    def allocates() -> None:
        block = bytearray(1 << 20)
        block = bytearray(3 << 20)
        del block

    found = lt.bench.options(budget=0.05, memory=True)(allocates)
    # Both are there for a moment, and nothing stays.
    assert found.host_memory_peak_bytes == pytest.approx(4 << 20, rel=0.01)
    assert found.host_memory_net_bytes == pytest.approx(0, abs=1024)
    assert "peak 4.00 MiB on the host" in str(found)
    assert found.why("host_memory_net_bytes") is None
    if found.device_memory_peak_bytes is None:
        assert found.why("device_memory_peak_bytes")


def test_memory_that_stays_is_net() -> None:
    kept: list[bytearray] = []
    found = lt.bench.options(budget=0.02, memory=True)(lambda: kept.append(bytearray(1 << 20)))
    assert found.host_memory_net_bytes == pytest.approx(1 << 20, rel=0.02)


def test_memory_that_was_not_asked_for_is_absent_and_says_so() -> None:
    found = QUICK(nothing)
    assert found.host_memory_peak_bytes is None
    assert "options(memory=True)" in (found.why("host_memory_peak_bytes") or "")
    assert "options(memory=True)" in (found.why("device_memory_net_bytes") or "")
    with pytest.raises(ValueError, match="expected p99_ns"):
        found.why("host_memory_bytes")


def test_results_are_freed_and_the_collector_is_left_alone() -> None:
    alive = 0

    class Counted:
        def __init__(self) -> None:
            nonlocal alive
            alive += 1
            assert alive <= 1

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    QUICK(Counted)
    assert alive == 0


def test_arrays_of_jax_are_waited_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    jax = pytest.importorskip("jax")
    waited = 0
    block = jax.block_until_ready

    def counted(value: Any) -> Any:
        nonlocal waited
        waited += 1
        return block(value)

    monkeypatch.setattr(jax, "block_until_ready", counted)
    array = jax.numpy.ones(8)
    calls = 0

    def adds() -> Any:
        nonlocal calls
        calls += 1
        return array + 1

    QUICK(adds)
    assert waited == calls


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    found = QUICK(nothing)
    found.save(tmp_path / "kept.json")
    assert _saved.read(tmp_path / "kept.json") == {"nothing": found.samples}
    told = json.loads(found.to_json())
    assert told["schema"] == "laptime-benchmark"
    machine = told["benchmarks"][0]["machine"]
    assert machine["processor"]
    assert machine["cores"] == len(os.sched_getaffinity(0))
    assert machine["system"].startswith(platform.system())
    assert machine["python"] == platform.python_version()
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]


def test_a_file_keeps_the_machine_of_each_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    elsewhere = {"processor": "abacus", "cores": 1, "system": "Babel", "python": "1.0"}
    _saved.write(path, [{"name": "old", "samples_ns": [1.0], "machine": elsewhere}])
    _saved.merge(path, [_saved.benchmark_of(QUICK(nothing))])
    machines = {one["name"]: one["machine"] for one in _saved.own(path)}
    assert machines == {"old": elsewhere, "nothing": _saved.machine()}


def test_files_are_judged_against_each_other(tmp_path: Path) -> None:
    def kept(name: str, ns: float) -> Path:
        samples = [ns * (1 + 0.001 * (index % 7)) for index in range(40)]
        path = tmp_path / name
        _saved.write(path, [{"name": "step", "samples_ns": samples}])
        return path

    base = kept("base.json", 1e6)
    judged = compare_saved(base, kept("new.json", 2e6))["step"]
    assert judged.verdict == "slower"
    assert judged.sentence.startswith("step takes ") or "slower" in judged.sentence
    assert compare_saved(base, kept("same.json", 1e6))["step"].verdict == "same"


def test_a_file_that_has_no_benchmarks_says_so(tmp_path: Path) -> None:
    for text, message in (("{", "no JSON"), ("[]", "no benchmarks"), ("{}", "no benchmarks")):
        (tmp_path / "odd.json").write_text(text)
        with pytest.raises(ValueError, match=message):
            _saved.read(tmp_path / "odd.json")


def test_notebooks_show_the_text() -> None:
    found = QUICK(nothing)
    assert found._repr_mimebundle_() == {"text/plain": str(found)}
    assert found._repr_mimebundle_(exclude=["text/plain"]) == {}


def test_a_result_that_refuses_to_say_what_it_is_is_measured_as_any_other() -> None:
    pytest.importorskip("jax")

    class Unbound:
        @property
        def __class__(self) -> type:
            raise RuntimeError("bound to nothing")

    assert QUICK(lambda: Unbound()).samples


def test_what_was_saved_is_compared(clock: Any, tmp_path: Path) -> None:
    for name, seconds in (("before", 1e-3), ("after", 2e-3)):
        calls = iter(range(10**9))
        lt.bench.options(budget=0.2, name="sorted")(
            lambda s=seconds, n=calls: clock.work(s * (1 + 1e-3 * (next(n) % 7)))
        ).save(tmp_path / f"{name}.json")
    found = lt.compare(tmp_path / "before.json", tmp_path / "after.json")
    assert found.verdict == "slower"
    assert [row.path for row in found.rows] == ["sorted"]
    assert "sorted takes" in found.headline
