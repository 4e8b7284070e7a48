"""The environment variables: what their values mean, and when they mean nothing any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

#: Starts a process below this one, and says what it is recorded into.
CHILD = """
import subprocess, sys
child = "import os; print('child', os.environ.get('LAPTIME_RUN', ''))"
print("parent", flush=True)
subprocess.run([sys.executable, "-c", child], check=True)
"""


def start(
    folder: Path, code: str, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs code in a folder, by itself or by these words."""
    (folder / "program.py").write_text(code)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")}
    return subprocess.run(
        [*(words or [sys.executable]), "program.py"],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def laptime(*words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("laptime")), *words]


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize("value", ["1", "true", "YES", "on", "0", "False", "no", "off", ""])
def test_a_switch_is_no_name_of_a_recording(tmp_path: Path, value: str) -> None:
    done = start(tmp_path, CHILD, LAPTIME=value)
    assert (done.returncode, done.stderr) == (0, "")
    assert files(tmp_path) == {tmp_path / "program.py"}


@pytest.mark.parametrize("off", ["0", "false", "No", "OFF"])
def test_off_is_off_for_the_package_too(tmp_path: Path, off: str) -> None:
    code = "import laptime as lt\nwith lt.lap('off'): pass\nprint('off' in lt.report())"
    assert start(tmp_path, code, LAPTIME=off).stdout == "False\n"
    done = start(tmp_path, code, *laptime("run"), LAPTIME=off)
    assert done.stdout == "False\n"
    assert "turns recording off" in done.stderr
    assert files(tmp_path) == {tmp_path / "program.py"}


@pytest.mark.parametrize(
    ("variable", "value", "valid"),
    [
        ("LAPTIME", "sure", "a path that ends in .lap"),
        ("LAPTIME", "runs/first", "a path that ends in .lap"),
        ("LAPTIME_MEMORY", "all", "objects"),
        ("LAPTIME_AUTO", "phase", "phases,modules,ops"),
    ],
)
def test_a_value_that_says_nothing_is_told_once_and_harms_nothing(
    tmp_path: Path, variable: str, value: str, valid: str
) -> None:
    # Each process below has the environment, and none of them says it again.
    given = {"LAPTIME": str(tmp_path / "own.lap"), variable: value}
    done = start(tmp_path, CHILD, **given)
    assert (done.returncode, done.stdout.split()[0]) == (0, "parent")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f'laptime: warning: {variable}="{value}"')
    assert valid in done.stderr
    if variable == "LAPTIME":
        assert "is not understood and is ignored" in done.stderr
        assert files(tmp_path) == {tmp_path / "program.py"}


@pytest.mark.parametrize("variable", ["LAPTIME", "LAPTIME_MEMORY", "LAPTIME_AUTO"])
def test_the_command_tells_it_and_records_all_the_same(tmp_path: Path, variable: str) -> None:
    done = start(tmp_path, CHILD, *laptime("run", "-o", "x.lap"), **{variable: "maybe"})
    assert done.returncode == 0
    assert done.stderr.count("maybe") == 1
    assert "is not understood and is ignored" in done.stderr
    assert len(list(tmp_path.glob("x.lap/*.proc"))) == 2


def test_a_warning_without_a_standard_error_is_no_output(tmp_path: Path) -> None:
    closed = ["sh", "-c", 'exec "$0" "$@" 2>&-', sys.executable]
    done = start(tmp_path, "print('result')", *closed, LAPTIME="sure")
    assert (done.returncode, done.stdout) == (0, "result\n")


@pytest.fixture
def over(tmp_path: Path) -> Path:
    """A recording that is over."""
    (tmp_path / "first").mkdir()
    done = start(tmp_path / "first", "pass", *laptime("run", "-o", "over.lap"))
    assert done.returncode == 0, done.stderr
    return tmp_path / "first" / "over.lap"


