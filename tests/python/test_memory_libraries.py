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


def test_libraries_may_come_and_go_while_other_threads_are_at_laps(run: Run, build: Build) -> None:
    code = """
import ctypes, sys, threading
import laptime as lt
from laptime import _core
opener, path = ctypes.CDLL(sys.argv[1]), sys.argv[2].encode()
opener.open_it.restype, opener.close_it.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
def work():
    for _ in range(100):
        assert opener.close_it(opener.open_it(path)) == 0
assert _core.memory_start() == (True, None)
thread = threading.Thread(target=work)
thread.start()
while thread.is_alive():
    with lt.lap("meanwhile"):
        pass
library = ctypes.CDLL(sys.argv[2])
library.take.restype = ctypes.c_void_p
with lt.lap("after"):
    assert library.take(8_000_000)
print(lt.report()["after"].host_memory_net_max_bytes)
"""
    source = """
#include <stdlib.h>
void *const table[] = { malloc, free, calloc, realloc };
void *take(size_t bytes) { return malloc(bytes); }
"""
    passing = build("passing", source, "-Wl,-z,relro,-z,now")
    net = run(code, str(build("opener", OPENER)), str(passing)).stdout
    assert abs(int(net) - 8_000_000) < 80_000


# Allocates and maps in the handlers of a fork; what `prepare` takes, the other two give back.
FORKING = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static const size_t bytes = 4 << 20;
static void *block, *mapping;
static void take(void) {
    block = malloc(bytes);
    mapping = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == 0 || mapping == MAP_FAILED) _exit(9);
}
static void give_back(void) { free(block); munmap(mapping, bytes); }
static void in_child(void) { alarm(30); give_back(); take(); give_back(); }
int watch(void) { return pthread_atfork(take, give_back, in_child); }
"""


@pytest.mark.parametrize("first", ["library", "laptime"])
def test_a_library_may_allocate_in_its_own_handlers_of_a_fork(
    run: Run, build: Build, first: str
) -> None:
    parts = {"library": "assert library.watch() == 0", "laptime": "import laptime as lt"}
    begun = "with lt.lap('first'): pass"
    in_order = [parts[first], *(part for name, part in parts.items() if name != first)]
    in_order.insert(in_order.index(parts["laptime"]) + 1, begun)
    code = f"""
import ctypes, os, signal, sys
signal.alarm(60)
library = ctypes.CDLL(sys.argv[1])
{chr(10).join(in_order)}
from laptime import _core
assert _core.memory_start() == (True, None)
for _ in range(5):
    child = os.fork()
    if child == 0:
        with lt.lap("child"):
            kept = bytearray(8_000_000)
        net = lt.report()["child"].host_memory_net_max_bytes
        os._exit(0 if abs(net - 8_000_000) < 80_000 else 8)
    assert os.waitpid(child, 0)[1] == 0
net, peak = _core.memory_of_process()
assert abs(net) < 2_000_000 and 8_000_000 < peak < 11_000_000, (net, peak)
"""
    run(code, str(build("forking", FORKING)))


# Maps and unmaps, and so does a signal handler in the midst of it.
INTERRUPTED = """
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
static const size_t bytes = 1 << 20;
static volatile int interruptions;
static void once(void) {
    void *start = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || munmap(start, bytes) != 0) _exit(9);
}
static void interrupt(int number) { interruptions++; once(); }
void churn(int times) {
    struct itimerval timer = { { 0, 100 }, { 0, 100 } };
    signal(SIGPROF, interrupt);
    setitimer(ITIMER_PROF, &timer, 0);
    while (interruptions < times) once();
    timer = (struct itimerval) { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_PROF, &timer, 0);
}
"""


def test_a_signal_handler_may_map_memory_in_the_midst_of_a_mapping(run: Run, build: Build) -> None:
    code = """
import ctypes, signal, sys
signal.alarm(60)
import laptime as lt
from laptime import _core
library = ctypes.CDLL(sys.argv[1])
assert _core.memory_start() == (True, None)
with lt.lap("churn"):
    library.churn(500)
