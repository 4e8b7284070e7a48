"""`ProfilingTimer`: torchtimer's methods, defaults and layout, on a machine without a device."""

from __future__ import annotations

import copy
import inspect
import logging
import pickle
import re
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime.torchtimer import ProfilingTimer

TITLE = re.compile(r"^###### (.+)::(.+): \(total runtime ([0-9.e-]+)s\)$")


@pytest.fixture
def timer() -> ProfilingTimer:
    return ProfilingTimer(device="cpu")


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a printed table by the first of them."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {line[0]: line[1:] for line in cells}


def test_every_parameter_has_torchtimers_name_and_default() -> None:
    def parameters(function: Any) -> list[tuple[str, Any]]:
        found = inspect.signature(function).parameters.values()
        return [
            (one.name, one.default)
            for one in found
            if one.name != "self" and one.kind is not one.KEYWORD_ONLY
        ]

    assert parameters(ProfilingTimer) == [
        ("enabled", True),
        ("device", None),
        ("stream", None),
        ("name", "timer"),
        ("allies", []),
    ]
    for method in (ProfilingTimer.start, ProfilingTimer.stop, ProfilingTimer.end):
        assert parameters(method) == [("name", "default"), ("context", None)]
    assert parameters(ProfilingTimer.stop_and_start) == [
        ("stop_name", None),
        ("start_name", None),
        ("context", None),
    ]
    history = [("name", inspect.Parameter.empty), ("context", None), ("field", "elapsed_time")]
    assert parameters(ProfilingTimer.history) == history
    assert parameters(ProfilingTimer.remove) == history[:2]
    assert parameters(ProfilingTimer.visualize)[1] == ("figsize", (1920, 960))
    assert parameters(ProfilingTimer.gct) == [("relative", True)]
    for name in ("create_context", "enable_context", "disable_context"):
        assert parameters(getattr(ProfilingTimer, name)) == [("context", inspect.Parameter.empty)]


