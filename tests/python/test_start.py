"""How a process comes to be recorded: the .pth file, the environment, the command."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


@pytest.mark.interpreter
def test_the_guard_lies_in_the_root_of_site_packages() -> None:
    root = Path(sysconfig.get_path("platlib"))
    lines = (root / "laptime.pth").read_text().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("import os; ")


@pytest.mark.interpreter
def test_an_ordinary_start_imports_nothing(run: Any) -> None:
    code = "import sys; print('laptime' in sys.modules, 'laptime._core' in sys.modules)"
    assert run(code).stdout.split() == ["False", "False"]
    assert run(code, env={"LAPTIME": "0"}).stdout.split() == ["False", "False"]
    assert run(code, env={"LAPTIME": "1"}).stdout.split() == ["False", "False"]


@pytest.mark.interpreter
def test_importing_laptime_imports_no_framework_and_little_else(run: Any) -> None:
    code = (
        "import sys; before = set(sys.modules); import laptime; "
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('laptime')))"
    )
    heavy = {"torch", "numpy", "asyncio", "typing", "logging", "inspect", "contextlib", "json"}
    assert heavy & set(run(code).stdout.split()) == set()


@pytest.mark.interpreter
def test_the_environment_starts_a_recording(run: Any, recording: Path) -> None:
    code = "import laptime as lt\nwith lt.lap('by environment'): pass"
    run(code, env={"LAPTIME": str(recording)})
    assert lt.open(recording).report()["by environment"].count == 1


@pytest.mark.interpreter
def test_the_environment_records_a_program_that_never_mentions_laptime(
    run: Any, recording: Path
) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'pass'], check=True)"
    run(code, env={"LAPTIME": str(recording)})
    assert len(list(recording.glob("*.proc"))) == 2


@pytest.mark.interpreter
def test_the_environment_keeps_it_off(run: Any) -> None:
    code = (
        "import laptime as lt\nwith lt.lap('off'): pass\n"
        "print('off' in lt.report(), lt.lap('off').seconds)"
    )
    assert run(code, env={"LAPTIME": "0"}).stdout.split() == ["False", "None"]


@pytest.mark.interpreter
def test_a_recording_that_cannot_start_costs_one_warning_and_nothing_else(run: Any) -> None:
    done = run("print('result')", env={"LAPTIME": "/proc/nowhere/x.lap"})
    assert done.stdout == "result\n"
    assert done.stderr.count("\n") == 1
    assert "goes on unrecorded" in done.stderr


def test_a_path_that_is_taken_is_not_overwritten_and_it_is_said(run: Any, tmp_path: Path) -> None:
    asked = {"LAPTIME": str(tmp_path / "own.lap")}
    first, second = (run("import laptime as lt; lt.mark('x')", env=asked) for _ in range(2))
    assert first.stderr == ""
    assert second.stderr.count("\n") == 1
    assert str(tmp_path / "own-1.lap") in second.stderr
    assert (tmp_path / "own-1.lap").is_dir()


def command() -> str:
    found = shutil.which("laptime", path=os.path.dirname(sys.executable)) or shutil.which("laptime")
    assert found is not None
    return found


@pytest.mark.interpreter
def test_the_command_is_installed_and_says_its_version() -> None:
    done = subprocess.run([command(), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"laptime {lt.__version__}"


@pytest.mark.interpreter
def test_the_module_is_the_command_too() -> None:
    words = [sys.executable, "-m", "laptime", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"laptime {lt.__version__}"


def test_wrong_usage_is_exit_code_two() -> None:
    done = subprocess.run([command(), "no-such-command"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""


def test_an_unreadable_file_is_exit_code_six(tmp_path: Path) -> None:
    file = tmp_path / "foreign"
    file.write_bytes(b"foreign")
    done = subprocess.run([command(), "report", file], capture_output=True, text=True)
    assert done.returncode == 6


@pytest.mark.interpreter
@pytest.mark.parametrize(
    ("end", "code"),
    [("pass", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("raise KeyError", 1)],
)
def test_a_script_below_run_is_recorded_and_keeps_its_exit_code(
    tmp_path: Path, end: str, code: int
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\nimport laptime as lt\n"
        "with lt.lap('of the script'):\n  print('its output', flush=True)\n" + end
    )
    target = tmp_path / "run.lap"
    words = [command(), "run", "-o", str(target), str(script)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stdout == "its output\n"
    assert "of the script" in done.stderr
    assert lt.open(target).report()["of the script"].count == 1


@pytest.mark.interpreter
def test_children_of_a_script_below_run_are_recorded(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys\n"
        "child = 'import laptime as lt\\nwith lt.lap(\"of the child\"): pass'\n"
        "subprocess.run([sys.executable, '-c', child], check=True)\n"
    )
    target = tmp_path / "run.lap"
    words = [command(), "run", "-o", str(target), str(script)]
    subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert lt.open(target).report()["of the child"].count == 1


@pytest.mark.interpreter
def test_the_module_keeps_its_attributes_fast() -> None:
    # A module with `__getattr__` loses the interpreter's specialised access to its names.
    assert "__getattr__" not in vars(lt)


@pytest.mark.interpreter
def test_every_exported_name_is_there() -> None:
    assert [name for name in lt.__all__ if not hasattr(lt, name)] == []


@pytest.mark.interpreter
def test_a_sub_interpreter_below_a_recording_starts_quietly(run: Any, recording: Path) -> None:
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    code = (
        f"import {module} as interpreters\n"
        "one = interpreters.create()\n"
        "interpreters.run_string(one, 'print(1 + 1, flush=True)')\n"
        "interpreters.destroy(one)"
    )
    done = run(code, env={"LAPTIME": str(recording)})
    assert (done.stdout, done.stderr) == ("2\n", "")


@pytest.mark.interpreter
@pytest.mark.parametrize("way", ["alone", "below run"])
def test_a_program_that_an_interrupt_ends_has_closed_its_recording(
    run: Any, recording: Path, way: str
) -> None:
    code = "import laptime as lt\nwith lt.lap('main'): raise KeyboardInterrupt"
    if way == "alone":
        ended = run(code, check=False, env={"LAPTIME": str(recording)})
        assert ended.returncode == -signal.SIGINT
    else:
        words = ["run", "-o", str(recording), sys.executable, "-c", code]
        assert subprocess.run([command(), *words], capture_output=True).returncode == -signal.SIGINT
    report = lt.open(recording).report()
    assert report["main"].count == 1
    assert "not-closed" not in report.to_json()


@pytest.mark.interpreter
def test_a_program_that_caught_its_interrupt_is_recorded_to_its_end(
    run: Any, recording: Path
) -> None:
    code = """
import laptime as lt
try:
    raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
with lt.lap("after"):
    pass
"""
    run(code, env={"LAPTIME": str(recording)})
    assert lt.open(recording).report()["after"].count == 1
