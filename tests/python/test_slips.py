"""What people mistype in Python is answered with what works, at the line where it stands."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


@pytest.fixture
def report() -> lt.Report:
    lt.reset()
    for name in ("solver", "load", *(f"more {number}" for number in range(9))):
        with lt.lap(name):
            pass
    return lt.report()


def test_a_path_that_is_not_there_is_answered_with_the_nearest_that_are(report: lt.Report) -> None:
    with pytest.raises(KeyError) as raised:
        report["solve"]
    told = raised.value.args[0]
    assert told.startswith("no path is or ends in 'solve'; did you mean \"solver\"? (paths here: ")
    paths = told.partition("(paths here: ")[2].partition(" and ")
    assert paths[0].split(", ")[0] == "solver"
    assert len(paths[0].split(", ")) == 8
    assert paths[2].endswith(" more)")


def test_a_report_of_nothing_says_so(run: Any) -> None:
    done = run(
        "import laptime as lt\nlt.reset()\ntry:\n  lt.report()['step']\n"
        "except KeyError as error:\n  print(error)"
    )
    assert "no path is or ends in 'step'" in done.stdout


def test_a_number_without_its_unit_is_answered_with_it(report: lt.Report) -> None:
    row = report["solver"]
    said = 'a span summary has no number called "p50"; did you mean p50_ns?'
    with pytest.raises(AttributeError) as raised:
        row.p50  # type: ignore[attr-defined]  # noqa: B018
    assert str(raised.value) == said
    with pytest.raises(AttributeError) as raised:
        row.why("p50")
    assert str(raised.value) == said
    with pytest.raises(AttributeError, match='a report has no number called "p50"; did you mean'):
        report.why("p50")
    with pytest.raises(AttributeError, match=r'a report has no number called "nonsense"$'):
        report.why("nonsense")
    assert not hasattr(row, "nonsense")
    for known in ("steady", "functions", "p50_ns", "device_memory_reserved_bytes"):
        report.why(known)


def test_with_a_path_a_report_is_written_there(report: lt.Report, tmp_path: Path) -> None:
    for write in (report.to_csv, report.to_json, report.to_markdown, report.to_html):
        text = write()
        assert isinstance(text, str)
        for path in (tmp_path / "out", str(tmp_path / "out"), os.fsencode(tmp_path / "out")):
            (tmp_path / "out").write_text("what was there before" * 100_000)
            assert write(path) is None
            assert (tmp_path / "out").read_bytes().decode() == text
        assert write(path=None) == text
        with pytest.raises(FileNotFoundError):
            write(tmp_path / "missing" / "out")
        with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike object, not int"):
            write(3)  # type: ignore[call-overload]
    json.loads(report.to_json())
    assert report.to_html().startswith("<!")


def test_track_as_a_decorator_is_refused_at_once() -> None:
    said = r"lt\.track takes an iterable, not the function .*train: .*decorate it with @lt\.lap"
    with pytest.raises(TypeError, match=said):

        @lt.track
        def train() -> None: ...

    class Loader:
        def __iter__(self) -> Any:
            return iter([1])

        def __call__(self) -> None: ...

    assert list(lt.track(Loader())) == [1]


def test_a_metric_that_is_no_number_is_named() -> None:
    with pytest.raises(TypeError, match=r"^the metric 'loss' takes a number, not 'high'$"):
        lt.metric("loss", "high")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^the metric 'loss' takes a number, not NoneType$"):
        lt.metric("loss", None)  # type: ignore[arg-type]

    class Failing:
        def __float__(self) -> float:
            raise RuntimeError("on another device")

    with pytest.raises(RuntimeError, match="on another device"):
        lt.metric("loss", Failing())  # type: ignore[arg-type]
    lt.metric("loss", 3)
    lt.metric("loss", True)


def test_paths_of_bytes_are_paths(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "x.lap")
    for force in (False, True):
        with lt.record(path, force=force) as recorded, lt.lap("of bytes"):
            pass
        assert recorded.path == tmp_path / "x.lap"
    assert lt.open(path).report()["of bytes"].count == 1
    with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike object, not NoneType"):
        lt.record(None)  # type: ignore[arg-type]


def test_a_report_without_a_lap_shows_how_one_is_written(run: Any) -> None:
    done = run("import laptime as lt\nlt.reset()\nprint(lt.report().to_html())")
    example = done.stdout.partition("<pre>")[2].partition("</pre>")[0]
    assert "\\n" not in example
    assert "lap(" in example
    assert example.count("\n") >= 1
    assert "&quot;&quot;" not in example


def test_a_cells_result_has_the_media_types_that_are_asked_for(report: lt.Report) -> None:
    every = set(report._repr_mimebundle_())
    for shown in (report, lt.Timer("t")):
        of = shown._repr_mimebundle_
        assert set(of(include={"text/plain"})) == {"text/plain"}
        assert set(of(exclude=["text/html"])) == set(of()) - {"text/html"}
        assert set(of(include=["text/plain", "text/html"], exclude={"text/html"})) == {"text/plain"}
    assert every == {"text/plain", "text/html", "text/markdown"}


def test_counts_in_a_cell_have_the_media_types_that_are_asked_for() -> None:
    torch: Any = pytest.importorskip("torch")
    counts = lt.count(torch.mm, torch.zeros(2, 3), torch.zeros(3, 2))
    assert set(counts._repr_mimebundle_(include={"text/html"})) == {"text/html"}
    assert set(counts._repr_mimebundle_(exclude={"text/html"})) == {"text/plain"}


@pytest.mark.parametrize("name", ["phases", "modules", "ops", "stacks", "calls", "nvtx", "force"])
@pytest.mark.parametrize("value", ["x", 5, None])
def test_a_switch_of_record_is_true_or_false(tmp_path: Path, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be True or False, not {value!r}$"):
        lt.record(tmp_path / "r.lap", **{name: value})  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_recording_is_called_like_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for typed, near in [("q.txt", "q.lap"), ("run-0.1", "run-0.1.lap"), ("q", "q.lap")]:
        with pytest.raises(ValueError) as raised:
            lt.record(typed)
        said = f"cannot record in '{typed}': a recording's name ends in .lap, such as '{near}'"
        assert str(raised.value) == said
    assert not list(tmp_path.iterdir())
    with lt.record(b"folder.lap/"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["folder.lap"]


@pytest.mark.parametrize(
    ("kernels", "said"),
    [
        ("5:2", "kernels='5:2' holds no step, as the end isn't profiled: it must be larger"),
        (range(5, 5), "kernels=range(5, 5) holds no step, as the end isn't profiled"),
        ("0:10:2", "kernels takes every step from the first to the end, not '0:10:2'"),
        (
            range(0, 10, 2),
            "kernels takes every step from the first to the end, not range(0, 10, 2)",
        ),
        ("3:", "kernels='3:' has no end: it is the step after the last, as in '10:13'"),
        (slice(3, None), "kernels=slice(3, None, None) has no end"),
        (":3", "kernels takes steps counted from 0"),
        ("a:b", "kernels takes steps counted from 0"),
        (5, "kernels takes steps counted from 0"),
        (range(-3, 3), "kernels takes steps counted from 0"),
    ],
)
def test_steps_that_cannot_be_profiled_are_told_with_what_is_wrong(
    tmp_path: Path, kernels: Any, said: str
) -> None:
    with pytest.raises(ValueError) as raised:
        lt.record(tmp_path / "k.lap", kernels=kernels)
    assert str(raised.value).startswith(said)


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match=r"^budget is a number, not 'x'$"):
        lt.bench.options(budget="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^budget is a number, not 'x'$"):
        lt.compare({"a": int, "b": int}, budget="x")  # type: ignore[call-overload]
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"^budget is a number, not 'x'$"):
        lt.bench_inference(torch.nn.Linear(2, 2), torch.ones(1, 2), budget="x")  # type: ignore[arg-type]
