"""Memory of laps: known allocations, nested and freed in every order."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

MB = 1_000_000
SIZES = (8 * MB, 64 * MB, 256 * MB)

# Allocates three blocks, each in a lap inside the one before, and frees them in the innermost lap
# in the given order. `note` keeps what a lap must report: net and peak since its start.
TRUTH = """
import itertools, json, sys
import laptime as lt
from laptime import _core

MB = 1_000_000

def block(kind, size):
    if kind == "bytes":
        return bytearray(size)
    if kind == "numpy":
        import numpy
        return numpy.empty(size, dtype=numpy.uint8)
    import torch
    return torch.empty(size, dtype=torch.uint8)

def nest(kind, sizes, order, prefix):
    now, truth = 0, {}
    laps, starts, peaks, blocks = [], [], [], {}
    def change(bytes):
        nonlocal now
        now += bytes
        for index in range(len(peaks)):
            peaks[index] = max(peaks[index], now)
    for depth, size in enumerate(sizes):
        lap = lt.lap(f"{prefix}{depth}")
        lap.__enter__()
        laps.append(lap)
        starts.append(now)
        peaks.append(now)
        blocks[depth] = block(kind, size)
        change(size)
    # A transient at the bottom, so that peaks differ from nets.
    extra = block(kind, 8 * MB)
    change(8 * MB)
    del extra
    change(-8 * MB)
    waiting = list(order)
    for depth in reversed(range(len(sizes))):
        freed = waiting.pop(0)
        del blocks[freed]
        change(-sizes[freed])
        laps.pop().__exit__(None, None, None)
        path = "/".join(f"{prefix}{d}" for d in range(depth + 1))
        start, peak = starts.pop(), peaks.pop()
        truth[path] = (now - start, peak - start)
    return truth

def compare(report, truth, sizes):
    # A lap in which Python maps an arena for small objects has it in its numbers.
    slack = 0.01 * min(sizes) + (1 << 20)
    for path, (net, peak) in truth.items():
        row = report[path]
        found = (row.host_memory_net_min_bytes, row.host_memory_net_max_bytes,
                 row.host_memory_peak_min_bytes, row.host_memory_peak_max_bytes)
        wanted = (net, net, peak, peak)
        for number, true in zip(found, wanted):
            assert abs(number - true) <= max(slack, 0.01 * abs(true)), (path, found, wanted)

kept = []

def warm(kind):
    block(kind, 8)
    # Small objects come from arenas of a megabyte: room for those of the test, so that no arena is
    # mapped in it. One object of each keeps the arena, and its pools are free for other sizes.
    spare = [object() for _ in range(400_000)]
    kept.append(spare[::50_000])
"""


@pytest.mark.parametrize("kind", ["bytes", "numpy", "torch"])
def test_nested_allocations_freed_in_every_order_have_their_true_net_and_peak(
    run: Run, kind: str, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip(kind) if kind != "bytes" else None
    python = request.getfixturevalue("warm").python if kind == "torch" else sys.executable
    code = (
        TRUTH
        + f"""
warm({kind!r})
assert _core.memory_start() == (True, None)
truth, number = {{}}, 0
for sizes in itertools.permutations({SIZES}):
    for order in itertools.permutations(range(3)):
        truth.update(nest({kind!r}, sizes, order, f"n{{number}}-"))
        number += 1
report = lt.report()
compare(report, truth, {SIZES})
net, peak = _core.memory_of_process()
assert abs(net) < 2 * MB, net
most = sum({SIZES}) + 8 * MB
assert abs(peak - most) < 0.01 * most, (peak, most)
print(number)
"""
    )
    assert run(code, python=python).stdout.strip() == "36"


def test_four_threads_at_once_have_each_their_own_numbers(run: Run) -> None:
    pytest.importorskip("numpy")
    code = (
        TRUTH
        + """
import threading
warm("numpy")
assert _core.memory_start() == (True, None)
orders = list(itertools.permutations(range(3)))
sizes = (8 * MB, 64 * MB, 16 * MB)
truths = [{} for _ in range(4)]
gate = threading.Barrier(4)
def work(index):
    for number, order in enumerate(orders):
        gate.wait()
        truths[index].update(nest("numpy", sizes, order, f"t{index}-{number}-"))
threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
report = lt.report()
for truth in truths:
    assert len(truth) == 18
    compare(report, truth, sizes)
print("compared")
"""
    )
    assert run(code).stdout.strip() == "compared"


def test_threads_without_a_lap_count_for_the_only_lap_there_is(run: Run) -> None:
    pytest.importorskip("numpy")
    code = """
import threading
import numpy
import laptime as lt
from laptime import _core
MB = 1_000_000
_core.memory_start()
kept = []
def work(size):
    kept.append(numpy.empty(size, dtype=numpy.uint8))
def elsewhere(size):
    thread = threading.Thread(target=work, args=(size,))
    thread.start()
    thread.join()
elsewhere(16 * MB)
with lt.lap("outer"):
    elsewhere(8 * MB)
    with lt.lap("inner"):
        elsewhere(64 * MB)
        kept.pop()
report = lt.report()
inner, outer = report["outer/inner"], report["outer"]
print(inner.host_memory_net_max_bytes, inner.host_memory_peak_max_bytes)
print(outer.host_memory_net_max_bytes, outer.host_memory_peak_max_bytes)
print(report["other"].host_memory_net_max_bytes)
"""
    lines = run(code).stdout.splitlines()
    numbers = [int(word) for line in lines for word in line.split()]
    expected = [0, 64 * MB, 8 * MB, 72 * MB, 16 * MB]
    for number, true in zip(numbers, expected, strict=True):
        assert abs(number - true) < 0.4 * MB, (numbers, expected)


def test_freeing_what_was_allocated_before_counting_is_a_net_below_zero(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
block = bytearray(8_000_000)
_core.memory_start()
with lt.lap("frees"):
    del block
row = lt.report()["frees"]
print(row.host_memory_net_max_bytes, row.host_memory_peak_max_bytes)
print(lt.report())
"""
    out = run(code).stdout
    net, peak = map(int, out.splitlines()[0].split())
    assert abs(net + 8_000_000) < 80_000
    assert 0 <= peak < 80_000
    assert "-7.6" in out


def test_a_library_that_is_opened_later_is_counted(run: Run) -> None:
    pytest.importorskip("numpy")
    code = """
import sys
import laptime as lt
from laptime import _core
_core.memory_start()
assert "numpy" not in sys.modules
import numpy
with lt.lap("array"):
    kept = numpy.empty(8_000_000, dtype=numpy.uint8)
print(lt.report()["array"].host_memory_net_max_bytes)
"""
    assert abs(int(run(code).stdout) - 8_000_000) < 80_000


