"""Counting memory in programs whose `malloc` is not simply the C library's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counted on Linux only"),
]

# An allocator that never gives back, with the size of each block before it. Its `calloc` and
# `realloc` ask its own `malloc`.
ALLOCATOR = """
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
void *malloc(size_t bytes) {
    static char *next;
    static size_t left;
    static volatile int busy;
    size_t needed = (bytes + 31) & ~(size_t) 15;
    while (__sync_lock_test_and_set(&busy, 1)) {}
    if (needed > left) {
        left = needed > (64 << 20) ? needed : (64 << 20);
        next = mmap(0, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (next == MAP_FAILED) { left = 0; busy = 0; return 0; }
    }
    char *block = next + 16;
    next += needed;
    left -= needed;
    __sync_lock_release(&busy);
    ((size_t *) block)[-1] = needed - 16;
    return block;
}
void free(void *block) {}
void *calloc(size_t number, size_t bytes) {
    void *block = malloc(number * bytes);
    return block ? memset(block, 0, number * bytes) : 0;
}
void *realloc(void *block, size_t bytes) {
    void *moved = malloc(bytes);
    size_t before = block ? ((size_t *) block)[-1] : 0;
    return moved && block ? memcpy(moved, block, before < bytes ? before : bytes) : moved;
}
void *memalign(size_t alignment, size_t bytes) {
    size_t start = (size_t) malloc(bytes + alignment + 16);
    size_t block = (start + 16 + alignment) & ~(alignment - 1);
    ((size_t *) block)[-1] = start + ((size_t *) start)[-1] - block;
    return (void *) block;
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **place, size_t alignment, size_t bytes) {
    *place = memalign(alignment, bytes);
    return 0;
}
#ifdef TELLS_SIZE
size_t malloc_usable_size(void *block) { return block ? ((size_t *) block)[-1] : 0; }
#endif
"""


def allocator(folder: Path, *flags: str) -> str:
    code, library = folder / "allocator.c", folder / "liballocator.so"
    code.write_text(ALLOCATOR)
    command = ["cc", "-shared", "-fPIC", "-O1", "-fno-builtin", "-o", str(library), str(code)]
    subprocess.run([*command, *flags], check=True)
    return str(library)


def test_blocks_of_a_preloaded_allocator_count_once(run: Run, tmp_path: Path) -> None:
    code = """
import laptime as lt
from laptime import _core
assert _core.memory_start() == (True, None)
with lt.lap("zeros"):
    kept = bytes(8_000_000)
with lt.lap("any"):
    more = bytearray(8_000_000)
for name in ("zeros", "any"):
    print(lt.report()[name].host_memory_net_max_bytes)
"""
    library = allocator(tmp_path, "-DTELLS_SIZE")
    for net in run(code, env={"LD_PRELOAD": library}).stdout.split():
        assert abs(int(net) - 8_000_000) < 80_000


def test_an_allocator_that_cannot_tell_sizes_is_not_asked_for_them(
    run: Run, tmp_path: Path
) -> None:
    code = """
import laptime as lt
from laptime import _core
print(_core.memory_start())
with lt.lap("any"):
    kept = bytearray(8_000_000)
print(lt.report()["any"].host_memory_net_max_bytes)
"""
    out = run(code, env={"LD_PRELOAD": allocator(tmp_path)}).stdout
    assert out.startswith("(False,")
    assert "liballocator.so" in out
    assert "malloc_usable_size" in out
    assert out.endswith("None\n")


# A program at fixed addresses that takes those of functions has stand-ins for them.
FIXED = """
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
int Py_BytesMain(int count, char **arguments);
void *volatile taken;
void *take(size_t bytes) { return malloc(bytes); }
int main(int count, char **arguments) {
    taken = malloc, taken = free, taken = calloc, taken = realloc;
    taken = mmap, taken = munmap, taken = dlopen, taken = dlsym;
    return Py_BytesMain(count, arguments);
}
"""


def fixed_python(folder: Path) -> Path:
    """A Python that is loaded at fixed addresses."""
    code, program = folder / "fixed.c", folder / "fixed"
    code.write_text(FIXED)
    version, folders = sysconfig.get_config_var("LDVERSION"), ("LIBDIR", "LIBPL")
    places = [str(sysconfig.get_config_var(name)) for name in folders]
    flags = [flag for place in places for flag in (f"-L{place}", f"-Wl,-rpath,{place}")]
    libraries = f"-lpython{version} {sysconfig.get_config_var('LIBS')} -lm -ldl -lpthread".split()
    command = ["cc", "-no-pie", "-fno-pie", "-o", str(program), str(code), *flags]
    done = subprocess.run(
        [*command, "-Wl,-export-dynamic", *libraries], capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"this Python cannot be linked: {done.stderr.splitlines()[-1]}")
    return program


@pytest.mark.interpreter
def test_a_program_at_fixed_addresses_is_counted(tmp_path: Path) -> None:
    code = """
import ctypes, threading
import laptime as lt
from laptime import _core
program = ctypes.CDLL(None)
program.take.restype = ctypes.c_void_p
for _ in range(2):
    assert _core.memory_start() == (True, None)
    with lt.lap("any"):
        kept = bytearray(8_000_000)
        more = program.take(8_000_000)
    del kept
    threads = [threading.Thread(target=program.take, args=(1_000,)) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    _core.memory_stop()
row = lt.report()["any"]
print(row.host_memory_net_min_bytes, row.host_memory_net_max_bytes)
"""
    path = os.pathsep.join(path for path in sys.path if path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    environment |= {"PYTHONPATH": path, "PYTHONHOME": sys.base_prefix}
    done = subprocess.run(
        [str(fixed_python(tmp_path)), "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    for net in done.stdout.split():
        assert abs(int(net) - 16_000_000) < 160_000
