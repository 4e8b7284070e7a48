"""Functions whose calls are counted: what cProfile counts, joined to laps."""

from __future__ import annotations

import asyncio
import cProfile
import csv
import gc
import json
import os
import pstats
import re
import subprocess
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

import laptime as lt
from laptime._core import recorded_file

pytestmark = pytest.mark.interpreter

HAS_MONITORING = sys.version_info >= (3, 12)
Key = tuple[str, int, str]
# Calls, primitive calls, and both by caller.
Counted = tuple[int, int, dict[Key, tuple[int, int]]]


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n: int) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: int) -> bool:
    return n != 0 and even(n - 1)


def up_to(n: int) -> Generator[int, None, None]:
    for number in range(n):
        doubled = 2 * number
        yield doubled // 2


def recursions() -> None:
    fib(12)
    even(9)


def generators() -> None:
    assert sum(up_to(7)) == 21
    abandoned = up_to(5)
    next(abandoned)
    next(abandoned)
    del abandoned
    thrown = up_to(3)
    next(thrown)
    with Raises(KeyError):
        thrown.throw(KeyError())
    assert all(number < 4 for number in up_to(4))


class Raises:
    """`pytest.raises` without pytest's own calls."""

    def __init__(self, kind: type[BaseException]) -> None:
        self.kind = kind

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self.kind)


def builtins() -> None:
    words = f"{__name__},b,a,c".split(",")
    words.sort(key=lambda word: word.upper())
    sorted(words, key=len)
    words.append(str(max(1, 2)))
    "-".join(words)
    isinstance(words, list)
    {"a": 1}.get("a")
    list(map(fib, range(5)))


def fails() -> int:
    raise ValueError("inner")


def exceptions() -> None:
    for _ in range(3):
        try:
            fails()
        except ValueError:
            pass
        try:
            int("x")
        except ValueError:
            pass
        try:
            # An exception that passes through C.
            sorted([1, 2], key=lambda _: fails())
        except ValueError:
            pass


def by_cprofile(program: Callable[[], object]) -> dict[Key, Counted]:
    profile = cProfile.Profile()
    profile.enable()
    program()
    profile.disable()
    profile.create_stats()
    return told(profile.stats)


def by_laptime(program: Callable[[], object], path: Path) -> dict[Key, Counted]:
    with lt.record(path, calls=True) as recording:
        program()
    return exported(recording.path)


def exported(recording: Path) -> dict[Key, Counted]:
    file = recording.with_suffix(".prof")
    lt.open(recording).export(file)
    return told(pstats.Stats(str(file)).stats)  # type: ignore[attr-defined]


def told(stats: Mapping[Key, tuple[int, int, float, float, Any]]) -> dict[Key, Counted]:
    """Without the functions of the profiler itself, and with files as recordings name them."""

    def plain(key: Key) -> Key:
        return (recorded_file(key[0]), *key[1:])

    return {
        plain(key): (calls, primitive, {plain(name): its[:2] for name, its in callers.items()})
        for key, (primitive, calls, _, _, callers) in stats.items()
        if not any(own in key[2] for own in ("_lsprof", "sys.monitoring", "<laptime>"))
    }


def exact(path: Path) -> dict[str, Any]:
    counted: dict[str, Any] = json.loads(lt.open(path).report().to_json())["functions"]["exact"]
    return counted


def named(path: Path, lap: Mapping[str, Any]) -> dict[str, int]:
    """Calls of one lap by the names of functions."""
    functions = exact(path)["functions"]
    return {functions[one["function"]]["name"]: one["call_count"] for one in lap["functions"]}


def in_lap(path: Path, name: str) -> dict[str, int]:
    """Calls by function of one lap."""
    lap = next(lap for lap in exact(path)["laps"] if lap["path"] == name)
    return named(path, lap)


@pytest.mark.parametrize("program", [recursions, generators, builtins, exceptions])
def test_counts_are_those_of_cprofile(program: Callable[[], object], tmp_path: Path) -> None:
    program()
    expected = by_cprofile(program)
    assert by_laptime(program, tmp_path / "r.lap") == expected


