"""What a program can see of the start: nothing but what the guide says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.interpreter

SEEN = """
import sys
modules = sorted(name for name in sys.modules if name.split(".")[0] != "laptime")
import atexit, gc, json, locale, os, resource, signal, subprocess, threading, warnings
lowest = os.open("/dev/null", os.O_RDONLY)
listed = ["ls", "/proc/self/fd"]
child = subprocess.run(listed, close_fds=False, capture_output=True, text=True).stdout.split()
seen = {
    "modules": modules,
    "path": sys.path,
    "argv": [sys.argv[0], len(sys.argv)],
    "flags": list(sys.flags),
    "threads": [one.name for one in threading.enumerate()],
    "signals": {one.name: str(signal.getsignal(one)) for one in signal.Signals},
    "mask": [str(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
    "filters": [str(one) for one in warnings.filters],
    "gc": [gc.isenabled(), gc.get_threshold(), len(gc.callbacks)],
    "limits": [resource.getrlimit(one) for one in range(16)],
    "umask": os.umask(0o77),
    "locale": locale.setlocale(locale.LC_ALL),
    "folder": os.getcwd(),
    "environment": {k: v for k, v in os.environ.items() if not k.startswith(("LAPTIME", "_"))},
    "lowest": lowest,
    "inherited": len(child),
    "hooks": [
        sys.excepthook is sys.__excepthook__,
        sys.unraisablehook is sys.__unraisablehook__,
        sys.gettrace(),
        sys.getprofile(),
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
        sys.getdlopenflags(),
    ],
    "handlers": len(__import__("logging").root.handlers),
    "method": __import__("multiprocessing").get_start_method(allow_none=True),
}
json.dump(seen, open(sys.argv[1], "w"))
"""
#: Those that an interpreter has built in, or imports for every `from __future__` of ours.
OURS = {"__future__", "atexit"}


def seen(folder: Path, *before: str, **environment: str) -> dict[str, Any]:
    program = folder / "program.py"
    program.write_text(SEEN)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")}
    done = subprocess.run(
        [*(before or [sys.executable]), str(program), str(folder / "seen.json")],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "seen.json").read_text())


@pytest.mark.parametrize("options", [[], ["--no-auto"], ["--memory=objects"]], ids=" ".join)
def test_a_program_sees_the_same_below_run(tmp_path: Path, options: list[str]) -> None:
    command = str(Path(sys.executable).with_name("laptime"))
    ours = seen(tmp_path, command, "run", *options, "-o", str(tmp_path / "x.lap"))
    plain = seen(tmp_path)
    assert set(ours.pop("modules")) - set(plain.pop("modules")) <= OURS
    assert ours == plain


def test_a_program_that_records_itself_sees_the_same(tmp_path: Path) -> None:
    ours = seen(tmp_path, LAPTIME=str(tmp_path / "x.lap"))
    plain = seen(tmp_path)
    assert set(ours.pop("modules")) - set(plain.pop("modules")) <= OURS
    assert ours == plain


BROKEN = {
    "nothing in it": None,
    "an error": "raise ImportError('wrong ABI')",
    "a panic": "class Panic(BaseException): pass\nraise Panic('by the extension')",
    "an exit": "raise SystemExit(3)",
    "no syntax": "def (",
    "half of it": "from ._core import lap",
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("variable", ["LAPTIME", "LAPTIME_RUN"])
def test_a_broken_install_keeps_no_interpreter_from_starting(
    tmp_path: Path, what: str, variable: str
) -> None:
    done = started(tmp_path, BROKEN[what], variable)
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")


def test_an_interrupt_while_the_interpreter_starts_still_ends_it(tmp_path: Path) -> None:
    interrupt = "import os, signal; os.kill(os.getpid(), signal.SIGINT)\nwhile True: pass"
    done = started(tmp_path, interrupt, "LAPTIME")
    assert done.returncode != 0
    assert done.stdout == ""


def started(folder: Path, package: str | None, variable: str) -> subprocess.CompletedProcess[str]:
    """Starts an interpreter whose only site is a package like this, and ours beside it."""
    import sysconfig

    site = folder / "site"
    (site / "laptime").mkdir(parents=True)
    guard = Path(sysconfig.get_path("platlib"), "laptime.pth").read_text()
    (site / "laptime.pth").write_text(guard)
    if package is not None:
        (site / "laptime" / "__init__.py").write_text(package)
    # As the interpreter itself does before the program.
    code = textwrap.dedent(f"""
        import site, sys
        site.addsitedir({str(site)!r})
        print("result")
    """)
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PATH": os.environ["PATH"], variable: str(folder / "x.lap")},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("flags", [["-I"], ["-E"], ["-S"], ["-s", "-B", "-O"], ["-X", "utf8"]])
def test_flags_of_the_interpreter_make_no_difference(tmp_path: Path, flags: list[str]) -> None:
    command = [sys.executable, *flags, "-c", "print('result')"]
    for run, home in enumerate(({}, {"HOME": "/nonexistent"}, {"HOME": "/proc"})):
        kept = {"PATH": os.environ["PATH"], "LAPTIME": str(tmp_path / f"{run}.lap")}
        done = subprocess.run(
            command, env=kept | home, capture_output=True, text=True, cwd=tmp_path, timeout=100
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")


@pytest.mark.parametrize("way", ["stdin", "-m", "zip"])
def test_however_a_program_comes_in_it_is_recorded(tmp_path: Path, way: str) -> None:
    import zipfile

    code = "print('result')"
    (tmp_path / "own.py").write_text(code)
    with zipfile.ZipFile(tmp_path / "own.pyz", "w") as made:
        made.writestr("__main__.py", code)
    words = {"stdin": ["-"], "-m": ["-m", "own"], "zip": ["own.pyz"]}[way]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "LAPTIME": str(tmp_path / "x.lap")},
        input=code,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "")
    assert len(list((tmp_path / "x.lap").glob("*.proc"))) == 1
