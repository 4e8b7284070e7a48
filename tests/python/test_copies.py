"""What a program keeps, it also copies, pickles and sends to other processes."""

from __future__ import annotations

import copy
import functools
import inspect
import multiprocessing
import pickle
import subprocess
import sys
import typing
import weakref
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime import _core

pytestmark = pytest.mark.interpreter

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def copies(value: Any) -> list[Any]:
    """Every way to copy a value in this process."""
    pickled = [pickle.loads(pickle.dumps(value, protocol)) for protocol in PROTOCOLS]
    return [copy.copy(value), copy.deepcopy(value), *pickled]


def test_a_copied_lap_is_an_equal_lap() -> None:
    lap = lt.lap("copied")
    for copied in copies(lap):
        assert copied == lap
        assert hash(copied) == hash(lap)


def test_a_copied_lap_is_the_same_lap_while_names_are_few(run: Any) -> None:
    run(
        "import copy, pickle, laptime as lt\n"
        "lap = lt.lap('copied')\n"
        "assert copy.deepcopy(lap) is copy.copy(lap) is pickle.loads(pickle.dumps(lap)) is lap"
    )


def test_a_copied_lap_keeps_the_work_it_was_given() -> None:
    lap = lt.lap("copied with work", flop=2**70, bytes=3)
    for copied in copies(lap):
        assert copied == lap
        assert hash(copied) == hash(lap)
        with copied:
            assert (copied.flop, copied.bytes) == (2**70, 3)


def test_laps_are_equal_when_name_and_work_are() -> None:
    class Name(str):
        pass

    assert lt.lap("same") == lt.lap(Name("same")) == lt.lap("".join(["sa", "me"]))
    assert lt.lap("same") != lt.lap("other")
    assert lt.lap("same") != lt.lap("same", flop=1) != lt.lap("same", flop=2)
    assert lt.lap("same", flop=1) == lt.lap("same", flop=1)
    assert lt.lap("same") != "same"
    assert len({lt.lap("same"), lt.lap("same"), lt.lap("same", flop=1)}) == 2
    with pytest.raises(TypeError):
        sorted([lt.lap("same"), lt.lap("same")])  # type: ignore[type-var]


def test_many_laps_are_copied_as_equals(run: Any) -> None:
    code = """
import copy, pickle
import laptime as lt
laps = [lt.lap(f"lap {number}") for number in range(3000)]
assert copy.deepcopy(laps) == laps == pickle.loads(pickle.dumps(laps))
"""
    run(code)


def test_a_model_that_keeps_a_lap_in_use_is_deep_copied() -> None:
    class Model:
        def __init__(self) -> None:
            self.lap = lt.lap("model that is copied")
            self.timer = lt.Timer()

    model = Model()
    with model.lap:
        copied = copy.deepcopy(model)
        with copied.lap:
            assert _core.current_path() == ["model that is copied"] * 2
    assert _core.current_path() == []


def test_a_name_holds_nothing_but_its_text() -> None:
    class Name(str):
        holds: Any

    name = Name("a name that holds its lap")
    name.holds = lt.lap(name, flop=1)
    seen = weakref.ref(name)
    assert type(name.holds.name) is str
    del name
    assert seen() is None


def test_a_copied_timer_has_the_history_and_runs_nothing() -> None:
    timer = lt.Timer("copied", clock="thread", cpu=True)
    side = timer.context("side")
    for _ in range(3):
        timer.start("done")
        timer.stop("done")
    side.start("aside")
    side.stop("aside")
    side.disable()
    timer.start("runs")
    for copied in copies(timer):
        assert repr(copied) == repr(timer)
        assert copied.history("done") == timer.history("done")
        assert copied.history("aside", context="side") == timer.history("aside", context="side")
        assert copied.context("side").start("off") is None
        assert copied.stop("runs") is None
        assert str(copied.summary()) == str(timer.summary())
        copied.start("done")
        copied.stop("done")
        assert len(copied.history("done")) == 4
    assert len(timer.history("done")) == 3
    assert timer.stop("runs") is not None


def test_a_copied_context_belongs_to_the_copied_timer() -> None:
    timer = lt.Timer("whole")
    context = timer.context("part")
    context.start("a")
    context.stop("a")
    timers, contexts = copy.deepcopy(([timer], [context]))
    contexts[0].start("a")
    contexts[0].stop("a")
    assert len(timers[0].history("a", context="part")) == 2
    assert len(timer.history("a", context="part")) == 1
    assert len(pickle.loads(pickle.dumps(context)).history("a")) == 1
    copy.copy(context).start("b")
    assert context.stop("b") is not None


def test_timers_can_be_held_weakly() -> None:
    timer = lt.Timer()
    assert weakref.ref(timer)() is timer
    assert weakref.WeakSet([timer.context("main")]) is not None


def test_reports_are_copied_as_themselves_and_say_why_they_are_not_pickled() -> None:
    with lt.lap("reported"):
        pass
    report = lt.report()
    for value in (report, report["reported"], report.to_arrow()):
        assert copy.copy(value) is value
        assert copy.deepcopy([value])[0] is value
        with pytest.raises(TypeError, match="cannot be pickled: pickle"):
            pickle.dumps(value)


