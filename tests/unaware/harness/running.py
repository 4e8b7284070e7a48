"""Runs one program one way, in an empty folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from .outcome import Outcome, exit_code, listing, said, without_own_lines
from .programs import Program
from .ways import Way

# Generous: a busy machine is no failure, a program that hangs is one.
LONGEST_S = 600
_STILL_RUNNING = f"still running after {LONGEST_S} s"
_SEEN = Path(__file__).parent.parent / "seen"
_GPU = Path(__file__).parent.parent / "gpu"
#: Names the folder of a fake driver of CUDA: then each program's PyTorch uses it.
DRIVER = "UNAWARE_DRIVER"


def run(program: Program, way: Way | None, cache: Path) -> Outcome:
    """How a program goes alone (no way), or under `laptime run`.

    `cache` is a folder that lasts: Laptime looks there for what is known of the machine.
    """
    # One length for all names: where a name stands in memory or wraps in a text is then the same.
    place = Path(tempfile.mkdtemp(prefix="unaware-"))
    try:
        for name in ("work", "home", "tmp", "own"):
            (place / name).mkdir()
        returncode = _start(program, way, place, cache)
        out, err = ((place / "own" / name).read_bytes() for name in ("out", "err"))
        return Outcome(
            code=returncode,
            out=said(out, place),
            err=without_own_lines(said(err, place)),
            files="\n".join(f"{name}:\n{listing(place / name)}" for name in ("work", "tmp")),
            is_whole=returncode != _STILL_RUNNING,
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _start(program: Program, way: Way | None, place: Path, cache: Path) -> str:
    own = place / "own"
    with (
        program.stdin().open("rb") as stdin,
        # Appending, since several processes write. Files, since a pipe that a forgotten
        # grandchild holds open would never end.
        (own / "out").open("ab") as out,
        (own / "err").open("ab") as err,
    ):
        process = subprocess.Popen(
            _command(program, way, own / "recording.lap"),
            cwd=place / "work",
            env=environment(program, place, cache),
            stdin=stdin,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            return exit_code(process.wait(LONGEST_S))
        except subprocess.TimeoutExpired:
            return _STILL_RUNNING
        finally:
            _end_group(process)


def _command(program: Program, way: Way | None, recording: Path) -> list[str]:
    arguments = program.arguments()
    if way is None:
        return [sys.executable, *arguments]
    laptime = [sys.executable, "-m", "laptime", "run", "-o", str(recording), *way.arguments()]
    if program.start.startswith("-m"):
        return [*laptime, *arguments]
    if program.start:
        return [*laptime, "--", sys.executable, *arguments]
    return [*laptime, "--", *arguments]


def environment(program: Program, place: Path, cache: Path) -> dict[str, str]:
    """A small one, the same on every machine."""
    driver = os.environ.get(DRIVER)
    places = (program.import_path(), _SEEN, _GPU if driver else None)
    paths = [str(path) for path in places if path]
    # What PyTorch itself says of so old a driver has the time in it.
    on_gpu = {"LD_LIBRARY_PATH": driver, "TORCH_CPP_LOG_LEVEL": "ERROR"} if driver else {}
    return {
        **on_gpu,
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "XDG_CACHE_HOME": str(cache),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TORCHINDUCTOR_CACHE_DIR": str(place / "own" / "inductor"),
        "TRITON_CACHE_DIR": str(place / "own" / "triton"),
        "KINETO_LOG_LEVEL": "99",
        "JAX_PLATFORMS": "cpu",
    }


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends what the program left running, and the program itself if it hangs."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
