"""A program's own NVTX ranges and `record_function`s, which become laps with no edit."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
cuda_nvtx = torch.cuda.nvtx


@pytest.fixture
def phases(tmp_path: Path) -> Iterator[lt.Record]:
    with lt.record(tmp_path / "test.lap", phases=True) as record:
        yield record


class _NoCuda:
    """What torch's NVTX is in a build without CUDA."""

    @staticmethod
    def _fail(*_: object) -> None:
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")

    rangePushA = rangePop = markA = _fail


def test_torchs_ranges_are_laps_and_return_what_they_returned(
    phases: lt.Record, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    depths = iter(range(10))

    class Nvtx:
        rangePushA = staticmethod(lambda _: next(depths))
        rangePop = staticmethod(lambda: 7)
        markA = staticmethod(lambda _: None)
        rangeStartA = staticmethod(lambda _: 99)
        rangeEnd = staticmethod(lambda _: None)

    monkeypatch.setattr(cuda_nvtx, "_nvtx", Nvtx)
    assert (cuda_nvtx.range_push("outer"), cuda_nvtx.range_push(msg="inner")) == (0, 1)
    assert (cuda_nvtx.range_pop(), cuda_nvtx.range_pop(), cuda_nvtx.range_pop()) == (7, 7, 7)
    with cuda_nvtx.range("batch {}", 3):
        cuda_nvtx.mark("here")
    started = cuda_nvtx.range_start("started")
    with lt.lap("meanwhile"):
        cuda_nvtx.range_end(started)
    assert started == 99
    cuda_nvtx.range_start("never")
    phases.stop()
    recording = lt.open(phases.path)
    report = recording.report()
    for path in ("outer", "outer/inner", "batch 3", "started", "meanwhile"):
        assert report[path].count == 1, path
    assert "here" in str(report)
    said = "1 range was started and never ended, and so no lap: 'never'"
    assert said in report.warnings
    with lt.record(tmp_path / "next.lap") as after:
        pass
    assert said not in lt.open(after.path).report().warnings


def test_where_torch_has_no_nvtx_it_raises_as_before_and_there_is_no_lap(
    phases: lt.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_nvtx, "_nvtx", _NoCuda)
    with pytest.raises(RuntimeError, match="NVTX functions not installed") as raised:
        cuda_nvtx.range_push("a")
    # Nothing of Laptime's stands in the traceback.
    assert [entry.name for entry in raised.traceback][-2:] == ["range_push", "_fail"]
    with pytest.raises(RuntimeError), cuda_nvtx.range("b"):
        pass
    with pytest.raises(RuntimeError):
        cuda_nvtx.mark("c")
    with pytest.raises(RuntimeError):
        cuda_nvtx.range_pop()
    phases.stop()
    assert not [path for path in lt.open(phases.path).report() if path in ("a", "b")]


def test_record_functions_are_laps_as_context_managers_decorators_and_by_hand(
    phases: lt.Record,
) -> None:
    @torch.profiler.record_function("decorated")
    def decorated() -> int:
        return 5

    with torch.autograd.profiler.record_function("with"):
        assert decorated() == 5
    by_hand = torch.profiler.record_function("by hand")
    assert by_hand.__enter__() is by_hand
    by_hand.__exit__(None, None, None)
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.profiler.record_function("stack"))
    with contextlib.suppress(KeyError), torch.profiler.record_function("raises"):
        raise KeyError
    phases.stop()
    report = lt.open(phases.path).report()
    for path in ("with", "with/decorated", "by hand", "stack", "raises"):
        assert report[path].count == 1, path


def test_torchs_own_record_functions_are_no_laps(phases: lt.Record) -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in torch.utils.data.DataLoader(torch.ones(3, 2)):
        with torch.profiler.record_function("mine"):
            loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    phases.stop()
    report = lt.open(phases.path).report()
    assert report["step/mine/forward"].count == 3
    names = {name for path in report for name in str(path).split("/")}
    assert not {name for name in names if "#" in name or "SGD" in name or "Loader" in name}


def test_the_nvtx_packages_ranges_are_laps(phases: lt.Record) -> None:
    nvtx = pytest.importorskip("nvtx")

    @nvtx.annotate(color="red")
    def decorated(value: int) -> int:
        return value + 1

    @nvtx.annotate("named")
    def raises() -> None:
        raise KeyError("mine")

    with nvtx.annotate("with", domain="mine"):
        assert decorated(1) == 2
    assert decorated.__name__ == "decorated"
    with pytest.raises(KeyError, match="mine"):
        raises()
    nvtx.push_range("pushed")
    nvtx.push_range("elsewhere", domain="other")
    nvtx.pop_range()
    nvtx.pop_range(domain="other")
    nvtx.pop_range()
    nvtx.mark("here")
    nvtx.end_range(nvtx.start_range("started"))
    phases.stop()
    report = lt.open(phases.path).report()
    for path in ("with/decorated", "named", "pushed", "pushed/elsewhere", "started"):
        assert report[path].count == 1, path
    assert "here" in str(report)


def test_ranges_without_a_number_that_overlap_are_told_and_no_laps(phases: lt.Record) -> None:
    nvtx = pytest.importorskip("nvtx")
    first, second = nvtx.start_range("first"), nvtx.start_range("second")
    nvtx.end_range(first)
    nvtx.end_range(second)
    nvtx.end_range(nvtx.start_range("alone"))
    phases.stop()
    report = lt.open(phases.path).report()
    assert report["alone"].count == 1
    if first is None:  # as no tool is attached
        assert "first" not in report
        assert "second" not in report
        assert any("ranges of nvtx.start_range overlapped" in one for one in report.warnings)


