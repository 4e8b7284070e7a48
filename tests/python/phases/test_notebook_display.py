"""What a notebook's cells show, and that a cell can run again."""

from __future__ import annotations

import sys
from html.parser import HTMLParser

import pytest
from notebooks import outputs_of

CELLS = (
    """
import time
import laptime as lt
kept = []
with lt.record("run.lap", memory=True, force=True) as recording:
    for item in lt.track(range(50), "step"):
        with lt.lap("work <b>"):
            kept.append(bytes(10_000))
        time.sleep(0.004)
""",
    "lt.open('run.lap').report()",
    "lt.open('run.lap')",
    "lt.open('run.lap').show()",
    """
timer = lt.Timer("mine")
timer.start("part"); timer.stop("part")
timer
""",
    "recording.path.name",
    """
open("notes.lap", "w").write("mine")
try:
    lt.record("notes.lap", force=True)
except FileExistsError as error:
    print(error)
""",
    "lt.reset()",
    "print(lt.report().headline, lt.report().program)",
)


class Tags(HTMLParser):
    """Names of the elements, each closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.seen.append(tag)
        if tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict]]:
    """What each cell gave when it ran for the second time.

    In a kernel that was started: it is the notebook's that the report is named after.
    """
    return outputs_of(CELLS, tmp_path_factory.mktemp("notebook"), sys.executable, times=2)


@pytest.mark.parametrize("cell", [1, 2])
def test_a_report_and_a_recording_are_a_table_that_needs_no_style_and_no_script(
    outputs: list[list[dict]], cell: int
) -> None:
    (output,) = outputs[cell]
    text = output["data"]["text/html"]
    assert set(Tags(text).seen) <= {
        *("section", "h4", "h3", "p", "div", "ul", "li", "small", "strong", "em", "br", "code"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert "work &lt;b&gt;" in text
    assert "of memory behind" in text
    assert text.lower().index("a step takes") < text.index("<table")
    assert "█" in text
    assert "of memory behind" in output["data"]["text/plain"]


def test_show_gives_the_page_in_a_frame_without_the_notebooks_rights(
    outputs: list[list[dict]],
) -> None:
    (output,) = outputs[3]
    frame = output["data"]["text/html"]
    assert frame.startswith("<iframe ")
    assert ' sandbox="allow-scripts" ' in frame
    assert Tags(frame).seen == ["iframe"]
    assert "&quot;laptime-data&quot;" in frame


def test_a_timer_shows_its_summary(outputs: list[list[dict]]) -> None:
    (output,) = outputs[4]
    assert "part" in output["data"]["text/html"]


def test_a_cell_that_records_runs_again(outputs: list[list[dict]]) -> None:
    assert outputs[5][0]["data"]["text/plain"] == "'run.lap'"
    assert "notes.lap is no recording" in outputs[6][0]["text"]


def test_the_report_is_named_after_the_notebook_and_begins_at_the_reset(
    outputs: list[list[dict]],
) -> None:
    said = outputs[8][0]["text"]
    assert "notebook" in said
    assert "ipykernel" not in said
