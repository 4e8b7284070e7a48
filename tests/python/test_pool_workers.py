"""Workers of a pool, which leaving `with Pool()` terminates: their laps and warnings."""

import json
import subprocess
import sys

import pytest

import laptime as lt

pytestmark = pytest.mark.interpreter

PROGRAM = """
import multiprocessing, pathlib, sys, time
import laptime as lt

def job(number):
    with lt.lap("job"):
        time.sleep(0.002)

def endless(started):
    with lt.lap("endless"):
        started.touch()
        time.sleep(600)

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with lt.lap("main"), context.Pool(2) as pool:
        pool.map(job, range(40))
        if sys.argv[2:]:
            started = [pathlib.Path(sys.argv[2]) / name for name in ("one", "other")]
            pool.map_async(endless, started)
            end = time.monotonic() + 60
            while time.monotonic() < end and not all(path.exists() for path in started):
                time.sleep(0.005)
"""


def recorded(tmp_path, *words):
    program, recording = tmp_path / "program.py", tmp_path / "run.lap"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "laptime", "run", "-o", str(recording), str(program)]
    ran = subprocess.run([*command, *words], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return lt.open(recording).report()


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_leaving_a_pool_loses_no_lap_and_is_no_warning(tmp_path, way):
    report = recorded(tmp_path, way)
    assert report["main/job" if way == "fork" else "job"].count == 40
    codes = {warning["code"] for warning in json.loads(report.to_json())["warnings"]}
    assert not codes & {"not-closed", "workers-ended", "children-exceed", "truncated"}


def test_workers_that_are_terminated_inside_a_lap_are_told_in_one_line(tmp_path):
    report = recorded(tmp_path, "fork", str(tmp_path))
    assert report["main/job"].count == 40
    warnings = json.loads(report.to_json())["warnings"]
    told = [one for one in warnings if one["code"] in ("workers-ended", "not-closed")]
    assert [one["code"] for one in told] == ["workers-ended"]
    assert told[0]["message"].startswith("2 worker processes were ended in the midst of work")
