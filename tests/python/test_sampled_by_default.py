"""Functions sampled without being asked: what switches it off, names of files, odd programs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

LAPTIME = [sys.executable, "-m", "laptime"]
SPIN = """
import time

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
"""
WORKS = SPIN + "spin(0.4)\nprint('done')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a user's folder whose name no recording may tell."""
    folder = tmp_path / "ada-lovelace" / "project"
    folder.mkdir(parents=True)
    return folder


def run(
    project: Path, *words: str, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program below `laptime run`, recorded in `r.lap` of the project."""
    environment = {name: value for name, value in os.environ.items() if "LAPTIME" not in name}
    return subprocess.run(
        [*LAPTIME, "run", "--force", "-o", str(project / "r.lap"), *words],
        cwd=cwd or project,
        env={**environment, "HOME": str(project.parent), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def functions(project: Path) -> dict[str, Any] | None:
    told = json.loads(lt.open(project / "r.lap").report().to_json())
    found: dict[str, Any] | None = told.get("functions")
    return found


def files(project: Path, name: str) -> set[str]:
    """The files of sampled functions with a name."""
    found = functions(project)
    assert found is not None
    laps = found["laps"]
    return {one["file"] for lap in laps for one in lap["functions"] if one["name"] == name}


def is_told(project: Path, text: str) -> bool:
    """Whether a text stands in the files of the processes."""
    records = (project / "r.lap").glob("*.proc")
    return any(text.encode() in record.read_bytes() for record in records)


def script(project: Path, code: str, name: str = "script.py") -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(textwrap.dedent(code))


@pytest.mark.interpreter
def test_functions_are_sampled_unless_somebody_says_not_to(project: Path) -> None:
    script(project, WORKS)
    ways = [
        ((), {}, True),
        (("--no-auto",), {}, True),
        (("--stacks",), {"LAPTIME_STACKS": "0"}, True),
        (("--no-stacks",), {}, False),
        ((), {"LAPTIME_STACKS": "0"}, False),
        ((), {"LAPTIME_STACKS": "off"}, False),
    ]
    for options, variables, is_sampled in ways:
        done = run(project, *options, "script.py", **variables)
        assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
        assert (functions(project) is not None) == is_sampled, (options, variables)
        if not is_sampled:
            assert not is_told(project, "script.py\0spin")


def test_calls_that_are_counted_are_not_sampled_unless_both_are_asked_for(project: Path) -> None:
    script(project, WORKS)
    for options, is_sampled in ((("--calls",), False), (("--calls", "--stacks"), True)):
        assert run(project, *options, "script.py").returncode == 0
        found = functions(project)
        assert found is not None
        assert found["exact"] is not None
        assert (found["sample_count"] > 0) == is_sampled


def test_a_program_that_is_no_python_hears_nothing_of_functions(project: Path) -> None:
    done = run(project, "sleep", "0.1")
    assert done.returncode == 0
    for word in ("stack", "function", "sample"):
        assert word not in done.stderr


@pytest.mark.interpreter
def test_files_are_named_as_a_shell_there_finds_them_and_tell_no_users_name(project: Path) -> None:
    script(project, SPIN, "tools/data/images.py")
    script(project, SPIN, "model/net.py")
    code = """
        import json, os, shutil, sys, tempfile
        sys.path.append(os.getcwd())
        os.chdir(tempfile.mkdtemp())
        shutil.rmtree(os.getcwd())
        from data import images
        from model import net
        images.spin(0.3)
        net.spin(0.3)
        def own(): images.spin(0.3)
        own()
        exec(compile("def made(spin): spin(0.3)", "<made>", "exec"))
        made(images.spin)
        json.dumps([[1.5] * 10] * 200_000, indent=1)
    """
    script(project, code, "tools/train.py")
    for option in ((), ("--calls",)):
        done = run(project, *option, "tools/train.py")
        assert done.returncode == 0, done.stderr
        if not option:
            assert files(project, "spin") == {"tools/data/images.py", "model/net.py"}
            assert files(project, "own") == {"tools/train.py"}
            assert files(project, "made") == {"<made>"}
        library = f"lib/python3.{sys.version_info.minor}/json/encoder.py"
        assert is_told(project, library)
        assert is_told(project, "\0tools/data/images.py")
        assert not is_told(project, "ada-lovelace/project/tools")
        assert not is_told(project, "/images.py\0/")


@pytest.mark.interpreter
def test_files_of_a_package_that_runs_as_the_program_are_its_own(project: Path) -> None:
    installed = project / "env" / "site-packages"
    script(installed, SPIN + "\ndef child(): spin(0.3)\n", "fit/sub/work.py")
    script(installed, SPIN, "other/__init__.py")
    code = """
        import multiprocessing, sys
        import other
        from fit.sub.work import child, spin
        if __name__ == "__main__":
            spin(0.3)
            other.spin(0.3)
            worker = multiprocessing.get_context("spawn").Process(target=child)
            worker.start()
            worker.join()
            sys.exit(worker.exitcode)
    """
    script(installed, code, "fit/__main__.py")
    done = run(project, "-m", "fit", PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    assert files(project, "spin") == {"fit/sub/work.py", "site-packages/other/__init__.py"}
    assert files(project, "child") == {"fit/sub/work.py"}
    assert not is_told(project, "ada-lovelace")


@pytest.mark.interpreter
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_processes_of_a_program_name_its_files_as_it_does(project: Path, method: str) -> None:
    code = f"""
        import multiprocessing
        from lib.work import spin
        def child(): spin(0.3)
        if __name__ == "__main__":
            spin(0.3)
            workers = [multiprocessing.get_context({method!r}).Process(target=child) for _ in "ab"]
            for worker in workers: worker.start()
            for worker in workers: worker.join()
            print([worker.exitcode for worker in workers])
    """
    script(project, SPIN, "src/lib/work.py")
    script(project, code, "src/main.py")
    done = run(project, "src/main.py")
    assert (done.returncode, done.stdout) == (0, "[0, 0]\n"), done.stderr
    assert files(project, "spin") == {"src/lib/work.py"}
    assert files(project, "child") == {"src/main.py"}


ODD = {
    "a process that ends at once": "print('done')",
    "one that takes another program's place": """
        import os, sys
        if len(sys.argv) == 1:
            os.execv(sys.executable, [sys.executable, sys.argv[0], "again"])
        print(sys.argv[1:])
    """,
    "two hundred threads": """
        import threading
        stop = threading.Event()
        threads = [threading.Thread(target=stop.wait) for _ in range(200)]
        for thread in threads: thread.start()
        print(threading.active_count(), len(threading.enumerate()), len(sys._current_frames()))
        stop.set()
        for thread in threads: thread.join()
    """,
    "ten thousand calls deep": """
        sys.setrecursionlimit(20_000)
        def down(level): return spin(0.3) if level == 0 else down(level - 1)
        print(down(10_000))
    """,
    "a fork in a thread": """
        import os, threading
        def fork():
            child = os.fork()
            if child == 0:
                spin(0.1)
                os._exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    """,
    "another interpreter": """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        other = interpreters.create()
        interpreters.run_string(other, "print(sum(range(100_000)))")
        interpreters.destroy(other)
    """,
    "little memory": """
        import resource
        pages = int(open("/proc/self/statm").read().split()[0])
        room = pages * resource.getpagesize() + (40 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        spin(0.2)
        print("done")
    """,
    "threads of its own that it counts": """
        import os, signal
        print(signal.getitimer(signal.ITIMER_PROF), sys.gettrace(), sys.getprofile())
        spin(0.2)
        print(sys.getswitchinterval(), sorted(os.environ) == sorted(dict(os.environ)))
    """,
}


@pytest.mark.interpreter
@pytest.mark.parametrize("what", ODD)
def test_an_odd_program_prints_what_it_prints_alone(project: Path, what: str) -> None:
    code = "import sys\n" + SPIN + textwrap.dedent(ODD[what])
    (project / "script.py").write_text(code)
    alone = subprocess.run(
        [sys.executable, "script.py"], cwd=project, capture_output=True, text=True, check=True
    )
    done = run(project, "script.py")
    assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr
    assert "laptime: warning" not in done.stderr, done.stderr
    lt.open(project / "r.lap").report()


def test_why_functions_are_missing_stands_where_they_would(project: Path) -> None:
    code = """
        import resource
        import laptime as lt
        pages = int(open("/proc/self/statm").read().split()[0])
        room = pages * resource.getpagesize() + (40 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        with lt.record("r.lap", stacks=True):
            LAP
                sum(range(1_000_000))
    """
    reason = "o stack was sampled: the limit on this process's address space"
    for laps, is_unasked in (("if True:", True), ("with lt.lap('work'):", False)):
        script(project, code.replace("LAP", laps))
        (project / "r.lap").exists() and shutil.rmtree(project / "r.lap")
        subprocess.run([sys.executable, "script.py"], cwd=project, check=True)
        usual = " ".join(str(lt.open(project / "r.lap").report()).split())
        assert (reason in usual) == is_unasked
        assert "warning" not in usual
    shown = subprocess.run(
        [*LAPTIME, "report", "--functions", "r.lap"],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert reason in " ".join(shown.stdout.split())