def test_a_recording_that_is_over_gets_no_more_files(tmp_path: Path, over: Path) -> None:
    before = files(over)
    done = start(tmp_path, CHILD, LAPTIME_RUN=str(over))
    assert (done.returncode, done.stderr) == (0, "")
    assert files(over) == before


def test_one_that_is_over_does_not_keep_a_new_one_from_starting(tmp_path: Path, over: Path) -> None:
    before = files(over)
    own = tmp_path / "own.lap"
    done = start(tmp_path, CHILD, LAPTIME_RUN=str(over), LAPTIME=str(own))
    assert done.stdout.split() == ["parent", "child", str(own)]
    assert len(list(own.glob("*.proc"))) == 2
    assert files(over) == before


@pytest.mark.parametrize("content", [None, "", "{}", "no json", '{"end": null}'])
def test_a_folder_that_is_no_recording_gets_no_files(tmp_path: Path, content: str | None) -> None:
    folder = tmp_path / "precious"
    folder.mkdir()
    if content is not None:
        (folder / "run.json").write_text(content)
    before = files(folder)
    done = start(tmp_path, "print('result')", LAPTIME_RUN=str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")
    assert files(folder) == before


def test_a_recording_whose_launcher_was_killed_gets_no_more_files(tmp_path: Path) -> None:
    # The program goes on: it says where it is recorded, and waits for its input to end.
    code = "import os, sys; print(os.environ['LAPTIME_RUN'], flush=True); sys.stdin.read()"
    (tmp_path / "waits.py").write_text(code)
    launcher = subprocess.Popen(
        laptime("run", "-o", "killed.lap", "waits.py"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with launcher:
        assert launcher.stdout is not None
        folder = Path(launcher.stdout.readline().strip())
        launcher.send_signal(signal.SIGKILL)
        launcher.wait(60)
        before = files(folder)
        done = start(tmp_path, "print('result')", LAPTIME_RUN=str(folder))
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")
    assert files(folder) == before


def test_a_daemon_that_outlives_its_recording_starts_processes_outside_of_it(
    tmp_path: Path,
) -> None:
    code = """
import os, subprocess, sys
if os.fork():
    os._exit(0)
os.setsid()
# Until the test has seen its launcher end.
sys.stdin.read()
open("late", "w").write(str(len(os.listdir(os.environ["LAPTIME_RUN"]))))
subprocess.run([sys.executable, "-c", "pass"], check=True)
open("later", "w").write(str(len(os.listdir(os.environ["LAPTIME_RUN"]))))
"""
    (tmp_path / "daemon.py").write_text(code)
    told, held = os.pipe()
    launcher = subprocess.Popen(
        laptime("run", "-o", "daemon.lap", "daemon.py"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[held],
    )
    os.close(held)
    assert launcher.stdin is not None
    assert launcher.wait(100) == 0
    launcher.stdin.close()
    assert os.read(told, 1) == b""  # it has ended
    os.close(told)
    assert (tmp_path / "late").read_text() == (tmp_path / "later").read_text()


@pytest.mark.interpreter
def test_a_program_that_replaces_itself_is_recorded_in_both_its_lives(tmp_path: Path) -> None:
    code = """
import os, sys
import laptime as lt
with lt.lap(sys.argv[1] if sys.argv[1:] else "first"): pass
if not sys.argv[1:]:
    os.execv(sys.executable, [sys.executable, __file__, "second"])
"""
    done = start(tmp_path, code, *laptime("run", "-o", "x.lap"))
    assert done.returncode == 0, done.stderr
    report = lt.open(tmp_path / "x.lap").report()
    assert (report["first"].count, report["second"].count) == (1, 1)


def test_a_relative_recording_stays_where_it_was_meant(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    code = "import os; os.chdir('elsewhere')\n" + CHILD
    assert start(tmp_path, code, LAPTIME="x.lap").stderr == ""
    assert len(list(tmp_path.glob("x.lap/*.proc"))) == 2
    assert files(tmp_path / "elsewhere") == set()
