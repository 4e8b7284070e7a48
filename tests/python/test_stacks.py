"""Functions that laps are in, sampled from outside."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


def hot(seconds: float) -> int:
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return count


def warm(seconds: float) -> int:
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return count


def functions(path: Path) -> dict[str, Any]:
    return json.loads(lt.open(path).report().to_json())["functions"]


def lap(path: Path, name: str) -> dict[str, Any]:
    laps = functions(path)["laps"]
    return next(lap for lap in laps if lap["path"] == name)


def own_shares(lap: dict[str, Any]) -> dict[str, float]:
    own: dict[str, float] = {}
    for one in lap["functions"]:
        own[one["name"]] = own.get(one["name"], 0) + one["self_ns"] / lap["total_ns"]
    return own


@pytest.mark.interpreter
def test_shares_of_functions_are_those_of_their_time(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        spent = {"hot": 0.0, "warm": 0.0}
        for _ in range(12):
            with lt.lap("work"):
                for function, seconds in ((hot, 0.21), (warm, 0.07)):
                    began = time.perf_counter()
                    function(seconds)
                    spent[function.__name__] += time.perf_counter() - began
    work = lap(recording.path, "work")
    true = spent["hot"] / sum(spent.values())
    # Six standard errors: one run in a hundred million.
    error = 6 * math.sqrt(true * (1 - true) / work["sample_count"])
    assert abs(own_shares(work)["hot"] - true) <= error + 0.02
    assert work["sample_count"] >= 20
    first = hot.__code__.co_firstlineno
    lines = {line["line"] for line in work["functions"][0]["lines"]}
    assert lines
    assert lines <= set(range(first, first + 5))


def with_cells(a: int, b: int, c: int, d: int, e: int) -> Any:
    return lambda: (a, b, c, d, e)


@pytest.mark.interpreter
def test_an_instruction_that_has_no_line_counts_where_its_function_begins(tmp_path: Path) -> None:
    """Cells are made before the first line, and making them may collect garbage."""
    kept = [[one] for one in range(300_000)]
    with lt.record(tmp_path / "r.lap", stacks=True) as recording, lt.lap("work"):
        end = time.perf_counter() + 1.5
        while time.perf_counter() < end:
            kept.append(with_cells(1, 2, 3, 4, 5))
    work = lap(recording.path, "work")
    named = {one["name"]: one for one in work["functions"]}
    lines = (
        {line["line"] for line in named["with_cells"]["lines"]} if "with_cells" in named else set()
    )
    first = with_cells.__code__.co_firstlineno
    began = {one["place"]["line"] for one in work["collections"] if "place" in one}
    assert lines | began
    assert lines <= {first, first + 1}
    # They begin there, or in the loop that keeps what it returns.
    assert all(line >= first for line in began), began


@pytest.mark.interpreter
def test_threads_that_wait_are_told_from_those_that_run(tmp_path: Path) -> None:
    done = threading.Event()

    def waits() -> None:
        with lt.lap("waits"):
            done.wait()

    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        thread = threading.Thread(target=waits)
        thread.start()
        with lt.lap("runs"):
            hot(1.5)
        done.set()
        thread.join()
    waiting, running = lap(recording.path, "waits"), lap(recording.path, "runs")
    assert waiting["waiting_ns"] >= 0.9 * waiting["total_ns"]
    assert running["waiting_ns"] <= 0.5 * running["total_ns"]
    assert running["functions"][0]["name"] == "hot"


@pytest.mark.interpreter
def test_nobody_looks_while_recording_is_switched_off(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        hot(0.5)
        lt.disable()
        try:
            warm(1.0)
        finally:
            lt.enable()
        hot(1.0)
    told = [one for each in functions(recording.path)["laps"] for one in each["functions"]]
    spent = {one["name"]: one["total_ns"] for one in told}
    assert spent["hot"] > 1e9
    # A look may begin before and end after.
    assert spent.get("warm", 0) < 0.1e9


@pytest.mark.interpreter
def test_forked_children_are_sampled_too(tmp_path: Path) -> None:
    program = """
import os, sys, time
import laptime as lt
with lt.record(sys.argv[1], stacks=True):
    child = os.fork()
    end = time.perf_counter() + 1.2
    with lt.lap("child" if child == 0 else "parent"):
        while time.perf_counter() < end:
            pass
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert lap(path, "parent")["sample_count"] > 5
    assert lap(path, "child")["sample_count"] > 5


