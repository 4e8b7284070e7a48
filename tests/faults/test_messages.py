"""Warnings on a standard error that cannot be written: dropped, and nothing else happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from launched import Runner

# A recording that fails at its first span and one that fails midway, on what a shell makes of
# descriptor 2.
PROGRAM = """
    import os, resource, signal, sys
    {before}
    import laptime as lt

    if sys.argv[1] == "midway":
        lt.record("a.lap")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
    {after}
    for number in range(100_000):
        with lt.lap("work"):
            pass
    with open("result", "w") as file:
        file.write(str(number))
    os._exit(7)
"""

STDERR = {
    "is full": "2>/dev/full",
    "is closed": "2>&-",
    "is a pipe that nobody reads": "2> >(exec true)",
    "has reached its limit": "2>limited",
}

CHANGES = {
    "is closed by the program": "os.close(2)",
    "is a file of the program's": "os.close(2); theirs = open('theirs', 'w')",
    "is a pipe of the program's": "os.dup2(os.pipe()[1], 2)",
    "is a pipe that broke, and the signal kills": (
        "reader, writer = os.pipe(); os.dup2(writer, 2); os.close(reader); "
        "signal.signal(signal.SIGPIPE, signal.SIG_DFL)"
    ),
}


def outcome(run: Runner, fails: str, redirection: str, before: str, after: str) -> int:
    script = run.script(PROGRAM.format(before=before, after=after))
    where = "/nowhere/at/all.lap" if fails == "at its start" else ""
    command = f'LAPTIME={where} exec "$0" "$@" {redirection}'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, str(script), fails],
        cwd=run.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=90,
        check=False,
    )
    assert (run.folder / "result").read_text() == "99999"
    return done.returncode


@pytest.mark.parametrize("fails", ["at its start", "midway"])
@pytest.mark.parametrize("stderr", STDERR)
def test_a_warning_that_cannot_be_written_changes_nothing(
    run: Runner, tmp_path: Path, stderr: str, fails: str
) -> None:
    (tmp_path / "limited").write_bytes(b"")
    assert outcome(run, fails, STDERR[stderr], "", "") == 7


@pytest.mark.parametrize("change", CHANGES)
def test_a_warning_is_not_written_into_what_the_program_made_of_stderr(
    run: Runner, tmp_path: Path, change: str
) -> None:
    assert outcome(run, "midway", "", "", CHANGES[change]) == 7
    if (theirs := tmp_path / "theirs").exists():
        assert theirs.read_bytes() == b""


def test_descriptors_that_the_program_closes_and_uses_again_stay_its_own(run: Runner) -> None:
    outcome = run(
        """
        import os
        import laptime as lt

        with lt.lap("before"):
            pass
        os.closerange(3, 1_000)
        theirs = [open(f"theirs-{number}", "w+") for number in range(40)]
        for number in range(200_000):
            with lt.lap("work"):
                pass
        for file in theirs:
            file.write("theirs")
        """
    )
    assert outcome.code == 0, outcome.err
    assert len(outcome.warnings) == 1, outcome.err
    files = sorted(run.folder.glob("theirs-*"))
    assert [file.read_bytes() for file in files] == [b"theirs"] * 40


def test_what_a_program_prints_without_its_streams_is_in_no_recording(
    run: Runner, tmp_path: Path
) -> None:
    script = run.script(
        """
        import os
        import laptime as lt

        with lt.record("a.lap"):
            with lt.lap("work"):
                for number in range(3):
                    try:
                        os.write(number, b"not into a recording")
                    except OSError:
                        pass
        """
    )
    command = 'exec "$0" "$@" <&- >&- 2>&-'
    subprocess.run(["bash", "-c", command, sys.executable, str(script)], cwd=tmp_path, check=True)
    files = [file for file in (tmp_path / "a.lap").iterdir() if file.is_file()]
    assert len(files) == 2
    assert not any(b"not into a recording" in file.read_bytes() for file in files)