def test_arguments_go_by_position_and_by_name(timer: ProfilingTimer) -> None:
    timer.start()
    timer.start("a")
    timer.start(name="b", context="c")
    timer.start("d", context="c")
    for arguments in ((), ("a",), ("b", "c"), ("d", "c")):
        assert isinstance(timer.end(*arguments), float)
    with pytest.raises(TypeError):
        timer.start("a", "b", "c")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected"):
        timer.start(nam="a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="repeated"):
        timer.start("a", name="a")  # type: ignore[misc]


def test_the_table_has_torchtimers_columns(
    timer: ProfilingTimer, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        timer.start("a segment")
        timer.stop("a segment")
    timer.start(7, "forward")
    timer.stop(7, "forward")
    timer.summarize()
    lines = capsys.readouterr().out.split("\n")
    assert TITLE.match(lines[0])
    widths = [11, 10, 12, 12, 15, 20, 20]
    names = "name|repeats|average time|total time|% total time|net mem alloc|peak mem alloc"
    cells = [name.ljust(width) for name, width in zip(names.split("|"), widths, strict=True)]
    assert lines[1] == "| " + " | ".join(cells) + " |"
    assert lines[2] == "| " + " | ".join("-" * width for width in widths) + " |"
    assert lines[3].startswith("| 'a segment' | 3          | ")
    assert lines[4] == ""
    assert lines[5].startswith("###### timer::forward: (total runtime ")
    assert lines[8].startswith("| 7    | 1          | ")
    assert lines[9:] == ["", ""]


def test_rows_stand_by_total_time_and_contexts_by_creation(
    timer: ProfilingTimer, capsys: pytest.CaptureFixture[str]
) -> None:
    timer.start("short")
    timer.stop("short")
    timer.start("long", "second")
    timer.start("long")
    sum(range(200_000))
    timer.stop("long")
    timer.stop("long", "second")
    timer.summarize()
    out = capsys.readouterr().out
    assert out.index("'long'") < out.index("'short'")
    assert out.index("::main") < out.index("::second")


def test_history_has_every_field(timer: ProfilingTimer) -> None:
    for _ in range(2):
        timer.start("a")
        timer.stop("a")
    elapsed = list(timer.history("a"))
    starts = list(timer.history("a", None, "start_time"))
    ends = list(timer.history("a", field="end_time"))
    assert len(elapsed) == 2
    assert 0 <= starts[0] <= ends[0] <= starts[1] <= ends[1]
    assert [end - start for start, end in zip(starts, ends, strict=True)] == pytest.approx(elapsed)
    before, after, most, net, peak = (
        next(timer.history("a", field=field))
        for field in (
            "memory_allocated_start",
            "memory_allocated_end",
            "max_memory_allocated_end",
            "net_memory_allocated",
            "peak_memory_allocated",
        )
    )
    assert (net, peak) == (after - before, most - before)
    assert next(timer.history("a")) == elapsed[0]
    with pytest.raises(ValueError, match="elapsed_time"):
        timer.history("a", field="weight")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        timer.history("never")
    with pytest.raises(KeyError):
        timer.history("a", "never")


def test_contexts_are_made_disabled_and_enabled(
    timer: ProfilingTimer, capsys: pytest.CaptureFixture[str]
) -> None:
    start, stop = timer.create_context("forward")
    timer.disable_context("forward")
    start("a")
    assert stop("a") is None
    timer.enable_context("forward")
    start(name="a")
    assert isinstance(stop(name="a"), float)
    timer.disable_context("forward")
    timer.summarize()
    assert capsys.readouterr().out == ""
    timer.enable_context("forward")
    timer.summarize()
    assert "timer::forward" in capsys.readouterr().out


def test_a_disabled_timer_measures_prints_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timer = ProfilingTimer(enabled=False, device="cpu")
    timer.start()
    assert timer.stop() is None
    assert timer.stop_and_start("a", "b") is None
    timer.summarize()
    timer.summarize_to_file(tmp_path / "summary.md")
    timer.visualize(tmp_path / "page.html")
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())
    timer.enable()
    timer.start()
    assert timer.stop() is not None
    timer.disable()
    timer.start()
    assert timer.stop() is None


def test_files_are_appended_to_and_allies_stay_on(tmp_path: Path) -> None:
    ally = ProfilingTimer(name="ally", device="cpu")
    timer = ProfilingTimer(name="main one", device="cpu", allies=[ally])
    for one in (timer, ally):
        one.start("a")
        one.stop("a")
    path = tmp_path / "summary.md"
    timer.summarize_to_file(path)
    timer.summarize_to_file(path)
    lines = path.read_text().split("\n")
    assert lines[0] == ""
    assert re.match(r"##### \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", lines[1])
    assert lines[2].startswith("###### main one::main")
    assert lines[6] == ""
    assert lines[7].startswith("##### 20")
    assert lines[8].startswith("###### ally::main")
    assert sum(line.startswith("###### ally") for line in lines) == 2
    ally.start("b")
    assert ally.stop("b") is not None


def test_allies_are_found_through_allies_and_share_the_clocks_zero() -> None:
    far = ProfilingTimer(name="far", device="cpu")
    near = ProfilingTimer(name="near", device="cpu", allies=[far])
    timer = ProfilingTimer(enabled=False, device="cpu", allies=[near])
    assert {ally.name for ally in timer.allies} == {"near", "far"}
    far.start()
    assert far.stop() is None
    assert abs(timer.gct() - far.gct()) < 1
    with pytest.raises(TypeError, match="ProfilingTimer"):
        ProfilingTimer(allies=["x"])  # type: ignore[list-item]


def test_allies_in_a_ring_are_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    one = ProfilingTimer(name="one", device="cpu")
    two = ProfilingTimer(name="two", device="cpu", allies=[one])
    one._allies.append(two)
    for timer in (one, two):
        timer.start()
        timer.stop()
    one.summarize()
    assert capsys.readouterr().out.count("######") == 2


def test_remove_and_clear(timer: ProfilingTimer) -> None:
    timer.start("a")
    timer.stop("a")
    timer.remove("a")
    with pytest.raises(KeyError):
        timer.history("a")
    with pytest.raises(KeyError):
        timer.remove("a")
    timer.start("b", "other")
    timer.stop("b", "other")
    timer.clear()
    with pytest.raises(KeyError):
        timer.history("b", "other")


def test_copies_and_pickles_keep_the_history(timer: ProfilingTimer) -> None:
    class Model:
        def __init__(self) -> None:
            self.timer = timer

    timer.disable_context("off")
    for name in ("a", 3):
        timer.start(name, "forward")
        timer.stop(name, "forward")
    timer.start("running")
    twin = copy.deepcopy(Model()).timer
    again = pickle.loads(pickle.dumps(timer))
    for other in (twin, again):
        for name in ("a", 3):
            assert other.history(name, "forward") == timer.history(name, "forward")
        assert other.stop("running") is None
        other.start("x", "off")
        assert other.stop("x", "off") is None
        other.start("a", "forward")
        assert other.stop("a", "forward") is not None
    assert len(timer.history("a", "forward")) == 1
    assert (twin.name, twin.device) == (timer.name, timer.device)


def test_durations_that_a_failing_device_did_not_tell_are_asked_for_again(
    timer: ProfilingTimer,
) -> None:
    failures = [RuntimeError("the device is gone")]

    class Elapsed:
        def settle(self, wait: bool) -> tuple[int, int]:
            if failures:
                raise failures.pop()
            return 5_000_000, 1

    class Gauge:
        def start(self) -> object:
            return self

        def stop(self, _token: object) -> tuple[Elapsed, None, int, int]:
            return Elapsed(), None, 0, 0

    timer._measure(Gauge())
    for _ in range(3):
        timer.start("a")
        timer.stop("a")
    with pytest.raises(RuntimeError, match="is gone"):
        timer.history("a")
    assert timer.history("a") == [0.005] * 3


def test_a_subclass_is_copied_as_itself() -> None:
    copied = copy.deepcopy(Own(device="cpu"))
    assert type(copied) is Own


class Own(ProfilingTimer):
    """At module level, so that it can be pickled."""


@pytest.mark.parametrize("device", ["cpu", -1, None])
def test_devices_that_are_the_host(device: object) -> None:
    timer = ProfilingTimer(device=device)
    timer.start()
    assert isinstance(timer.stop(), float)
    timer.synchronize()
    assert timer.gct() > 0
    before = time.perf_counter()
    assert before <= timer.gct(relative=False) <= time.perf_counter()


@pytest.mark.parametrize("device", ["cuda:0", [0, 1], 0])
def test_a_device_that_is_not_there_is_host_time_and_said_on_the_log(
    device: object, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    from laptime.compat.torchtimer import _timer

    _timer._said.clear()
    with caplog.at_level(logging.INFO, "laptime"):
        timer = ProfilingTimer(device=device)
        torch = pytest.importorskip("torch")
        if torch.cuda.is_available():
            pytest.skip("there is a device")
        timer.start()
        assert isinstance(timer.stop(), float)
        timer.summarize()
        timer.summarize()
    assert caplog.text.count("are host memory: ") == 1
    assert "host time" in caplog.text
    assert "host memory" not in capsys.readouterr().out


def test_visualize_writes_a_page_with_every_context_and_ally(tmp_path: Path) -> None:
    ally = ProfilingTimer(name="data", device="cpu")
    timer = ProfilingTimer(name="training", device="cpu", allies=[ally])
    for one, name, context in ((timer, "forward pass", "model"), (ally, "load it", None)):
        one.start(name, context)
        one.stop(name, context)
    for path in (tmp_path / "page.html", str(tmp_path / "page.html")):
        timer.visualize(path, figsize=(800, 400))
        assert (tmp_path / "page.html").read_text().lower().startswith("<!doctype html>")
    ProfilingTimer(device="cpu").visualize(tmp_path / "empty.html")
    with pytest.raises(OSError, match="no such"):
        timer.visualize(tmp_path / "no such" / "page.html")


def test_memory_off_shows_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    timer = ProfilingTimer(device="cpu", memory=False)
    timer.start()
    timer.stop()
    timer.summarize()
    assert rows(capsys.readouterr().out)["'default'"][-2:] == ["\N{EN DASH}"] * 2
    assert timer.history("default", field="net_memory_allocated") == [None]


def test_memory_that_stays_is_seen(timer: ProfilingTimer) -> None:
    timer.start("block")
    block = bytearray(b"1") * (64 << 20)
    timer.stop("block")
    (net,) = timer.history("block", field="net_memory_allocated")
    assert net > 48 << 20
    (peak,) = timer.history("block", field="peak_memory_allocated")
    assert peak >= net
    assert len(block) == 64 << 20


def test_segments_are_leaf_spans_of_the_lap_open_at_their_start() -> None:
    timer = ProfilingTimer(device="cpu")
    with lt.lap("around a profiling timer"):
        timer.start("linear")
        timer.stop("linear")
    assert lt.report()["around a profiling timer/linear"].count == 1


def test_contexts_and_segments_have_any_text_as_name(timer: ProfilingTimer) -> None:
    name = "\ud800"
    timer.start(name, name)
    timer.stop(name, name)
    assert len(timer.history(name, name)) == 1
    timer.disable_context(name)
    timer.start(name, name)
    assert timer.stop(name, name) is None
    timer.enable_context(name)
    timer.remove(name, name)
    with pytest.raises(KeyError):
        timer.history(name, name)
