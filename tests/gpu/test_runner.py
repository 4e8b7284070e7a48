"""The runner on scripted experiments: whatever one does, the others run and the page is there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import runner

TELLS = """
import json
told = {{"name": "n", "figures": {{"a_ms": 1.5}}, "target": "t", "met": {met}, "why": {why!r}}}
print(json.dumps(told))
"""
FACTS = 'print(\'{"GPU": "scripted"}\')\n'
Ran = Callable[..., tuple[int, list[dict[str, object]], str]]


def tells(met: bool | None, why: str | None = None) -> str:
    return TELLS.format(met=met, why=why)


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Runs experiments given as code by name: the exit code, the rows and the page."""

    def ran(
        *, limit_s: float = 60, facts: str = FACTS, **codes: str
    ) -> tuple[int, list[dict[str, object]], str]:
        pack, out = tmp_path / "pack", tmp_path / "out"
        for folder in ("experiments", "dry"):
            (pack / folder).mkdir(parents=True)
        for name, code in codes.items():
            text = f'"""Experiment {name}\n\nMore.\n"""\n{code}\n'
            (pack / f"experiments/{name}.py").write_text(text)
        (pack / "facts.py").write_text(facts)
        under = "import runpy, sys\nsys.argv = sys.argv[1:]\nrunpy.run_path(sys.argv[0])\n"
        (pack / "dry/under_fakes.py").write_text(under)
        monkeypatch.setattr(runner, "PACK", pack)
        monkeypatch.setattr(runner, "EXPERIMENTS", tuple(codes))
        monkeypatch.setattr(runner, "LIMIT_S", limit_s)
        monkeypatch.setenv("OUT", str(out))
        code = runner.main(out, dry=True)
        told = json.loads((out / "gpu.json").read_text())
        return code, told["experiments"], (out / "gpu.md").read_text()

    return ran


def test_each_verdict_is_a_row_with_its_figures(ran: Ran) -> None:
    code, rows, page = ran(a=tells(True), b=tells(False), c=tells(None, "ncu is not installed"))
    assert [row["state"] for row in rows] == ["met", "missed", "impossible"]
    assert "| Experiment a | a 1.500 ms | t | met |" in page
    assert "not possible here: ncu is not installed" in page
    assert "1 met, 1 missed, 1 without a verdict." in page
    assert code == 0, "in a dry run only a failure counts"


def test_one_that_raises_is_a_row_with_its_error_and_the_next_one_runs(ran: Ran) -> None:
    raises = "import sys\ntry:\n  raise ValueError('no | such\\nthing')\nexcept ValueError: raise"
    code, rows, page = ran(a=raises, b=tells(True))
    assert [row["state"] for row in rows] == ["failed", "met"]
    assert "**failed**: exit code 1: ValueError: no \\| such" in page
    assert code == 1


def test_one_that_crashes_is_a_row_with_the_signal(ran: Ran) -> None:
    _, rows, _ = ran(a="import os\nos.kill(os.getpid(), 9)", b=tells(True))
    assert rows[0]["why"] == "ended by signal 9: no word"
    assert rows[1]["state"] == "met"


def test_one_that_tells_nothing_has_failed(ran: Ran) -> None:
    _, rows, _ = ran(a="print('hello')")
    assert rows[0]["why"] == "exit code 0, and told nothing: hello"


def test_one_that_hangs_is_ended_with_what_it_started(ran: Ran, tmp_path: Path) -> None:
    waits = "import signal, subprocess, sys\nprint('hello', file=sys.stderr, flush=True)\n"
    waits += "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
    # The child holds the pipe: the runner reads its end only if the child is gone, too.
    _, rows, _ = ran(limit_s=0.4, a=waits + "signal.pause()")
    assert rows[0]["why"] == "took longer than 2 s, and was ended"
    assert (tmp_path / "out/gpu.log").read_text() == "== a\nhello\n\n"


def test_the_page_is_there_before_the_next_one_begins(ran: Ran) -> None:
    looks = "import os, pathlib\npage = pathlib.Path(os.environ['OUT'], 'gpu.md').read_text()\n"
    looks += "assert 'met |' in page\n"
    _, rows, _ = ran(a=tells(True), b=looks + tells(True))
    assert [row["state"] for row in rows] == ["met", "met"]


def test_what_there_is_no_time_for_is_said(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "ALL_S", 0.0)
    code, rows, page = ran(a=tells(True))
    assert rows[0]["state"] == "not run"
    assert "not run: the 0 s of all experiments were over" in page
    assert code == 1


def test_the_shells_settings_of_laptime_reach_no_experiment(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAPTIME_DEVICE", "off")
    looks = "import os\nassert not [name for name in os.environ if 'LAPTIME' in name]\n"
    _, rows, _ = ran(a=looks + tells(True))
    assert rows[0]["state"] == "met", rows


def test_all_limits_together_are_less_than_eight_minutes() -> None:
    assert runner.ALL_S <= 460
    assert set(runner.LIMITS_S) <= set(runner.EXPERIMENTS)


def test_every_experiment_is_run() -> None:
    files = {path.stem for path in (Path(__file__).parent / "experiments").glob("*.py")}
    assert files == set(runner.EXPERIMENTS)


def test_where_there_is_no_gpu_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner.machine, "driver_absent", lambda: "no driver")
    assert runner.main(tmp_path / "out", dry=False) == 1
    assert capsys.readouterr().err == "make gpu: no GPU here: no driver; nothing was run\n"
    assert not os.path.exists(tmp_path / "out")
    assert sys.modules["runner"] is runner


def test_an_experiment_that_tells_nonsense_is_a_row(ran: Ran) -> None:
    _, rows, _ = ran(a="print('{\"name\": oh')", b=tells(True))
    assert str(rows[0]["why"]).startswith("the runner: JSONDecodeError")
    assert rows[1]["state"] == "met"


def test_a_machine_that_cannot_be_asked_is_unknown_and_the_experiments_run(ran: Ran) -> None:
    _, rows, page = ran(facts="raise OSError('gone')", a=tells(True))
    assert "| machine | unknown: OSError: gone |" in page
    assert rows[0]["state"] == "met"
