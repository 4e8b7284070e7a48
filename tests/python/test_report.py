"""Reports: addressed by path, in every format."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import shlex
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

sys.path.insert(0, str(Path(__file__).parent))

import arrow_stream


@pytest.fixture(scope="module")
def report() -> lt.Report:
    lt.reset()
    for _ in range(5):
        with lt.lap("report step"):
            with lt.lap("forward"):
                pass
            with lt.lap("loss"):
                with lt.lap("softmax"):
                    pass
    with lt.lap("report evaluation"), lt.lap("forward"):
        pass
    return lt.report()


def test_a_path_is_found_whole_by_tuple_and_by_unique_tail(report: lt.Report) -> None:
    assert report["report step/forward"].count == 5
    assert report[("report step", "forward")].count == 5
    assert report["softmax"].path == "report step/loss/softmax"
    assert report["loss/softmax"].count == 5
    assert "softmax" in report
    assert "report step/softmax" not in report


def test_an_ambiguous_tail_names_its_paths(report: lt.Report) -> None:
    with pytest.raises(KeyError, match="report step/forward, report evaluation/forward"):
        report["forward"]
    with pytest.raises(KeyError, match=r"no path is or ends in .nowhere. \(paths here: "):
        report["nowhere"]
    with pytest.raises(KeyError, match='did you mean "softmax"'):
        report["softmix"]
    assert "forward" in report
    assert "nowhere" not in report


def test_a_name_with_a_slash_is_found_as_it_was_given() -> None:
    with lt.lap("request /a"), lt.lap("db"):
        pass
    report = lt.report()
    assert report["request /a"].path == r"request \/a"
    assert report[r"request \/a/db"].count == 1
    assert "request /a" in report
    assert "request /b" not in report


def test_find_matches_patterns(report: lt.Report) -> None:
    found = {row.path for row in report.find("report */forward")}
    assert found == {"report step/forward", "report evaluation/forward"}
    assert {row.path for row in report.find("**/soft*")} == {"report step/loss/softmax"}
    assert report.find("nothing/like/this") == []


def test_the_answer_and_the_findings_are_sentences(tmp_path: Path) -> None:
    with lt.record(tmp_path / "leak.lap", memory=True):
        kept = []
        for _ in lt.track(range(50), "work"):
            kept.append(bytes(10_000))
            time.sleep(0.004)  # the level of the process is noted meanwhile
    report = lt.open(tmp_path / "leak.lap").report()
    assert re.search(r"(\d+ % work|A work takes)", report.headline), report.headline
    (growth,) = [found for found in report.findings if found.kind == "memory-growth"]
    assert "of memory behind" in growth.text
    assert growth.evidence["path"] == "work"
    assert report.headline in str(report).replace("\n", " ")


def test_what_a_report_says_it_says_in_json_too(tmp_path: Path) -> None:
    with lt.record(tmp_path / "it's.lap"):
        for _ in lt.track(range(30), "work"):
            with lt.lap("wait"):
                time.sleep(0.002)
    report = lt.open(tmp_path / "it's.lap").report()
    data = json.loads(report.to_json())
    assert data["headline"]["text"] == report.headline
    assert len(data["findings"]) == len(report.findings)
    for one, found in zip(data["findings"], report.findings, strict=True):
        assert (one["kind"], one["text"]) == (found.kind, found.text) == (found.kind, str(found))
        assert one["evidence"] == found.evidence
        assert (one["function"], one["file"], one["line"]) == (
            found.function,
            found.file,
            found.line,
        )
        assert (one["next"] or {"argv": None})["argv"] == found.next
    assert report.next is not None
    assert report.next[:2] == ["laptime", "report"]
    assert shlex.split(data["next"]["text"]) == data["next"]["argv"] == report.next
    live = lt.report()
    assert json.loads(live.to_json())["next"] == live.next


def test_iteration_and_length(report: lt.Report) -> None:
    paths = list(report)
    assert len(paths) == len(report)
    assert paths.index("report step") < paths.index("report step/forward")


@pytest.mark.parametrize("wrong", [1, None, b"x", ("a", 1)])
def test_a_path_is_a_string_or_a_tuple(report: lt.Report, wrong: Any) -> None:
    assert wrong not in report
    with pytest.raises(TypeError):
        report[wrong]


def test_statistics_are_in_order(report: lt.Report) -> None:
    row = report["report step"]
    numbers = (row.min_ns, row.p50_ns, row.p90_ns, row.p95_ns, row.p99_ns, row.max_ns)
    assert all(number is not None for number in numbers)
    assert list(numbers) == sorted(numbers)  # type: ignore[type-var]
    assert row.count == 5
    assert row.mean_ns == pytest.approx(row.total_ns / 5, abs=1)


def test_what_is_absent_is_none_and_has_a_reason(report: lt.Report) -> None:
    row = report["report step"]
    absent = [
        "device_ns",
        "mac",
        "flop",
        "bytes_moved",
        "flop_per_s",
        "intensity",
        "mfu_ratio",
        "process_ns",
        "thread_ns",
        "device_memory_reserved_bytes",
    ]
    for kind in ("host_memory", "device_memory"):
        for which in ("net_min", "net_max", "peak_min", "peak_max"):
            absent.append(f"{kind}_{which}_bytes")
    for field in absent:
        assert getattr(row, field) is None, field
        assert row.why(field), field
    for field in ("count", "total_ns", "self_ns", "mean_ns", "p99_ns", "share_ratio"):
        assert getattr(row, field) is not None, field
        assert row.why(field) is None, field
    with pytest.raises(AttributeError):
        row.why("no_such_number")


def test_leftovers_are_rows_without_a_count(run: Any) -> None:
    done = run(
        "import laptime as lt\nwith lt.lap('a'):\n  pass\nother = lt.report()['other']\n"
        "print(other.count, other.total_ns > 0, bool(other.why('count')))"
    )
    assert done.stdout.split() == ["None", "True", "True"]


def test_text_markdown_json_and_csv_agree(report: lt.Report) -> None:
    total = report["report step"].total_ns
    data = json.loads(report.to_json())
    rows = {row["path"]: row for row in data["rows"]}
    assert (data["schema"], data["version"]) == ("laptime-summary", 1)
    assert rows["report step"]["total_ns"] == total
    # Python 3.10 reads no CSV with a NUL in it, which one name of another test has.
    text = report.to_csv().replace("\0", "")
    lines = {line["path"]: line for line in csv.DictReader(io.StringIO(text))}
    assert int(lines["report step"]["total_ns"]) == total


def test_text_shows_the_paths(run: Any) -> None:
    done = run(
        "import laptime as lt\nwith lt.lap('first lap'):\n  with lt.lap('second lap'):\n    pass\n"
        "report = lt.report()\n"
        "print(report), print(report.to_markdown()), print(report.to_tree()), report.show()"
    )
    assert done.stdout.count("first lap") == 8, "in the headline and in the table of each"
    assert done.stdout.count("second lap") == 4


def test_a_recordings_page_has_its_table_and_a_timeline(tmp_path: Path) -> None:
    with lt.record(tmp_path / "run.lap") as recorder:
        for _ in range(3):
            with lt.lap("page step"):
                pass
    page = tmp_path / "run.html"
    lt.open(recorder.path).report().to_html(page)
    text = page.read_text("utf-8")
    assert '<th scope="row">page step</th>' in text
    assert 'id="laptime-data"' in text
    assert "default-src 'none'" in text


def test_a_live_reports_page_says_why_it_has_no_timeline(run: Any, tmp_path: Path) -> None:
    page = tmp_path / "live.html"
    run(
        "import sys, laptime as lt\nwith lt.lap('a'):\n  pass\nlt.report().to_html(sys.argv[1])",
        page,
    )
    text = page.read_text("utf-8")
    assert "No timeline: only a recording on disk has one." in text
    assert '<table class="spans">' in text


def test_a_page_that_cannot_be_written_is_the_usual_error(
    report: lt.Report, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        report.to_html(tmp_path / "missing" / "live.html")


def test_a_timers_contexts_are_drawn_one_panel_each(tmp_path: Path) -> None:
    from laptime._core import write_timeline

    page = tmp_path / "timer.html"
    forward = [
        ("linear </script>", 10**15, 500, 4096, 8192, 0),
        ("relu \udc80", 10**15 + 500, 9, None, None, None),
    ]
    write_timeline(page, "timer", [("forward", forward), ("empty", [])], (1920, 960))
    data = page_data(page)
    assert data["names"] == ["linear </script>", "relu \\udc80"]
    assert [panel["title"] for panel in data["panels"]] == ["forward"]
    assert data["panels"][0]["end_ns"] == 509
    assert data["size"] == [1920, 960]
    assert "</script>" not in page.read_text("utf-8").split("laptime-data")[1].split("<")[0]


def page_data(page: Path) -> Any:
    """The header of what the page's viewer draws."""
    letters = page.read_text("utf-8").split('id="laptime-data">')[1].split("<")[0]
    raw = zlib.decompress(base64.b64decode(letters), -15)
    return json.loads(raw[4 : 4 + int.from_bytes(raw[:4], "little")])


