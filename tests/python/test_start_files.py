"""Files beside a script that are called like modules of the standard library.

Plain Python runs such a file only if the program imports it, and then prefers it to the standard
library's. Below `laptime run` it must be the same: what Laptime needs for itself is neither run
from there nor kept from the program.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Leaves its name when it is run.
TRAP = "open({sprung!r}, 'a').write(__name__ + ' ')\n"
#: An interpreter has imported these before the script's folder is a place to look into.
STARTED = set(sys.builtin_module_names) | {"os", "io", "abc", "codecs", "site", "stat", "encodings"}
#: Without any, and with those that have Laptime import most.
OPTIONS = [
    pytest.param([], marks=pytest.mark.interpreter),
    ["--no-auto"],
    ["--memory"],
    pytest.param(["--memory=objects"], marks=pytest.mark.interpreter),
    ["--modules"],
]


def traps(folder: Path) -> Path:
    """Lays a trap for every module of the standard library; the file that they leave names in."""
    sprung = folder / "sprung"
    for name in set(sys.stdlib_module_names) | {"laptime", "torch"}:
        (folder / f"{name}.py").write_text(TRAP.format(sprung=str(sprung)))
    return sprung


def below_run(folder: Path, options: list[str], code: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(code)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")}
    command = [str(Path(sys.executable).with_name("laptime")), "run", *options]
    return subprocess.run(
        [*command, "-o", str(folder.parent / "run.lap"), str(folder / "program.py")],
        cwd=folder.parent,
        env=kept,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "scripts"
    made.mkdir()
    return made


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_no_file_beside_a_script_is_run_that_the_script_does_not_import(
    folder: Path, options: list[str]
) -> None:
    sprung = traps(folder)
    done = below_run(folder, options, "print(sum(range(5)))")
    assert (done.returncode, done.stdout) == (0, "10\n"), done.stderr
    assert not sprung.exists(), sprung.read_text()


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_a_file_that_the_script_imports_is_its_own_before_the_standard_library(
    folder: Path, options: list[str]
) -> None:
    sprung = traps(folder)
    names = ["logging", "typing", "random", "queue", "select", "functools", "weakref", "contextlib"]
    plain = "import sys\n" + "".join(f"import {name}\n" for name in names)
    done = below_run(folder, options, plain)
    assert done.returncode == 0, done.stderr
    # Nothing comes before what an interpreter has built in.
    assert set(sprung.read_text().split()) == set(names) - set(sys.builtin_module_names)


def test_an_error_of_laptimes_own_runs_no_file_either(folder: Path) -> None:
    sprung = traps(folder)
    # Fails in the callback that follows torch's import, where a warning is due.
    (folder / "torch.py").write_text("x = 1\n")
    done = below_run(folder, [], "import torch; print(torch.x)")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert not sprung.exists(), sprung.read_text()


MODULES = """
import sys
import torch
print(*sorted(name for name in sys.modules if not name.startswith("laptime")))
"""


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_with_torch_nothing_is_imported_that_torch_does_not_import(
    folder: Path, options: list[str]
) -> None:
    pytest.importorskip("torch")
    done = below_run(folder, options, MODULES)
    plain = subprocess.run(
        [sys.executable, str(folder / "program.py")], capture_output=True, text=True, check=True
    )
    own = set(done.stdout.split()) - set(plain.stdout.split())
    assert own & set(sys.stdlib_module_names) <= STARTED, done.stderr
