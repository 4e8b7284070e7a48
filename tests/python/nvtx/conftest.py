"""A tool that takes NVTX ranges, compiled from NVIDIA's own headers, and what it was told."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from injected import Log, Told, call_of


def _headers() -> Path | None:
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for header in Path(folder).glob("**/include/nvtx3/nvToolsExt.h"):
            return header.parent.parent
    return None


@pytest.fixture(scope="session")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tool's library."""
    headers, compiler = _headers(), shutil.which("gcc")
    if headers is None or compiler is None:
        pytest.skip("a tool is compiled by gcc from the headers of nvidia-nvtx")
    library = tmp_path_factory.mktemp("nvtx") / "tool.so"
    source = Path(__file__).with_name("injector.c")
    flags = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-isystem", str(headers)]
    subprocess.run([compiler, *flags, "-o", str(library), str(source)], check=True)
    return library


@pytest.fixture
def told(tool: Path, tmp_path: Path) -> Told:
    """Runs a program with the tool attached, as nsys does: `told(code)` or `told(words=[…])`."""

    def told(code: str = "", *, words: list[str] | None = None, **more: str) -> Log:
        log = tmp_path / "calls.tsv"
        log.unlink(missing_ok=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LAPTIME", "NVTX"))}
        environment |= {"NVTX_INJECTION64_PATH": str(tool), "NVTX_LOG": str(log), **more}
        done = subprocess.run(
            [sys.executable, *(words or ["-c", code])],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        lines = log.read_text().splitlines() if log.exists() else []
        return Log([call_of(line) for line in lines], done)

    return told