@pytest.mark.interpreter
def test_a_task_that_outlives_a_recording_is_known_in_the_next(tmp_path: Path) -> None:
    async def cells() -> list[Path]:
        paths = []
        for number in range(2):
            with lt.record(tmp_path / f"{number}.lap", stacks=True) as recording:
                with lt.lap("work"):
                    hot(0.6)
            paths.append(recording.path)
        return paths

    for path in asyncio.run(cells()):
        assert lap(path, "work")["functions"][0]["name"] == "hot"


def test_forked_children_without_laps_are_sampled_too(tmp_path: Path) -> None:
    program = """
import os, sys, time
import laptime as lt
def in_child():
    end = time.perf_counter() + 1.2
    while time.perf_counter() < end:
        pass
with lt.record(sys.argv[1], stacks=True):
    child = os.fork()
    if child == 0:
        in_child()
        os._exit(0)
    os.waitpid(child, 0)
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert '"in_child"' in json.dumps(functions(path))


@pytest.mark.interpreter
def test_a_process_whose_first_thread_is_gone_ends_with_its_last(tmp_path: Path) -> None:
    program = """
import ctypes, os, sys, threading, time
import laptime as lt
lt.record(sys.argv[1], stacks=True)
first = os.getpid()
def works():
    with lt.lap("works"):
        # The first thread is gone: what is left of it is a zombie.
        while open(f"/proc/{first}/task/{first}/stat").read().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        time.sleep(0.1)  # so that samples fall into it
threading.Thread(target=works).start()
ctypes.CDLL(None).pthread_exit(None)
"""
    path = tmp_path / "r.lap"
    assert subprocess.run([sys.executable, "-c", program, str(path)]).returncode == 0
    assert lt.open(path).report()["works"].count == 1


def test_without_being_asked_nothing_is_sampled(tmp_path: Path) -> None:
    with lt.record(tmp_path / "sampled.lap", stacks=True) as sampled, lt.lap("x"):
        hot(0.1)
    with lt.record(tmp_path / "plain.lap") as plain, lt.lap("x"):
        hot(0.1)
    assert "functions" not in json.loads(lt.open(plain.path).report().to_json())
    assert functions(sampled.path)["sample_count"] > 0


@pytest.mark.interpreter
def test_the_command_tells_imports_and_functions(tmp_path: Path) -> None:
    (tmp_path / "slow_module.py").write_text(
        "import time\nend = time.perf_counter() + 1.5\nwhile time.perf_counter() < end: pass\n"
    )
    (tmp_path / "train.py").write_text(
        "import slow_module\nimport laptime as lt\n"
        "with lt.lap('x'): sum(range(10))\nprint('done')\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    run = [*laptime, "run", "--stacks", "-o", "r.lap", "train.py"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "done\n"
    said = " ".join(ran.stderr.split())
    assert re.search(r"`import slow_module` \(train.py:1\) took 1\.\d+ s", said), said
    assert "\nnext: laptime " in ran.stderr
    # Wide enough for whatever else was seen at the start.
    told = subprocess.run(
        [*laptime, "report", "r.lap", "--functions"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert re.search(r"import slow_module +\d+ +1\.\d+", told.stdout), told.stdout
    # What an import runs is its row's alone; who wants its lines has them in JSON.
    assert "<module> slow_module.py" not in told.stdout
    startup = next(lap for lap in functions(tmp_path / "r.lap")["laps"] if lap["path"] == "startup")
    (module,) = (one for one in startup["functions"] if one["file"].endswith("slow_module.py"))
    assert module["lines"][0]["line"] == 3
    assert module["imported_ns"] == module["self_ns"]
    page = subprocess.run([*laptime, "report", "r.lap", "-o", "r.html"], cwd=tmp_path)
    assert page.returncode == 0
    assert '<svg class="flame"' in (tmp_path / "r.html").read_text()


def test_a_script_without_laps_shows_its_functions_unasked(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(
        "import time\ndef spin(end):\n    while time.perf_counter() < end: pass\n"
        "spin(time.perf_counter() + 1)\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    for number, option in enumerate(([], ["--calls"])):
        run = [*laptime, "run", *option, "-o", f"{number}.lap", "plain.py"]
        ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        report = [*laptime, "report", f"{number}.lap"]
        told = subprocess.run(report, cwd=tmp_path, capture_output=True, text=True, check=True)
        for shown in (ran.stderr, told.stdout):
            assert "\ncalls\n" in shown
            assert "spin plain.py:" in shown
            assert "names it" not in shown


def test_a_program_sees_no_file_of_the_sampler(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", stacks=True):
        hot(0.2)
        expected = os.open(os.devnull, os.O_RDONLY)
        os.close(expected)
        for _ in range(20_000):
            number = os.open(os.devnull, os.O_RDONLY)
            os.close(number)
            assert number == expected


# A task of the program below: it calls the function of its name between awaits.
TASK = """
def busy_{name}():
    spin({seconds})