def test_stopping_puts_the_tables_back_and_starting_again_counts_again(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
def allocate(name):
    with lt.lap(name):
        return bytearray(8_000_000)
before = allocate("before")
assert _core.memory_start() == (True, None)
assert _core.memory_start() == (False, None)
first = allocate("first")
_core.memory_stop()
total = _core.memory_of_process()
after = allocate("after")
assert _core.memory_of_process() is None and total is None
_core.memory_start()
again = allocate("again")
report = lt.report()
for name in ("before", "first", "after", "again"):
    print(name, report[name].host_memory_net_max_bytes)
assert report["after"].why("host_memory_net_max_bytes")
del before, first, after, again
"""
    lines = dict(line.split() for line in run(code).stdout.splitlines())
    assert lines["before"] == lines["after"] == "None"
    for name in ("first", "again"):
        assert abs(int(lines[name]) - 8_000_000) < 80_000


def test_a_stretch_that_is_no_lap_may_end_in_any_order(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
assert _core.memory_open() == 0
_core.memory_start()
a = _core.memory_open()
first = bytearray(8_000_000)
b = _core.memory_open()
second = bytearray(16_000_000)
del first
print(*_core.memory_close(a))
del second
print(*_core.memory_close(b))
assert _core.memory_close(a) is None
"""
    a, b = ([int(w) for w in line.split()] for line in run(code).stdout.splitlines())
    for number, true in zip(a + b, [16 * MB, 24 * MB, -8 * MB, 16 * MB], strict=True):
        assert abs(number - true) < 80_000, (a, b)


@pytest.mark.interpreter
def test_a_task_keeps_its_memory_apart_from_the_task_beside_it(run: Run) -> None:
    code = """
import asyncio
import laptime as lt
from laptime import _core
async def work(name, size, gate, turn):
    kept = None
    with lt.lap(name):
        kept = bytearray(size)
        turn.set()
        await gate.wait()
        with lt.lap("resumed"):
            del kept
async def main():
    events = [asyncio.Event() for _ in range(2)]
    await asyncio.gather(
        work("small", 8_000_000, events[1], events[0]),
        work("large", 64_000_000, events[0], events[1]),
    )
_core.memory_start()
asyncio.run(main())
report = lt.report()
for name in ("small", "large"):
    row = report[name]
    print(row.host_memory_net_max_bytes, row.host_memory_peak_max_bytes)
"""
    small, large = ([int(w) for w in line.split()] for line in run(code).stdout.splitlines())
    assert abs(small[0]) < 80_000
    assert abs(small[1] - 8 * MB) < 80_000
    assert abs(large[0]) < 80_000
    assert abs(large[1] - 64 * MB) < 640_000


@pytest.mark.interpreter
def test_a_generator_has_the_memory_of_its_own_pieces(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
@lt.lap("pieces")
def pieces():
    kept = bytearray(8_000_000)
    yield
    more = bytearray(16_000_000)
    yield
    del more
_core.memory_start()
with lt.lap("consumer"):
    for _ in pieces():
        other = bytearray(64_000_000)
        del other
report = lt.report()
for path in ("consumer/pieces", "consumer"):
    row = report[path]
    print(row.host_memory_net_max_bytes, row.host_memory_peak_max_bytes)
"""
    pieces, consumer = ([int(w) for w in line.split()] for line in run(code).stdout.splitlines())
    assert abs(pieces[0]) < 80_000
    assert abs(pieces[1] - 24 * MB) < 240_000
    assert abs(consumer[1] - 88 * MB) < 880_000


@pytest.mark.interpreter
def test_a_forked_child_counts_from_the_fork(run: Run, recording: Path) -> None:
    code = """
import os, sys
import laptime as lt
with lt.record(sys.argv[1], memory=True):
    with lt.lap("parent"):
        kept = bytearray(8_000_000)
    child = os.fork()
    if child == 0:
        with lt.lap("child"):
            more = bytearray(64_000_000)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
report = lt.open(sys.argv[1]).report()
for name in ("parent", "child"):
    print(report[name].host_memory_net_max_bytes)
import json
for process in json.loads(report.to_json())["processes"]:
    print(process["host_memory_peak_bytes"])
"""
    parent, child, *peaks = map(int, run(code, str(recording)).stdout.split())
    assert abs(parent - 8 * MB) < 80_000
    assert abs(child - 64 * MB) < 640_000
    assert max(peaks) < 66 * MB


@pytest.mark.interpreter
def test_a_program_that_allocates_while_its_threads_end_is_not_disturbed(run: Run) -> None:
    code = """
import threading
import laptime as lt
from laptime import _core
class Last:
    def __del__(self):
        with lt.lap("last words"):
            self.block = bytearray(1_000_000)
_core.memory_start()
local = threading.local()
def work():
    local.last = Last()
    local.data = [bytearray(1_000) for _ in range(1_000)]
    lt.lap("left open").__enter__()
for _ in range(20):
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
with lt.lap("after"):
    kept = bytearray(8_000_000)
print(lt.report()["after"].host_memory_net_max_bytes)
"""
    assert abs(int(run(code).stdout) - 8_000_000) < 80_000


def test_a_row_of_which_only_some_spans_were_counted_says_so(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
def work():
    with lt.lap("work"):
        return bytearray(8_000_000)
before = work()
_core.memory_start()
after = work()
print(lt.report())
"""
    assert "memory was counted in only 1 of 2 spans of work" in run(code).stdout


def test_a_recording_made_with_memory_holds_it_and_other_ones_say_why_not(
    run: Run, recording: Path
) -> None:
    code = """
import sys
import laptime as lt
with lt.record(sys.argv[1], memory=True) as record:
    with lt.lap("step"):
        kept = bytearray(8_000_000)
with lt.record(sys.argv[2]) as record:
    with lt.lap("step"):
        more = bytearray(8_000_000)
for path in sys.argv[1:]:
    row = lt.open(path).report()["step"]
    print(row.host_memory_peak_max_bytes, row.why("host_memory_peak_max_bytes"))
"""
    without = recording.with_name("without.lap")
    with_memory, not_counted = run(code, str(recording), str(without)).stdout.splitlines()
    peak, why = with_memory.split(maxsplit=1)
    assert abs(int(peak) - 8_000_000) < 80_000
    assert why == "None"
    assert not_counted == "None memory was not recorded"


def test_a_killed_program_has_no_total_that_only_looks_current(run: Run, recording: Path) -> None:
    killed = """
import os, signal, sys
import laptime as lt
lt.record(sys.argv[1], memory=True)
with lt.lap("step"):
    kept = bytearray(8_000_000)
with lt.lap("last"):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    code = """
import subprocess, sys
import laptime as lt
subprocess.run([sys.executable, "-c", sys.argv[1], sys.argv[2]])
report = lt.open(sys.argv[2]).report()
print(report.to_json())
print(report, file=sys.stderr)
"""
    done = run(code, killed, str(recording))
    summary = json.loads(done.stdout)
    (process,) = summary["processes"]
    assert process["state"] == "killed"
    assert "host_memory_peak_bytes" not in process
    assert "ended without closing its recording" in summary["unavailable"]["host_memory_peak_bytes"]
    rows = {row["path"]: row for row in summary["rows"]}
    assert abs(rows["step"]["host_memory_peak_max_bytes"] - 8_000_000) < 80_000
    assert "host_memory_net_max_bytes" not in rows["other"]
    assert (
        "ended without closing its recording" in rows["other"]["why"]["host_memory_net_max_bytes"]
    )
    assert "peak memory \u2013 (cut off)" in done.stderr


@pytest.mark.interpreter
def test_the_variable_counts_from_the_import_on(run: Run) -> None:
    code = """
import laptime as lt
with lt.lap("step"):
    kept = bytearray(8_000_000)
print(lt.report()["step"].host_memory_net_max_bytes)
"""
    assert abs(int(run(code, env={"LAPTIME_MEMORY": "1"}).stdout) - 8_000_000) < 80_000
    assert run(code, env={"LAPTIME_MEMORY": "0"}).stdout.strip() == "None"


def test_the_command_counts_in_the_program_it_runs(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import laptime as lt\nwith lt.lap('step'):\n    kept = bytearray(8_000_000)\n"
    )
    code = """
import sys
from laptime._cli import main
sys.argv = ["laptime", "run", "--memory", "-o", sys.argv[2], sys.argv[1]]
raise SystemExit(main())
"""
    recording = tmp_path / "a.lap"
    done = run(code, str(script), str(recording))
    assert "peak mem" in done.stderr
    code = "import sys, laptime as lt; print(lt.open(sys.argv[1]).report().to_json())"
    rows = json.loads(run(code, str(recording)).stdout)["rows"]
    step = next(row for row in rows if row["path"] == "step")
    assert abs(step["host_memory_net_max_bytes"] - 8_000_000) < 80_000


def test_startup_and_exit_have_what_they_left_however_short_the_run(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text(
        "import atexit\n"
        "import laptime as lt\n"
        "kept = [bytearray(40_000_000)]\n"
        "with lt.lap('work'):\n"
        "    kept.append(bytearray(3_000_000))\n"
        "between = bytearray(5_000_000)\n"
        "with lt.lap('more'):\n"
        "    pass\n"
        "kept.append(bytearray(20_000_000))\n"
        "for at in range(300_000): pass\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    run = [*laptime, "run", "--memory", "-o", "short.lap", "short.py"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, timeout=100)
    told = subprocess.run(
        [*laptime, "report", "--whole", "-f", "json", "short.lap"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=100,
    )
    kept = {
        row["path"]: row["host_memory_kept_bytes"]
        for row in json.loads(told.stdout)["rows"]
        if "host_memory_kept_bytes" in row
    }
    assert 39 * MB < kept["startup"] < 60 * MB
    assert abs(kept["work"] - 3 * MB) < MB
    assert abs(kept["other"] - 5 * MB) < MB
    # What follows the last lap is told apart from the exit where it takes long enough.
    after = kept.get("after", 0) + kept["exit"]
    assert -80 * MB < after < -40 * MB
    assert abs(kept.get("after", 20 * MB) - 20 * MB) < MB


def test_a_library_found_through_the_callers_own_path_is_still_found(
    run: Run, tmp_path: Path
) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    inner, outer = tmp_path / "inner", tmp_path / "libouter.so"
    inner.mkdir()
    (tmp_path / "inner.c").write_text("int answer(void) { return 42; }")
    (tmp_path / "outer.c").write_text(
        "#include <dlfcn.h>\n"
        'int ask(void) { void *h = dlopen("libinner.so", RTLD_NOW);\n'
        '  return h ? ((int (*)(void)) dlsym(h, "answer"))() : -1; }'
    )
    cc = f"{compiler} -shared -fPIC"
    assert os.system(f"{cc} -o {inner}/libinner.so {tmp_path}/inner.c") == 0
    origin = "-Wl,-rpath,'$ORIGIN/inner'"
    assert os.system(f"{cc} {origin} -o {outer} {tmp_path}/outer.c -ldl") == 0
    code = """
import ctypes, sys
from laptime import _core
_core.memory_start()
first = ctypes.CDLL(sys.argv[1])
bytearray(100)
print(first.ask())
"""
    assert run(code, str(outer)).stdout.strip() == "42"


def test_nothing_is_counted_and_nothing_is_patched_unless_asked(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
with lt.lap("step"):
    kept = bytearray(8_000_000)
assert _core.memory_of_process() is None
assert "mem" not in str(lt.report())
"""
    run(code)


@pytest.mark.interpreter
def test_small_objects_count_one_by_one_when_asked_for(run: Run) -> None:
    # The collector would free in a lap what was garbage before it.
    code = """
import gc
import sys
import laptime as lt
from laptime import _core
gc.disable()
assert _core.memory_start(objects=True) == (True, None)
count = 500_000
with lt.lap("keeps"):
    kept = [None] * count
    for number in range(count):
        kept[number] = (number,)
with lt.lap("frees"):
    del kept
with lt.lap("grows"):
    row = []
    for _ in range(50):
        row.append(None)
# A tuple with its header for the collector, its number, and its place in the list.
each = sys.getsizeof((1,)) + 16 * (sys.getsizeof((1,)) < 48)
each = -(-each // 16) * 16 + 32 + 8
print(count * each)
report = lt.report()
for name in ("keeps", "frees", "grows"):
    print(report[name].host_memory_net_max_bytes)
_core.memory_stop()
more = [(number,) for number in range(100_000)]
_core.memory_start(objects=True)
with lt.lap("again"):
    some = [None] * 100_000
    for number in range(100_000):
        some[number] = (number,)
del more, some
print(lt.report()["again"].host_memory_net_max_bytes)
_core.memory_stop()
"""
    wanted, keeps, frees, grows, again = map(int, run(code).stdout.split())
    assert abs(keeps - wanted) < 0.01 * wanted
    assert abs(frees + wanted) < 0.01 * wanted
    assert 400 <= grows < 4_000
    assert abs(again - wanted / 5) < 0.02 * wanted / 5


@pytest.mark.interpreter
@pytest.mark.skipif(sys.version_info < (3, 13), reason="mimalloc came with 3.13")
def test_where_python_has_an_allocator_of_its_own_nothing_is_told(run: Run) -> None:
    code = """
import laptime as lt
from laptime import _core
with lt.lap("step"):
    kept = bytearray(8_000_000)
print(_core.memory_start())
row = lt.report()["step"]
print(row.host_memory_net_max_bytes, row.why("host_memory_net_max_bytes"))
"""
    done = run(code, env={"PYTHONMALLOC": "mimalloc", "LAPTIME_MEMORY": "1"})
    why = "Python takes its objects from mimalloc, and not from malloc"
    assert done.stdout == f"(False, '{why}')\nNone memory was not counted: {why}\n"


@pytest.mark.interpreter
def test_pythons_debug_allocator_is_left_alone(run: Run) -> None:
    code = "from laptime import _core; print(_core.memory_start(objects=True))"
    out = run(code, env={"PYTHONMALLOC": "debug"}).stdout
    assert out.startswith("(True, 'objects are not counted one by one")