print(lt.report()["churn"].host_memory_net_max_bytes)
"""
    assert abs(int(run(code, str(build("interrupted", INTERRUPTED))).stdout)) < 100_000


# Tells what every function returned and left in `errno`.
TELLING = """
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#define TELL(what) \\
    (errno = 77, printf("%s: %d, errno ", #what, (int) (what)), printf("%d\\n", errno))
void tell(void) {
    int both = PROT_READ | PROT_WRITE, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    size_t big = 1 << 20, huge = SIZE_MAX / 2;
    volatile size_t none = 0;
    void *block, *other = 0, *mapping;
    TELL((block = malloc(none)) != 0);
    TELL((block = realloc(block, 1000)) != 0);
    TELL(realloc(block, huge) != 0);
    TELL(malloc_usable_size(block) >= 1000);
    TELL((block = reallocarray(block, 10, 200)) != 0);
    TELL(reallocarray(block, huge, 3) != 0);
    TELL(realloc(block, none) != 0);
    TELL(malloc(huge) != 0);
    TELL(calloc(huge, 4) != 0);
    TELL((block = calloc(10, big)) != 0);
    TELL((free(block), 0));
    TELL((free(0), 0));
    TELL(posix_memalign(&other, 3, 8));
    TELL(posix_memalign(&other, 64, huge));
    TELL(other != 0);
    TELL(posix_memalign(&other, 4096, big));
    TELL((free(other), 0));
    TELL((other = aligned_alloc(64, 640)) != 0);
    TELL((free(other), 0));
    TELL((other = memalign(64, 640)) != 0);
    TELL((free(other), 0));
    TELL(memalign(64, huge) != 0);
    TELL(mmap(0, 0, both, anonymous, -1, 0) != MAP_FAILED);
    TELL(mmap(0, huge, both, anonymous, -1, 0) != MAP_FAILED);
    TELL((mapping = mmap(0, big, both, anonymous, -1, 0)) != MAP_FAILED);
    TELL(munmap(mapping, 0));
    TELL(munmap((char *) mapping + 1, big));
    TELL(munmap(mapping, huge));
    TELL(munmap(mapping, SIZE_MAX));
    TELL(mremap(mapping, big, huge, MREMAP_MAYMOVE) != MAP_FAILED);
    TELL((mapping = mremap(mapping, big, 2 * big, MREMAP_MAYMOVE)) != MAP_FAILED);
    TELL(munmap(mapping, 2 * big));
    TELL(dlsym(RTLD_DEFAULT, "malloc") != 0);
    TELL(dlopen("nowhere.so", RTLD_NOW) != 0);
    struct rlimit limit = { 0, RLIM_INFINITY };
    TELL(setrlimit(RLIMIT_AS, &limit));
    TELL(malloc(64 * big) != 0);
    TELL(calloc(64, big) != 0);
    TELL(mmap(0, big, both, anonymous, -1, 0) != MAP_FAILED);
    TELL(fflush(stdout));
}
"""


def test_every_function_returns_what_it_does_without_counting(run: Run, build: Build) -> None:
    code = """
import ctypes, os, sys
from laptime import _core
library = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "counted":
    assert _core.memory_start() == (True, None)
before = _core.memory_of_process()
library.tell()
after = _core.memory_of_process()
if before and abs(after[0] - before[0]) > 100_000:
    os._exit(8)
os._exit(0)
"""
    library = str(build("telling", TELLING))
    told = [run(code, library, how).stdout for how in ("counted", "uncounted")]
    assert told[0].count("\n") == TELLING.count("    TELL(")
    assert told[0] == told[1]


# Allocates wherever a library can be called: when it is opened, when threads and the program end.
EVERYWHERE = """
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_key_t key;
static void allocate(void) {
    size_t bytes = 1 << 20;
    void *start = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || munmap(start, bytes) != 0) _exit(9);
    free(realloc(malloc(100), bytes));
}
static int in_list(struct dl_phdr_info *object, size_t size, void *data) { allocate(); return 0; }
static void at_thread_end(void *value) {
    allocate();
    if ((size_t) value < 4) pthread_setspecific(key, (char *) value + 1);
}
static void *run_thread(void *value) { pthread_setspecific(key, (void *) 1); return value; }
__attribute__((constructor)) static void opened(void) {
    pthread_key_create(&key, at_thread_end);
    allocate();
    atexit(allocate);
}
__attribute__((destructor)) static void closed(void) { allocate(); }
int everywhere(void) {
    pthread_t thread;
    for (int index = 0; index < 50; index++) {
        if (pthread_create(&thread, 0, run_thread, 0) || pthread_join(thread, 0)) return 1;
    }
    dl_iterate_phdr(in_list, 0);
    pid_t child = vfork();
    if (child == 0) { allocate(); _exit(0); }
    return waitpid(child, 0, 0) != child;
}
"""


def test_a_library_that_allocates_at_every_moment_of_its_life_is_counted_out_even(
    run: Run, build: Build
) -> None:
    code = """
import ctypes, sys
import laptime as lt
from laptime import _core
assert _core.memory_start() == (True, None)
library = ctypes.CDLL(sys.argv[1])
with lt.lap("everywhere"):
    assert library.everywhere() == 0
print(lt.report()["everywhere"].host_memory_net_max_bytes)
"""
    assert abs(int(run(code, str(build("everywhere", EVERYWHERE))).stdout)) < 200_000