async def {name}():
    with contextlib.ExitStack() as stack:
        for lap in {laps}:
            stack.enter_context(lt.lap(lap))
        started = [asyncio.create_task(task()) for task in [{inner}]]
        for _ in range(50):
            busy_{name}()
            await asyncio.sleep(0)
        await asyncio.gather(*started)
"""
TASKS = """
import asyncio, contextlib, sys, time
import laptime as lt

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
{tasks}
async def main():
    await asyncio.gather({first})

with lt.record(sys.argv[1], stacks=True), {around}:
    asyncio.run(main())
"""


def tasks(seed: int) -> tuple[str, dict[str, str]]:
    """A program of tasks, with and without laps, some started by others; and the path of each."""
    dice = random.Random(seed)
    written: list[str] = []
    paths: dict[str, str] = {}
    around = dice.choice([[], ["serve"]])
    first = [f"task{number}" for number in range(4)]
    waiting = [(name, around) for name in first]
    while waiting:
        name, outer = waiting.pop()
        laps = [f"{name}_lap{depth}" for depth in range(dice.randrange(3))]
        paths[name] = "/".join([*outer, *laps]) or "other"
        inner = [f"{name}_{child}" for child in range(dice.randrange(3))] if name in first else []
        waiting += [(child, [*outer, *laps]) for child in inner]
        seconds = dice.uniform(0.005, 0.01)
        names = ", ".join(inner)
        written.append(TASK.format(name=name, seconds=seconds, laps=laps, inner=names))
    source = TASKS.format(
        tasks="".join(written),
        first=", ".join(f"{name}()" for name in first),
        around="lt.lap('serve')" if around else "contextlib.nullcontext()",
    )
    return source, paths


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.interpreter), 1, 2, 3])
def test_samples_of_a_task_are_in_its_own_lap(tmp_path: Path, seed: int) -> None:
    source, paths = tasks(seed)
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", source, str(path)], check=True, timeout=120)
    found: dict[str, dict[str, int]] = {}
    laps_of_it = functions(path)["laps"]
    # A task that gives way just as it is looked at may be known to nobody.
    shared = sum(one.get("shared_count") or 0 for one in laps_of_it)
    assert shared <= 0.01 * sum(one["sample_count"] for one in laps_of_it)
    for one in laps_of_it:
        for function in one["functions"]:
            if function["name"].startswith("busy_"):
                laps = found.setdefault(function["name"].removeprefix("busy_"), {})
                laps[one["path"]] = function["total_ns"]
    assert found.keys() == paths.keys(), source
    for name, laps in found.items():
        # What was seen just as a lap ended may be beside it.
        assert laps.get(paths[name], 0) >= 0.8 * sum(laps.values()), (name, paths[name], laps)


@pytest.mark.interpreter
def test_a_thread_of_a_task_is_in_the_lap_that_the_task_is_in(tmp_path: Path) -> None:
    async def request() -> None:
        with lt.lap("request"):
            await asyncio.to_thread(hot, 1.0)

    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        asyncio.run(request())
    assert own_shares(lap(recording.path, "request"))["hot"] >= 0.8


@pytest.mark.interpreter
def test_a_stack_of_thousands_is_told_from_both_ends_and_hides_no_other_thread(
    tmp_path: Path,
) -> None:
    program = """
import sys, threading, time
import laptime as lt

def hot():
    end = time.perf_counter() + 1.5
    while time.perf_counter() < end:
        pass

def deep(levels, then):
    return then() if levels == 0 else deep(levels - 1, then)

sys.setrecursionlimit(20_000)
threading.stack_size(256 << 20)
done = threading.Event()
waits = threading.Thread(target=deep, args=(6_000, done.wait))

def runs():
    with lt.lap("deep"):
        deep(6_000, hot)

