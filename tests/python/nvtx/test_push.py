"""`lt.push` and `lt.pop`."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable

import pytest

import laptime as lt
from laptime import _push


@pytest.fixture(autouse=True)
def nothing_pushed() -> None:
    """What another test left open is nothing that a test's own pops could close."""
    _push._opened().set(None)


def test_what_is_pushed_is_a_lap_until_it_is_popped() -> None:
    lt.push("outer")
    with lt.lap("lap"):
        lt.push("inner")
        lt.pop()
    lt.pop()
    report = lt.report()
    assert {path: report[path].count for path in ("outer", "outer/lap", "outer/lap/inner")} == {
        "outer": 1,
        "outer/lap": 1,
        "outer/lap/inner": 1,
    }


def test_a_pop_too_many_warns_once_and_does_nothing(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_push, "_has_warned", False)
    with caplog.at_level(logging.WARNING, "laptime"), lt.lap("around"):
        lt.pop()
        lt.pop()
    assert len(caplog.records) == 1
    assert "nothing was closed" in caplog.text
    assert lt.report()["around"].count == 1


def test_threads_and_tasks_close_what_they_opened_and_nobody_elses(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_push, "_has_warned", False)

    async def task(name: str) -> None:
        lt.push(name)
        await asyncio.sleep(0)
        lt.pop()
        lt.pop()  # that of who made the task is not its own

    async def main() -> None:
        lt.push("main")
        await asyncio.gather(task("a"), task("b"))
        lt.pop()

    lt.push("thread")
    asyncio.run(main())
    other = threading.Thread(target=lt.pop)
    other.start()
    other.join()
    lt.pop()
    report = lt.report()
    for path in ("thread", "thread/main", "thread/main/a", "thread/main/b"):
        assert report[path].count == 1, path
    assert len(caplog.records) == 1, "of the first pop too many"


def test_a_lap_that_ends_around_it_leaves_nothing_to_pop_twice() -> None:
    with lt.lap("around"):
        lt.push("left")
    lt.push("next")
    lt.pop()
    assert lt.report()["next"].count == 1


def test_a_program_that_never_pops_keeps_what_is_open_only() -> None:
    for _ in range(1_000):
        with lt.lap("around"):
            lt.push("left")
    depth, entry = 0, _push._opened().get()
    while entry is not None:
        depth, entry = depth + 1, entry[2]
    assert depth <= _push._MOST_CLOSED


def test_a_push_costs_the_same_however_many_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(token: int, is_open: Callable[[int], bool] = _push.is_open) -> bool:
        nonlocal asked
        asked += 1
        return is_open(token)

    monkeypatch.setattr(_push, "is_open", counted)
    for _ in range(2_000):
        lt.push("left open")
    assert asked < 2 * 2_000
    for _ in range(2_000):
        lt.pop()
    assert _push._opened().get() is None


def test_a_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a str, not int"):
        lt.push(5)  # type: ignore[arg-type]


def test_nothing_is_said_while_laps_are_off(caplog: pytest.LogCaptureFixture) -> None:
    lt.disable()
    try:
        lt.push("a")
        lt.pop()
    finally:
        lt.enable()
    assert not caplog.records