def test_a_recording_is_pickled_as_its_path(recording: Path) -> None:
    with lt.record(recording), lt.lap("recorded"):
        pass
    for opened in (lt.open(recording), lt.open(recording, salvage=True)):
        for copied in copies(opened):
            assert copied.path == opened.path
            assert copied.report()["recorded"].count == 1


def test_a_recording_in_progress_is_copied_as_itself(recording: Path) -> None:
    with lt.record(recording) as record:
        assert copy.copy(record) is record
        assert copy.deepcopy([record])[0] is record
        elsewhere = pickle.loads(pickle.dumps(record))
        assert elsewhere.path == record.path
        elsewhere.stop()
        with lt.lap("still recorded"):
            pass
    assert lt.open(recording).report()["still recorded"].count == 1


class Kept:
    """What a program sends to a process."""

    def __init__(self) -> None:
        self.lap = lt.lap("sent")
        self.work = lt.lap("sent with work", flop=5)
        self.timer = lt.Timer("sent")

    @lt.lap
    def method(self) -> str:
        return "/".join(_core.current_path())

    @lt.lap("named")
    @staticmethod
    def static(x: int) -> int:
        return x

    @classmethod
    @lt.lap
    def build(cls) -> Kept:
        return cls()

    @property
    @lt.lap
    def value(self) -> int:
        return 7


@lt.lap
def decorated(x: int, *, y: str = "1") -> int:
    """Doubles.

    >>> decorated(2)
    4
    """
    return 2 * x


def work(kept: Kept) -> str:
    with kept.lap, kept.work:
        return kept.method()


def test_a_spawned_process_gets_what_it_is_sent() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        sent = pool.apply(work, (Kept(),))
        doubled = pool.map(decorated, [1, 2])
    assert sent == "sent/sent with work/Kept.method"
    assert doubled == [2, 4]


def test_a_process_without_laptime_yet_reads_what_was_pickled(tmp_path: Path) -> None:
    timer = lt.Timer("read elsewhere")
    timer.start("a")
    timer.stop("a")
    file = tmp_path / "pickled"
    file.write_bytes(pickle.dumps((lt.lap("x"), lt.lap("y", bytes=1), timer, timer.context("z"))))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=100
    )
    expected = "(<lap 'x'>, <lap 'y'>, <laptime.Timer \"read elsewhere\">, "
    assert done.stdout.startswith(expected), done.stderr


@pytest.mark.parametrize("library", ["cloudpickle", "dill"])
def test_libraries_that_pickle_more_pickle_laps(library: str) -> None:
    module = pytest.importorskip(library)
    kept = Kept()
    again = module.loads(module.dumps(kept))
    assert (again.lap, again.work) == (kept.lap, kept.work)


def test_torch_saves_and_copies_a_module_that_keeps_laps(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Model(torch.nn.Linear):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(2, 2)
            self.lap = lt.lap("in a module")
            self.timer = lt.Timer("in a module")

    model = Model()
    copied = copy.deepcopy(model)
    assert copied.lap is model.lap
    assert copied.timer is not model.timer
    torch.save(Kept(), tmp_path / "kept.pt")
    assert torch.load(tmp_path / "kept.pt", weights_only=False).lap == lt.lap("sent")


def test_decorated_functions_and_methods_are_copied_and_pickled_by_their_name() -> None:
    for function in (decorated, Kept.method, Kept.static):
        for copied in copies(function):
            assert copied is function
    kept = copy.deepcopy(Kept())
    assert kept.method() == "Kept.method"
    assert pickle.loads(pickle.dumps(kept.method))() == "Kept.method"
    assert (kept.value, kept.static(3), type(kept.build())) == (7, 3, Kept)
    assert weakref.WeakMethod(kept.method)() == kept.method


def test_a_decorated_function_looks_like_itself_from_outside() -> None:
    import doctest

    assert inspect.isfunction(decorated)
    assert str(inspect.signature(decorated)) == "(x: 'int', *, y: 'str' = '1') -> 'int'"
    assert "Doubles." in inspect.getsource(decorated)
    assert typing.get_type_hints(decorated) == {"x": int, "y": str, "return": int}
    assert typing.get_type_hints(Kept.method) == {"return": str}
    found = doctest.DocTestFinder().find(decorated, globs=globals())
    assert [len(test.examples) for test in found] == [1]
    assert decorated.__module__ == __name__


def test_decorators_above_and_below_keep_working() -> None:
    import abc

    @lt.lap
    @functools.singledispatch
    def kind(value: Any) -> str:
        return "any"

    @functools.singledispatch
    @lt.lap
    def other(value: Any) -> str:
        return "any"

    @other.register
    @lt.lap
    def _of_int(value: int) -> str:
        return "int"

    class Abstract(abc.ABC):
        @lt.lap
        @abc.abstractmethod
        def below(self) -> None: ...

        @abc.abstractmethod
        @lt.lap
        def above(self) -> None: ...

    @lt.lap
    @functools.lru_cache
    def cached(value: int) -> int:
        return value

    assert kind(1) == "any"
    kind.register(int, lambda value: "int")  # type: ignore[attr-defined]
    assert kind(1) == "int"
    assert (other(1), other("")) == ("int", "any")
    assert Abstract.__abstractmethods__ == {"above", "below"}
    assert cached(1) == cached(1) == 1
    assert cached.cache_info().hits == 1  # type: ignore[attr-defined]