with lt.record(sys.argv[1], stacks=True):
    waits.start()
    with lt.lap("flat"):
        hot()
    thread = threading.Thread(target=runs)
    thread.start()
    thread.join()
    done.set()
    waits.join()
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=120)
    assert functions(path)["unread_ratio"] < 0.2
    assert own_shares(lap(path, "flat"))["hot"] > 0.9
    whole = lap(path, "deep")
    assert own_shares(whole)["hot"] > 0.9
    seen = {one["name"]: one["total_ns"] for one in whole["functions"]}
    assert seen["<functions left out>"] > 0.9 * whole["total_ns"]
    assert seen["runs"] > 0.9 * whole["total_ns"]


def test_threads_that_stand_still_have_all_of_their_time(tmp_path: Path) -> None:
    stop = threading.Event()

    def waits() -> None:
        with lt.lap("waits"):
            stop.wait()

    threads = [threading.Thread(target=waits) for _ in range(20)]
    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        for thread in threads:
            thread.start()
        with lt.lap("runs"):
            hot(2.5)
        stop.set()
        for thread in threads:
            thread.join()
    spent = lt.open(recording.path).report()["waits"].total_ns
    waiting = lap(recording.path, "waits")
    assert 0.8 * spent <= waiting["total_ns"] <= 1.05 * spent
    assert waiting["waiting_ns"] >= 0.9 * waiting["total_ns"]
    # Twenty threads at a hundred looks a second would be 5,000.
    assert waiting["sample_count"] <= 1_000


@pytest.mark.interpreter
def test_names_that_are_not_ascii_and_code_that_comes_and_goes_are_told(tmp_path: Path) -> None:
    source = (
        "def {name}():\n"
        "{lines}"
        "    end = time.perf_counter() + 0.05\n"
        "    while time.perf_counter() < end: pass\n"
    )
    with lt.record(tmp_path / "r.lap", stacks=True) as recording, lt.lap("made"):
        for number in range(30):
            space: dict[str, Any] = {"time": time}
            name = ("größe", "総計", "plain")[number % 3]
            lines = "    pass\n" * (number % 5)
            exec(compile(source.format(name=name, lines=lines), f"<made {number}>", "exec"), space)
            space.pop(name)()
            del space
    made = [
        one for one in lap(recording.path, "made")["functions"] if one["file"].startswith("<made")
    ]
    assert {"größe", "総計", "plain"} == {one["name"] for one in made}
    for one in made:
        number = int(one["file"].removeprefix("<made ").removesuffix(">"))
        assert one["name"] == ("größe", "総計", "plain")[number % 3]
        # Some interpreters are at the `def` while a call begins, and may be looked at there.
        assert {line["line"] for line in one["lines"]} <= {1, number % 5 + 2, number % 5 + 3}


@pytest.mark.interpreter
@pytest.mark.parametrize("varied", ["name", "file"])
def test_code_that_dies_is_told_from_what_is_made_in_its_place(tmp_path: Path, varied: str) -> None:
    source = "def {}(end):\n    while clock() < end: pass\n"
    order = random.Random(varied)
    spent = {"large": 0.0, "small": 0.0}
    with lt.record(tmp_path / "r.lap", stacks=True) as recording, lt.lap("work"):
        for number in range(250):
            kind = order.choice(["large", "large", "large", "small"])
            name = f"{kind}_{number:06}" if varied == "name" else "same"
            space = {"clock": time.perf_counter}
            exec(compile(source.format(name), f"<{kind}>", "exec"), space)
            began = time.perf_counter()
            space[name](began + 0.012)
            spent[kind] += time.perf_counter() - began
            space.clear()
    told = {"large": 0.0, "small": 0.0}
    for one in lap(recording.path, "work")["functions"]:
        kind = one["name"].partition("_")[0] if varied == "name" else one["file"].strip("<>")
        if kind in told:
            told[kind] += one["self_ns"]
    share, true = (all_["small"] / sum(all_.values()) for all_ in (told, spent))
    samples = lap(recording.path, "work")["sample_count"]
    assert abs(share - true) <= 6 * math.sqrt(true * (1 - true) / samples) + 0.02


@pytest.mark.interpreter
def test_a_recursion_of_thousands_and_many_threads_hurt_nobody(tmp_path: Path) -> None:
    def deep(levels: int) -> int:
        return hot(0.5) if levels == 0 else deep(levels - 1)

    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait) for _ in range(200)]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        with lt.record(tmp_path / "r.lap", stacks=True) as recording:
            with lt.lap("deep"):
                assert deep(3_000) > 0
            for thread in threads:
                thread.start()
            with lt.lap("many"):
                hot(0.5)
            stop.set()
            for thread in threads:
                thread.join()
    finally:
        sys.setrecursionlimit(before)
    assert lt.open(recording.path).report()["many"].count == 1