def test_own_times_add_up_and_totals_hold_what_is_called(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", calls=True) as recording:
        recursions()
    functions = {one["name"]: one for one in exact(recording.path)["functions"]}
    assert functions["recursions"]["total_ns"] >= functions["fib"]["total_ns"]
    own = sum(one["self_ns"] for one in functions.values())
    assert abs(own - functions["recursions"]["total_ns"]) <= 0.05 * own
    assert functions["fib"]["call_count"] == 465
    assert functions["fib"]["primitive_count"] == 1
    assert functions["fib"]["line"] == fib.__code__.co_firstlineno


def test_calls_are_joined_to_the_innermost_lap(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", calls=True) as recording:
        fib(1)
        with lt.lap("step"):
            fib(2)
            with lt.lap("inner"):
                even(1)
    assert in_lap(recording.path, "no lap open")["fib"] == 1
    assert in_lap(recording.path, "step")["fib"] == 3
    assert "fib" not in in_lap(recording.path, "step/inner")
    assert in_lap(recording.path, "step/inner")["odd"] == 1


def test_threads_that_start_later_are_counted_and_see_no_profiler(tmp_path: Path) -> None:
    seen: list[object] = []

    def works() -> None:
        fib(8)
        seen.append(sys.getprofile())

    with lt.record(tmp_path / "r.lap", calls=True) as recording:
        threads = [threading.Thread(target=works) for _ in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sys.getprofile() is None
        assert threading.getprofile() is None
    functions = {one["name"].rpartition(".")[2]: one for one in exact(recording.path)["functions"]}
    assert functions["works"]["call_count"] == 200
    assert functions["fib"]["call_count"] == 200 * 67
    assert functions["fib"]["primitive_count"] == 200
    assert seen == [None] * 200


def test_a_recursion_of_thousands_is_counted(tmp_path: Path) -> None:
    def deep(levels: int) -> int:
        return 0 if levels == 0 else 1 + deep(levels - 1)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(12_000)
    try:
        with lt.record(tmp_path / "r.lap", calls=True) as recording:
            assert deep(10_000) == 10_000
            with Raises(RecursionError):
                deep(30_000)
            sys.setrecursionlimit(before)
            assert fib(5) == 5
    finally:
        sys.setrecursionlimit(before)
    functions = {one["name"]: one for one in exact(recording.path)["functions"]}
    assert functions["fib"]["call_count"] == 15
    deepest = next(one for name, one in functions.items() if name.endswith("deep"))
    assert deepest["primitive_count"] == 2


def test_the_programs_own_profiler_works_and_what_is_missing_is_said(tmp_path: Path) -> None:
    expected = by_cprofile(recursions)
    with lt.record(tmp_path / "r.lap", calls=True) as recording:
        builtins()
        assert by_cprofile(recursions) == expected
        fib(3)
    report = json.loads(lt.open(recording.path).report().to_json())
    warned = [warning["code"] for warning in report["warnings"]]
    functions = {one["name"]: one for one in report["functions"]["exact"]["functions"]}
    assert functions["builtins"]["call_count"] == 1
    if HAS_MONITORING:
        assert "calls-stopped" not in warned
        # In `builtins`, below the program's profiler, and after it.
        assert functions["fib"]["call_count"] == 19 + 465 + 5
    else:
        assert warned.count("calls-stopped") == 1
        assert functions["fib"]["call_count"] == 19


def test_a_profile_function_that_the_program_takes_away_stays_away(tmp_path: Path) -> None:
    events: list[str] = []
    with lt.record(tmp_path / "r.lap", calls=True) as recording:
        fib(3)
        sys.setprofile(lambda frame, event, _: events.append(event))
        fib(2)
        sys.setprofile(None)
        before = len(events)
        fib(6)
        assert sys.getprofile() is None
    assert events.count("call") == 3
    assert len(events) == before
    functions = {one["name"]: one for one in exact(recording.path)["functions"]}
    assert functions["fib"]["call_count"] == (5 + 3 + 25 if HAS_MONITORING else 5)


def test_what_one_recording_lacks_is_not_said_of_the_next(tmp_path: Path) -> None:
    def codes(path: Path) -> list[str]:
        report = json.loads(lt.open(path).report().to_json())
        codes = [warning["code"] for warning in report["warnings"]]
        return [code for code in codes if code.startswith("calls")]

    told: list[list[str]] = []
    for takes_away in (True, False, True):
        with lt.record(tmp_path / "r.lap", calls=True) as recording:
            fib(3)
            if takes_away:
                sys.setprofile(None)
        told.append(codes(recording.path))
    stopped = [] if HAS_MONITORING else ["calls-stopped"]
    assert told == [stopped, [], stopped]


def test_an_object_whose_method_was_called_is_not_kept(tmp_path: Path) -> None:
    class Held:
        pass

    with lt.record(tmp_path / "r.lap", calls=True):
        held = [Held()]
        alive = weakref.ref(held[0])
        held.append(Held())
        del held
        gc.collect()
        assert alive() is None


def test_code_that_was_compiled_and_called_is_not_kept(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", calls=True):
        code = compile("[None for _ in range(3)]", "<made>", "exec")
        alive = weakref.ref(code)
        exec(code, {})
        del code
        assert alive() is None


@pytest.mark.parametrize("seed", range(5))
def test_functions_whose_code_lies_where_others_lay_are_told_apart(
    seed: int, tmp_path: Path
) -> None:
    random = Random(seed)
    expected: Counter[tuple[str, int]] = Counter()
    held: list[object] = []
    with lt.record(tmp_path / "r.lap", calls=True):
        for _ in range(400):
            number, line, calls = random.randrange(20), random.randrange(3), random.randrange(4)
            made: dict[str, Any] = {}
            exec(compile("\n" * line + f"def made_{number}(): pass", "<made>", "exec"), made)
            for _ in range(calls):
                made[f"made_{number}"]()
            expected[f"made_{number}", line + 1] += calls
            # Some live on.
            if random.random() < 0.2:
                held.append(made)
    functions = exact(tmp_path / "r.lap")["functions"]
    counted = {
        (one["name"], one["line"]): one["call_count"]
        for one in functions
        if one["name"].startswith("made_")
    }
    assert counted == {place: calls for place, calls in expected.items() if calls > 0}


def test_a_call_counts_in_the_lap_of_its_own_task(tmp_path: Path) -> None:
    def work(name: str) -> None:
        exec(compile(f"def in_{name}(): pass\nin_{name}()", "<made>", "exec"), {})

    async def with_lap(name: str, turns: int) -> None:
        with lt.lap(name):
            for _ in range(turns):
                await asyncio.sleep(0)
                work(name)

    async def without_lap(name: str, turns: int) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
            work(name)

    async def inside(name: str) -> None:
        with lt.lap(name):
            await asyncio.gather(without_lap("inner", 6), with_lap("innermost", 4))

    async def main() -> None:
        await asyncio.gather(
            with_lap("one", 5), without_lap("none", 7), with_lap("two", 9), inside("outer")
        )

    with lt.record(tmp_path / "r.lap", calls=True):
        asyncio.run(main())
    found = {
        (function, lap["path"]): calls
        for lap in exact(tmp_path / "r.lap")["laps"]
        for function, calls in named(tmp_path / "r.lap", lap).items()
        if function.startswith("in_")
    }
    assert found == {
        ("in_one", "one"): 5,
        ("in_two", "two"): 9,
        ("in_none", "no lap open"): 7,
        ("in_inner", "outer"): 6,
        ("in_innermost", "outer/innermost"): 4,
    }


def test_functions_of_laptime_are_one_that_is_named_so(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", calls=True):
        for _ in lt.track(range(3), "turn"):
            even(2)
    functions = exact(tmp_path / "r.lap")["functions"]
    names = {one["name"] for one in functions}
    assert "<laptime>" in names
    package = recorded_file(lt.__file__).removesuffix("__init__.py")
    assert package.endswith("laptime/")
    assert [one for one in functions if one["file"].startswith(package)] == []
    assert [name for name in names if "laptime._core" in name] == []


def test_tracers_see_what_they_saw_before(tmp_path: Path) -> None:
    def traced() -> list[tuple[str, str]]:
        seen: list[tuple[str, str]] = []

        def trace(frame: Any, event: str, _: object) -> Any:
            seen.append((frame.f_code.co_name, event))
            return trace

        sys.settrace(trace)
        try:
            even(2)
        finally:
            sys.settrace(None)
        return seen

    expected = traced()
    with lt.record(tmp_path / "r.lap", calls=True):
        assert traced() == expected


def test_a_forked_child_starts_empty(tmp_path: Path) -> None:
    program = """
import os, sys
import laptime as lt
def before(): pass
def parent(): pass
def child(): pass
with lt.record(sys.argv[1], calls=True):
    before()
    with lt.lap("work"):
        pid = os.fork()
        if pid == 0:
            for _ in range(3):
                child()
            os._exit(0)
        os.waitpid(pid, 0)
        parent()
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    functions = {one["name"]: one["call_count"] for one in exact(path)["functions"]}
    assert (functions["before"], functions["parent"], functions["child"]) == (1, 1, 3)


def test_the_command_counts_and_shows(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os\nimport laptime as lt\n"
        "def work(n): return sum(range(n))\n"
        "def main():\n    with lt.lap('x'):\n        for n in range(50): work(n)\n"
        "main()\nprint('done')\nraise SystemExit(7)\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    run = [*laptime, "run", "--calls", "-o", "r.lap", "train.py"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (7, "done\n")
    assert ran.stderr.rstrip().endswith("next: laptime report r.lap --functions")
    assert in_lap(tmp_path / "r.lap", "x")["work"] == 50
    report = [*laptime, "report", "r.lap", "--functions", "--filter", "x"]
    told = subprocess.run(report, cwd=tmp_path, capture_output=True, text=True)
    assert "work train.py:3" in told.stdout
    assert "called from main train.py:4" in told.stdout
    page = subprocess.run([*laptime, "report", "r.lap", "-o", "r.html"], cwd=tmp_path)
    assert page.returncode == 0
    export = [*laptime, "export", "r.lap", "-f", "pstats", "-o", "x.prof"]
    done = subprocess.run(export, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    script = str(tmp_path / "train.py")
    stats = told_by_script(tmp_path / "x.prof", "train.py")
    assert stats["work"] == 50, script


def told_by_script(file: Path, script: str) -> dict[str, int]:
    stats = pstats.Stats(str(file)).stats  # type: ignore[attr-defined]
    return {name: its[1] for (path, _, name), its in stats.items() if path.endswith(script)}


def test_without_being_asked_nothing_is_counted(tmp_path: Path) -> None:
    with lt.record(tmp_path / "plain.lap") as plain:
        fib(3)
    assert "functions" not in json.loads(lt.open(plain.path).report().to_json())
    with pytest.raises(OSError, match="laptime run --calls"):
        lt.open(plain.path).export(tmp_path / "x.prof")
    assert not os.path.exists(tmp_path / "x.prof")


def test_recordings_follow_each_other(tmp_path: Path) -> None:
    for turn in range(3):
        with lt.record(tmp_path / f"{turn}.lap", calls=True) as recording:
            fib(turn + 1)
        functions = {one["name"]: one["call_count"] for one in exact(recording.path)["functions"]}
        functions.pop("<laptime>")
        assert functions == {"fib": [1, 3, 5][turn]}


def test_threads_end_while_an_audit_hook_runs(tmp_path: Path) -> None:
    program = """
import sys, threading
log = open(sys.argv[2], "w", buffering=1)
def hook(name, args):
    if name == "sys.setprofile":
        log.write(name + "\\n")
sys.addaudithook(hook)
import laptime as lt
with lt.record(sys.argv[1], calls=True):
    for _ in range(100):
        threads = [threading.Thread(target=abs, args=(1,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""
    command = [sys.executable, "-c", program, str(tmp_path / "r.lap"), str(tmp_path / "log.txt")]
    subprocess.run(command, check=True)


def test_a_script_without_laps_is_told_by_its_functions(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(
        "def inner(n): return sum(range(n))\n"
        "def outer():\n    for _ in range(300): inner(20000)\n"
        "outer()\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    run = [*laptime, "run", "--calls", "-o", "r.lap", "plain.py"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    # Lines break where they are full, which depends on what the imports took.
    headline = " ".join(ran.stderr.split("\n\n")[0].split())
    assert re.match(r"plain\.py .+: \d+ % sum", headline)
    assert "times include counting every call" in headline

    def told(*options: str) -> str:
        report = [*laptime, "report", "r.lap", "--functions", *options]
        return subprocess.run(report, cwd=tmp_path, capture_output=True, text=True).stdout

    by_own, by_total = told(), told("--sort", "total")
    assert by_own.index(" sum ") < by_own.index("inner plain.py")
    assert by_total.index("outer plain.py") < by_total.index("inner plain.py")
    assert by_total.index("inner plain.py") < by_total.index(" sum ")
    rows = list(csv.DictReader(told("-f", "csv").splitlines()))
    calls = {row["function"]: int(row["calls"]) for row in rows}
    assert calls["inner"] == 300
    assert calls["outer"] == 1