def test_torchs_ranges_that_all_have_the_number_0_are_laps_where_they_do_not_overlap(
    phases: lt.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WithoutTool:
        rangeStartA = staticmethod(lambda _: 0)
        rangeEnd = staticmethod(lambda _: None)

    monkeypatch.setattr(cuda_nvtx, "_nvtx", WithoutTool)
    first, second = cuda_nvtx.range_start("first"), cuda_nvtx.range_start("second")
    cuda_nvtx.range_end(first)
    cuda_nvtx.range_end(second)
    for name in ("alone", "never"):
        started = cuda_nvtx.range_start(name)
        if name == "alone":
            cuda_nvtx.range_end(started)
    phases.stop()
    report = lt.open(phases.path).report()
    assert report["alone"].count == 1
    assert not {"first", "second", "never"} & set(report)
    said = "ranges of torch.cuda.nvtx.range_start overlapped and are no laps"
    assert any(said in one for one in report.warnings)
    assert any("1 range was started and never ended" in one for one in report.warnings)


def test_a_range_that_is_used_again_inside_of_itself_and_by_threads(phases: lt.Record) -> None:
    nvtx = pytest.importorskip("nvtx")
    again = nvtx.annotate("again")
    with again, again:
        pass

    def work() -> None:
        with again:
            pass

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    phases.stop()
    report = lt.open(phases.path).report()
    assert (report["again"].count, report["again/again"].count) == (3, 1)


def test_a_function_that_is_decorated_at_each_call_is_one_lap_a_call(phases: lt.Record) -> None:
    nvtx = pytest.importorskip("nvtx")

    def forward() -> int:
        return 1

    assert [nvtx.annotate("forward")(forward)() for _ in range(3)] == [1, 1, 1]
    phases.stop()
    report = lt.open(phases.path).report()
    assert report["forward"].count == 3
    assert "forward/forward" not in report


def test_what_is_watched_stays_what_it_is_and_is_let_go(tmp_path: Path) -> None:
    functions = (cuda_nvtx.range_push, torch.profiler.record_function.__enter__)
    record = lt.record(tmp_path / "a.lap", phases=True)
    assert functions == (cuda_nvtx.range_push, torch.profiler.record_function.__enter__)
    record.stop()
    with torch.profiler.record_function("afterwards"):
        pass
    assert "afterwards" not in lt.report()
    assert all(
        type(function) is type(test_what_is_watched_stays_what_it_is_and_is_let_go)
        for function in functions
    )


def test_a_program_that_replaces_the_same_functions_stays_right(
    phases: lt.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    original = cuda_nvtx.range_push

    def mine(msg: str) -> Any:
        calls.append(msg)
        return original(msg)

    monkeypatch.setattr(cuda_nvtx, "_nvtx", _Counts)
    monkeypatch.setattr(cuda_nvtx, "range_push", mine)
    assert cuda_nvtx.range_push("a") == 0
    cuda_nvtx.range_pop()
    monkeypatch.undo()
    assert cuda_nvtx.range_push is original
    phases.stop()
    assert calls == ["a"]
    assert lt.open(phases.path).report()["a"].count == 1


class _Counts:
    rangePushA = staticmethod(lambda _: 0)
    rangePop = staticmethod(lambda: 0)


def _profiled(x: Any) -> Any:
    with torch.profiler.record_function("inside"):
        return x * 2 + 1


def _pushed(x: Any) -> Any:
    cuda_nvtx.range_push("inside")
    y = x * 2 + 1
    cuda_nvtx.range_pop()
    return y


def _annotated(x: Any) -> Any:
    nvtx = pytest.importorskip("nvtx")

    @nvtx.annotate("inside")
    def inside(x: Any) -> Any:
        return x * 2

    return torch._dynamo.explain(lambda x: inside(x) + 1)(x)


def test_functions_that_nvtx_decorates_are_compiled_as_before(tmp_path: Path) -> None:
    def graphs() -> tuple[int, int]:
        torch._dynamo.reset()
        explained = _annotated(torch.ones(2))
        return explained.graph_count, explained.graph_break_count

    before = graphs()
    with lt.record(tmp_path / "a.lap", phases=True):
        assert graphs() == before


class _Scripted(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("inside"):
            return x * 2 + 1


@pytest.mark.parametrize("function", [_profiled, _pushed])
def test_compiled_code_has_the_graphs_that_it_had(tmp_path: Path, function: Any) -> None:
    def graphs() -> tuple[int, int, list[str]]:
        torch._dynamo.reset()
        explained = torch._dynamo.explain(function)(torch.ones(2))
        reasons = [str(reason.reason) for reason in explained.break_reasons]
        return explained.graph_count, explained.graph_break_count, reasons

    before = graphs()
    with lt.record(tmp_path / "a.lap", phases=True):
        torch._dynamo.reset()
        assert torch.compile(function, backend="eager")(torch.ones(2)).tolist() == [3, 3]
        assert graphs() == before
    assert graphs() == before


def test_scripted_and_traced_code_is_what_it_was(tmp_path: Path) -> None:
    def made() -> list[str]:
        scripted = torch.jit.script(_Scripted())
        assert scripted(torch.ones(2)).tolist() == [3, 3]
        return [str(scripted.graph), str(torch.fx.symbolic_trace(_Scripted()).graph)]

    before = made()
    with lt.record(tmp_path / "a.lap", phases=True):
        assert [len(one) for one in made()] == [len(one) for one in before]
    with lt.record(tmp_path / "b.lap", phases=True):
        scripted = torch.jit.script(_Scripted())
    assert scripted(torch.ones(2)).tolist() == [3, 3]