def test_notebooks_get_text_a_table_and_markdown(report: lt.Report) -> None:
    bundle = report._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html", "text/markdown"}


def test_a_terminal_without_unicode_gets_ascii(run: Any) -> None:
    done = run(
        "import laptime as lt\nwith lt.lap('a'):\n  pass\nprint(lt.report())",
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout.isascii()


def test_steady_state_is_none_with_a_reason(run: Any) -> None:
    done = run(
        "import laptime as lt\nwith lt.lap('a'):\n  pass\n"
        "r = lt.report(); print(r.steady, '|', r.why('steady'))"
    )
    steady, reason = done.stdout.strip().split(" | ")
    assert steady == "None"
    assert len(reason) > 10


def test_steady_state_leaves_warm_up_out(run: Any) -> None:
    done = run(
        """
import laptime as lt
from laptime import _core
start = _core.now()
tick = 1_000_000
for step in range(60):
    duration = 40 * tick if step < 5 else 4 * tick
    token = _core.open_span("step", start)
    start += duration
    _core.close_span(token, start)
steady = lt.report().steady
print(steady["step"].count, steady.steady)
"""
    )
    assert done.stdout.strip() == "55 None"


def test_the_rows_are_an_arrow_stream(report: lt.Report) -> None:
    for table in (report, report.to_arrow()):
        columns, batches = arrow_stream.read(table)
        assert batches == 1
        assert columns["path"] == list(report)
        row = columns["path"].index("report step/forward")
        summary = report["report step/forward"]
        for name, values in columns.items():
            if name != "kind":
                assert values[row] == getattr(summary, name), name
        assert columns["process_ns"][row] is None
        arrow_stream.read(table)


def test_arrow_is_read_by_others(report: lt.Report) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(report.to_arrow())
    row = frame.row(by_predicate=polars.col("path") == "report step", named=True)
    assert (row["count"], row["total_ns"]) == (5, report["report step"].total_ns)
