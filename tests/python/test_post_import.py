"""Callbacks after an import."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

import laptime as lt
from laptime import _post_import
from laptime._post_import import when_imported

pytestmark = pytest.mark.interpreter


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_callback_comes_after_the_module_is_complete(modules: Path) -> None:
    (modules / "post_import_late.py").write_text("value = 1\nvalue = 2\n")
    seen: list[int] = []

    def note(module: ModuleType) -> None:
        seen.append(module.value)

    when_imported("post_import_late", note)
    assert seen == []
    import post_import_late  # type: ignore[import-not-found]

    assert seen == [2]
    import post_import_late  # noqa: F811

    assert post_import_late.value == 2
    assert seen == [2]


def test_a_module_that_is_there_already_is_called_at_once() -> None:
    seen: list[ModuleType] = []
    when_imported("sys", seen.append)
    assert seen == [sys]


def test_several_callbacks_come_in_order(modules: Path) -> None:
    (modules / "post_import_order.py").write_text("")
    seen: list[int] = []
    for number in range(3):
        when_imported("post_import_order", lambda _, number=number: seen.append(number))
    import post_import_order  # type: ignore[import-not-found] # noqa: F401

    assert seen == [0, 1, 2]


def test_recordings_that_ended_wait_for_no_module(tmp_path: Path) -> None:
    def record() -> dict[str, int]:
        with lt.record(tmp_path / "a.lap", memory=True, streams="all", phases=True, force=True):
            pass
        return {name: len(waiting) for name, waiting in _post_import._waiting.items()}

    assert record() == record()


def test_a_failing_callback_does_not_fail_the_import(
    modules: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (modules / "post_import_fails.py").write_text("")

    def fail(_: ModuleType) -> None:
        raise RuntimeError("broken hook")

    when_imported("post_import_fails", fail)
    import post_import_fails  # type: ignore[import-not-found] # noqa: F401

    assert "broken hook" in caplog.text


def test_a_module_that_fails_to_import_calls_nothing(modules: Path) -> None:
    (modules / "post_import_broken.py").write_text("raise ValueError('no')")
    seen: list[ModuleType] = []
    when_imported("post_import_broken", seen.append)
    with pytest.raises(ValueError, match="no"):
        import post_import_broken  # type: ignore[import-not-found] # noqa: F401
    assert seen == []


@pytest.mark.parametrize("begin", [sys.settrace, sys.setprofile])
def test_tracers_see_nothing_of_the_look_at_other_imports(modules: Path, begin: Any) -> None:
    (modules / f"post_import_{begin.__name__}.py").write_text("")
    when_imported("post_import_never", lambda _: None)
    seen: list[str] = []

    def trace(frame: FrameType, event: str, argument: object) -> None:
        # Not its text: an object may be half made.
        named = [getattr(argument, name, "") for name in ("__module__", "__qualname__")]
        seen.append(f"{frame.f_code.co_filename} {event} {type(argument).__name__} {named}")

    begin(trace)
    try:
        importlib.import_module(f"post_import_{begin.__name__}")
    finally:
        begin(None)
    assert seen
    ours = ("laptime/_", "laptime._", "FindsWaited")
    assert [line for line in seen if any(name in line for name in ours)] == []
