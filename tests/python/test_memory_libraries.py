"""Counting memory beside libraries that load slowly, and in what they do at unusual moments."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Build = Callable[..., Path]

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counted on Linux only"),
]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds a shared library of C."""

    def build(name: str, source: str, *flags: str) -> Path:
        code, library = tmp_path / f"{name}.c", tmp_path / f"lib{name}.so"
        code.write_text("#define _GNU_SOURCE\n" + source)
        command = ["cc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-o", str(library), str(code)]
        done = subprocess.run([*command, *flags, "-ldl"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return library

    return build


# When a library is first given `gate`, its resolver says so on one pipe and waits for the other.
GATE = """
#include <unistd.h>
static int nothing(void) { return 0; }
static void *resolve_gate(void) {
    static int asked;
    char byte = 0;
    if (asked++ == 0 && (write(700, "r", 1) != 1 || read(701, &byte, 1) != 1)) _exit(9);
    return nothing;
}
int gate(void) __attribute__((ifunc("resolve_gate")));
"""
# Entries before and after `gate`, all on pages that the loader protects when it has filled them in.
GATED = """
#include <stdlib.h>
int gate(void);
void *const table[] = { malloc, free, gate, calloc, realloc, free, malloc, abort, exit };
void *take(size_t bytes) { return gate() ? 0 : malloc(bytes); }
"""
OPENER = """
#include <dlfcn.h>
void *open_it(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
int close_it(void *handle) { return dlclose(handle); }
"""
# `begin()` returns when the loader is in the middle of a library, `finish()` when it has loaded it.
LOADING = """
import ctypes, os, sys, threading
import laptime as lt
from laptime import _core

with lt.lap("first"):
    pass  # what a thread's first lap needs comes from the loader
opener, gated = ctypes.CDLL(sys.argv[1]), sys.argv[2]
opener.open_it.restype = ctypes.c_void_p
(ready, says), (waits, go) = os.pipe(), os.pipe()
os.dup2(says, 700), os.dup2(waits, 701)
opened = []
thread = threading.Thread(target=lambda: opened.append(opener.open_it(gated.encode())))

def begin():
    thread.start()
    assert os.read(ready, 1) == b"r"

def finish():
    os.write(go, b"g")
    thread.join()
    assert opened[0]

def take(name):
    library = ctypes.CDLL(gated)
    library.take.restype = ctypes.c_void_p
    with lt.lap(name):
        assert library.take(ctypes.c_size_t(8_000_000))
    return lt.report()[name].host_memory_net_max_bytes
"""


@pytest.fixture
def loading(build: Build, tmp_path: Path) -> list[str]:
    """Arguments of a program that begins with `LOADING`."""
    build("gate", GATE)
    linked = [f"-L{tmp_path}", "-lgate", f"-Wl,-rpath,{tmp_path}"]
    gated = build("gated", GATED, *linked, "-Wl,-z,relro,-z,now,-z,nocombreloc")
    return [str(build("opener", OPENER)), str(gated)]


@pytest.mark.parametrize("laps", [1, 20])
def test_laps_while_another_thread_loads_a_library_leave_the_loader_alone(
    run: Run, loading: list[str], laps: int
) -> None:
    code = f"""{LOADING}
_core.memory_start()
begin()
for _ in range({laps}):
    with lt.lap("meanwhile"):
        pass
finish()
print(take("after"))
"""
    assert abs(int(run(code, *loading).stdout) - 8_000_000) < 80_000


def test_counting_that_begins_while_a_library_loads_leaves_the_loader_alone(
    run: Run, loading: list[str]
) -> None:
    code = f"""{LOADING}
begin()
_core.memory_start()
finish()
print(take("after"))
"""
    assert abs(int(run(code, *loading).stdout) - 8_000_000) < 80_000
