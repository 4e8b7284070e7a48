"""Laps as context managers: nesting, names, durations, exceptions."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
import threading
from typing import Any

import pytest

import laptime as lt
from laptime import _core

pytestmark = pytest.mark.interpreter


def spans(report: lt.Report) -> dict[str, int | None]:
    return {path: report[path].count for path in report if path not in ("startup", "other", "exit")}


def test_laps_nest_and_merge_by_path() -> None:
    with lt.lap("nest"):
        for _ in range(3):
            with lt.lap("inner"):
                pass
    report = lt.report()
    assert report["nest"].count == 1
    assert report["nest/inner"].count == 3
    assert report["nest"].total_ns >= report["nest/inner"].total_ns
    nest = report["nest"]
    assert nest.self_ns == nest.total_ns - report["nest/inner"].total_ns


def test_a_handle_knows_the_last_duration_of_its_name() -> None:
    with lt.lap("known") as lap:
        pass
    first = lap.duration_ns
    assert first is not None
    assert first > 0
    assert lap.seconds == pytest.approx(first / 1e9, abs=1e-9)
    with lt.lap("known"):
        sum(range(10_000))
    assert lap.duration_ns is not None
    assert lap.duration_ns > first
    assert lt.lap("never closed").seconds is None


def test_the_last_duration_belongs_to_its_thread() -> None:
    with lt.lap("own"):
        pass
    seen: list[float | None] = []
    thread = threading.Thread(target=lambda: seen.append(lt.lap("own").seconds))
    thread.start()
    thread.join()
    assert seen == [None]
    assert lt.lap("own").seconds is not None


def test_an_exception_closes_the_lap_and_passes() -> None:
    with pytest.raises(ZeroDivisionError), lt.lap("raising"), lt.lap("within"):
        raise ZeroDivisionError
    assert _core.current_path() == []
    assert lt.report()["raising/within"].count == 1


def test_recursion_gets_paths_of_its_own() -> None:
    def descend(depth: int) -> None:
        with lt.lap("down"):
            if depth:
                descend(depth - 1)

    descend(3)
    assert lt.report()["down/down/down/down"].count == 1


def test_deep_recursion_folds_and_stays_balanced() -> None:
    def descend(depth: int) -> None:
        with lt.lap("deep"):
            if depth:
                descend(depth - 1)

    descend(300)
    assert _core.current_path() == []
    report = lt.report()
    deep = [path for path in report if path.startswith("deep")]
    assert len(deep) == 64
    innermost = report["/".join(["deep"] * 64)]
    assert innermost.count == 1
    assert innermost.total_ns <= report["deep"].total_ns
    [warning] = [said for said in report.warnings if "of the same name" in said]
    assert "237 spans ran inside 64 of the same name" in warning


def test_laps_without_a_path_count_no_time_twice() -> None:
    def nest(letters: str) -> None:
        if letters:
            with lt.lap(letters[0] * 1_000):
                nest(letters[1:])

    lt.reset()
    for _ in range(3):
        nest("abcdefghijklmnopqrst")  # 16 KiB of names hold sixteen of them
    report = lt.report()
    assert "<overflow>" not in report
    rows = [report[path] for path in report]
    spans = sum(row.count or 0 for row in rows)
    [warning] = [said for said in report.warnings if "different paths" in said]
    assert f"{60 - spans} spans are part of the row around them" in warning
    assert sum(row.self_ns for row in rows) <= report.wall_ns
    doubts = ("more than the wall time", "of one thread overlapped")
    assert not [said for said in report.warnings for doubt in doubts if doubt in said]


def test_exit_stack_takes_a_lap() -> None:
    with contextlib.ExitStack() as stack:
        lap = stack.enter_context(lt.lap("stacked"))
        assert lap.name == "stacked"
        assert _core.current_path() == ["stacked"]
    assert _core.current_path() == []


def test_laps_closed_out_of_order_are_flagged_and_repaired() -> None:
    outer, inner = lt.lap("out of order"), lt.lap("left behind")
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert _core.current_path() == []
    report = lt.report()
    assert report["out of order"].unbalanced_count == 1
    assert report["out of order/left behind"].unbalanced_count == 1


def test_closing_a_lap_that_is_not_open_does_nothing() -> None:
    lt.lap("not open").__exit__(None, None, None)
    assert "not open" not in lt.report()


def test_the_same_lap_reentered_closes_innermost_first() -> None:
    lap = lt.lap("twice")
    with lap:
        with lap:
            assert _core.current_path() == ["twice", "twice"]
        assert _core.current_path() == ["twice"]
    assert lt.report()["twice/twice"].count == 1


def test_threads_have_stacks_of_their_own() -> None:
    inside, done = threading.Event(), threading.Event()

    def work() -> None:
        with lt.lap("thread"):
            inside.set()
            done.wait()

    thread = threading.Thread(target=work)
    with lt.lap("main thread"):
        thread.start()
        inside.wait()
        with lt.lap("meanwhile"):
            pass
        done.set()
        thread.join()
    report = lt.report()
    assert report[("thread",)].count == 1
    assert report["main thread/meanwhile"].count == 1
    assert "main thread/thread" not in report


def test_many_names_leave_the_shared_type_and_work_the_same() -> None:
    kinds = set()
    for number in range(3_000):
        with lt.lap(f"name {number}") as lap:
            kinds.add(type(lap))
        assert lap.seconds is not None
    assert len(kinds) <= 1_025
    assert lt.report()["name 2999"].count == 1


def test_later_handles_are_freed() -> None:
    for number in range(3_000):
        lt.lap(f"freed {number}")
    gc.collect()
    before = len(gc.get_objects())
    for number in range(20_000):
        lt.lap(f"freed again {number}")
    gc.collect()
    assert len(gc.get_objects()) - before < 100


def test_a_handle_says_what_it_is() -> None:
    lap = lt.lap("named 'so'")
    assert lap.name == "named 'so'"
    assert repr(lap) == "<lap \"named 'so'\">"
    assert isinstance(lap, lt.Lap)
    with pytest.raises(TypeError):
        lt.Lap()


@pytest.mark.parametrize("wrong", [1, None, b"bytes", object()])
def test_a_lap_takes_a_name_or_a_function(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"a name \(str\) or a function"):
        lt.lap(wrong)  # type: ignore[call-overload]


def test_a_lap_takes_one_argument() -> None:
    with pytest.raises(TypeError):
        lt.lap()  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        lt.lap("a", "b")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="flop= and bytes="):
        lt.lap("a", seconds=3)  # type: ignore[call-overload]


def test_a_subclass_of_str_is_a_name() -> None:
    class Name(str):
        pass

    with lt.lap(Name("subclass")):
        pass
    assert lt.report()["subclass"].count == 1


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("a\nb", "a\nb"),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
        ("lone \udc80 surrogate", "lone \\udc80 surrogate"),
        ("", ""),
        ("zero \0 byte", "zero \0 byte"),
        ("Größe 尺寸 🦀", "Größe 尺寸 🦀"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_any_string_is_a_name(name: str, recorded: str) -> None:
    with lt.lap("any"), lt.lap(name):
        pass
    report = lt.report()
    assert report[("any", name)].count == 1
    assert report[("any", name)].names == ["any", recorded]
    assert "\x1b" not in str(report)
    report.to_json(), report.to_markdown(), report.to_csv()


def test_what_takes_a_name_takes_any_string() -> None:
    name, recorded = "lone \udc80 surrogate", "lone \\udc80 surrogate"
    timer = lt.Timer(name)
    assert timer.name == recorded
    context = timer.context(name)
    context.start(name)
    context.stop(name)
    assert len(timer.history(name, context=name)) == 1
    timer.remove(name, context=name)
    compared = lt.compare({name: lambda: None, "other": lambda: None}, budget=0.05)
    assert recorded in str(compared)


def test_a_metric_beyond_what_a_float_holds_is_refused_by_name() -> None:
    with pytest.raises(OverflowError, match=r"the metric 'loss' takes a number that a float holds"):
        lt.metric("loss", 10**400)


def test_a_slash_in_a_name_is_escaped_in_its_path() -> None:
    with lt.lap("a/b"), lt.lap("c\\d"):
        pass
    report = lt.report()
    assert report[("a/b", "c\\d")].path == r"a\/b/c\\d"
    assert report[r"a\/b"].count == 1
    assert report["a/b"].path == r"a\/b"
    assert "a/c" not in report


def test_long_names_are_shortened_and_stay_apart() -> None:
    names = ["x" * 10_000 + end for end in "ab"]
    for name in names:
        with lt.lap(name):
            pass
    report = lt.report()
    rows = [report[name] for name in names]
    assert rows[0].path != rows[1].path
    for row in rows:
        assert row.count == 1
        assert len(row.names[0].encode()) <= 1_024
        assert row.names[0].startswith("xxx")


def test_off_means_off() -> None:
    lt.disable()
    try:
        with lt.lap("off"):
            with lt.lap("off inside"):
                pass
        lt.mark("off mark")
        lt.metric("off metric", 1.0)
        assert not _core.is_on()
    finally:
        lt.enable()
    report = lt.report()
    assert "off" not in report
    assert "off inside" not in report


def test_switching_off_inside_a_lap_keeps_the_stack_right() -> None:
    with lt.lap("switched off"):
        lt.disable()
    with lt.lap("nothing"):
        lt.enable()
    with lt.lap("on again"):
        assert _core.current_path() == ["on again"]
    assert lt.report()[("on again",)].count == 1


def test_reference_counts_stay_level() -> None:
    name = "counted " + str(id(object()))
    lap = lt.lap(name)
    counts = sys.getrefcount(lap), sys.getrefcount(None)
    for _ in range(10_000):
        with lt.lap(name):
            pass
        lap.seconds  # noqa: B018
    assert abs(sys.getrefcount(lap) - counts[0]) < 5
    assert abs(sys.getrefcount(None) - counts[1]) < 500


@pytest.mark.parametrize("given", [3, None, b"bytes", 2.5, ["a list"]])
def test_what_is_no_name_is_named_in_the_error(given: Any) -> None:
    kind = type(given).__name__
    with pytest.raises(TypeError, match=re.escape(f"not {kind}: {given!r}")):
        lt.lap(given)
    with pytest.raises(TypeError, match=re.escape(f"not {kind}: {given!r}")):
        lt.Timer().start(given)


def test_an_object_that_cannot_be_shown_is_named_by_its_type() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no repr")

    with pytest.raises(TypeError, match="not Broken"):
        lt.lap(Broken())  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"not list: \[0, 1, 2.{1,60}$"):
        lt.lap(list(range(100_000)))  # type: ignore[call-overload]


def test_huge_names_are_let_go_with_their_laps(run: Any) -> None:
    code = """
import resource, sys
import laptime as lt

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def use(number):
    name = str(number) * 1_000_000
    with lt.lap(name) as lap:
        assert lap.name == name

use(1)
before = most()
for number in range(1, 10):
    for more in range(20):
        use(number + 10 * more)
print((most() - before) // 1024)
"""
    assert int(run(code).stdout) < 100, "megabytes are kept for names that nobody holds"
