"""`lt.track`: spans of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import laptime as lt
from laptime import _core


@pytest.mark.interpreter
def test_one_span_per_iteration_with_its_wait_as_data() -> None:
    seen = []
    for item in lt.track(range(4), "tracked"):
        seen.append(item)
        assert _core.current_path() == ["tracked"]
        with lt.lap("body"):
            pass
    assert seen == [0, 1, 2, 3]
    report = lt.report()
    assert [report[f"tracked{rest}"].count for rest in ("", "/data", "/body")] == [4, 4, 4]
    assert _core.current_path() == []


def test_laps_of_the_loader_stand_under_data() -> None:
    def loader() -> Iterator[int]:
        for number in range(3):
            with lt.lap("read"):
                pass
            yield number

    list(lt.track(loader(), "with loader"))
    assert lt.report()["with loader/data/read"].count == 3


@pytest.mark.interpreter
def test_leaving_early_closes_the_iteration() -> None:
    for item in lt.track(range(10), "left loop"):
        if item == 2:
            break
    assert _core.current_path() == []
    assert lt.report()[("left loop",)].count == 3


@pytest.mark.interpreter
def test_an_exception_in_the_body_closes_the_iteration() -> None:
    with pytest.raises(KeyError):
        for _ in lt.track(range(10), "raised in"):
            raise KeyError
    assert _core.current_path() == []
    assert lt.report()[("raised in",)].count == 1


@pytest.mark.interpreter
def test_an_exception_of_the_loader_passes() -> None:
    def loader() -> Iterator[int]:
        yield 1
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(lt.track(loader(), "bad loader"))
    assert _core.current_path() == []
    row = lt.report()["bad loader/data"]
    assert (row.count, row.unbalanced_count) == (2, 0)


@pytest.mark.interpreter
def test_nothing_to_iterate_leaves_no_span() -> None:
    assert list(lt.track([], "empty loop")) == []
    assert "empty loop" not in lt.report()


def test_it_can_be_iterated_again_and_has_a_length() -> None:
    loop = lt.track([1, 2], "epochs")
    assert len(loop) == 2
    assert list(loop) == list(loop) == [1, 2]
    assert lt.report()["epochs"].count == 4
    with pytest.raises(TypeError):
        len(lt.track(iter([1])))


def test_tracks_nest() -> None:
    for _ in lt.track(range(2), "outer loop"):
        for _ in lt.track(range(3), "inner loop"):
            pass
    assert lt.report()["outer loop/inner loop"].count == 6


def test_what_cannot_be_gone_over_is_named_with_what_can() -> None:
    with pytest.raises(TypeError, match=r"goes over items, not int: .* range\(5\)$"):
        list(lt.track(5))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"goes over items, not NoneType$"):
        list(lt.track(None))  # type: ignore[arg-type]

    class Broken:
        def __iter__(self) -> Any:
            raise TypeError("its own")

    with pytest.raises(TypeError, match=r"^its own$"):
        list(lt.track(Broken()))