def test_a_limit_on_the_address_space_costs_stacks_and_not_the_program(
    run: Any, tmp_path: Path
) -> None:
    code = """
import resource, sys
import laptime as lt
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (int(sys.argv[2]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
with lt.record(sys.argv[1], stacks=True):
    for _ in range(200_000):
        pass
print("done")
"""
    for left in (30, 40, 50, 60, 80):
        at = tmp_path / f"{left}.lap"
        done = run(code, at, str(left), check=False)
        assert (done.returncode, done.stdout) == (0, "done\n"), (left, done.stderr)
        told = json.loads(lt.open(at).report().to_json())
        assert "ulimit -v" in told["unavailable"]["functions"]


def test_what_terminated_workers_saw_last_is_said_to_be_missing(tmp_path: Path) -> None:
    script, at = tmp_path / "pool.py", tmp_path / "pool.lap"
    script.write_text(
        "import os\n"
        "import laptime as lt\n"
        "for _ in range(2):\n"
        "    worker = os.fork()\n"
        "    if worker == 0:\n"
        "        with lt.lap('work'):\n"
        "            sum(range(10))\n"
        "        os._exit(0)\n"
        "    os.waitpid(worker, 0)\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    subprocess.run([*laptime, "run", "--calls", "-o", at, script], check=True)
    shown = [*laptime, "report", "--functions", at]
    told = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
    told = " ".join(told.split())
    assert "2 worker processes were terminated or called os._exit: what they did after" in told


def test_work_after_the_last_lap_is_no_exit(tmp_path: Path) -> None:
    script, path = tmp_path / "train.py", tmp_path / "run.lap"
    script.write_text(
        "import atexit, time\n"
        "import laptime as lt\n"
        "def analyse():\n"
        "    until = time.perf_counter() + 1\n"
        "    while time.perf_counter() < until: pass\n"
        "for _ in lt.track(range(3)): time.sleep(0.01)\n"
        "atexit.register(time.sleep, 0.2)\n"
        "analyse()\n"
    )
    command = [sys.executable, "-m", "laptime", "run", "--stacks", "-o", str(path), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "after the last lap" in done.stderr.splitlines()[1], done.stderr
    summary = json.loads(lt.open(path).report().to_json())
    left = {
        row["path"]: row["total_ns"] / 1e9 for row in summary["rows"] if row["kind"] == "leftover"
    }
    assert 1.2 <= left["after"] < 2.5, "the program's own handlers are its work"
    assert left["exit"] < 1
    after = next(lap for lap in summary["functions"]["laps"] if lap["path"] == "after")
    assert after["functions"][0]["name"] == "analyse"
    assert "\ncalls after the last lap\n" in done.stderr
    assert "analyse" in done.stderr


def test_a_notebook_that_keeps_its_cells_otherwise_ends_the_recording_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        raise RuntimeError("no such cells")

    monkeypatch.setattr("laptime._record.note_cells", fails)
    recording = lt.record(tmp_path / "r.lap", stacks=True)
    with lt.lap("work"):
        hot(0.1)
    recording.stop()
    assert "no such cells" in caplog.text
    summary = json.loads(lt.open(recording.path).report().to_json())
    assert [process["state"] for process in summary["processes"]] == ["closed"]


@pytest.mark.interpreter
@pytest.mark.skipif(sys.version_info < (3, 13), reason="no interpreter says so before 3.13")
def test_an_interpreter_that_has_its_stacks_elsewhere_is_not_read(run: Any, tmp_path: Path) -> None:
    code = """
import ctypes, sys
import laptime as lt
# What an interpreter tells debuggers: a cookie, two numbers, and where everything is.
told = (ctypes.c_uint64 * 64).in_dll(ctypes.pythonapi, "_PyRuntime")
for at in range(3, 64):
    told[at] += 8
with lt.record(sys.argv[1], stacks=True), lt.lap("work"):
    sum(range(100_000))
"""
    run(code, tmp_path / "r.lap")
    told = json.loads(lt.open(tmp_path / "r.lap").report().to_json())
    assert "built for another release of this Python" in told["unavailable"]["functions"]
