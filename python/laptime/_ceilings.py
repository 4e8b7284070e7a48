"""`lt.ceilings()`: what arithmetic and memory reach on this machine at most.

The processor is measured by kernels of Laptime's own. Where the program has imported torch, its
matrix products are measured too, by type and device: they are what a model can reach.
"""

from __future__ import annotations

import os
import sys

from ._core import Ceilings, kept_or_measured_ceilings, measure_ceilings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Of products on the processor: the first is the quickest to show that a type is slow there.
_SIZES = (512, 1024, 2048, 4096)
# A product that would take longer isn't measured: enough for 4096 at 500 GFLOP/s.
_LONGEST_S = 0.3
# Times that all types and sizes are gone through: a busy moment then spoils one round only.
_ROUNDS = 3
# Products of one call on a device: launching is hidden behind them, and one wait ends them.
_LAUNCHES = 10
_DEVICE_SIZE = 8192
_DTYPES = ("float32", "float64", "bfloat16", "float16", "int8")


def ceilings(*, refresh: bool = False) -> Ceilings:
    """Measures this machine's ceilings, or reads what was measured before.

    FLOP/s of matrix products by type, bytes/s of memory, for the processor and for each device
    that torch sees; published dense peaks of common accelerators beside them, with their source.
    Kept in the user's cache folder, by processor; `refresh=True` measures anew, and what was
    measured while something else ran is measured again, up to three times. torch is asked only
    where the program has imported it already, and uses all processors for as long as that takes.

    Cost: about 2 s for the processor and 10 s for torch, once a machine.
    """
    known = measure_ceilings() if refresh else kept_or_measured_ceilings()
    torch = sys.modules.get("torch")
    is_new = torch is not None and _with_torch(known, torch)
    if is_new or refresh:
        try:
            known._store()
        except OSError:
            pass  # measured again next time
    return known


def _with_torch(known: Ceilings, torch: Any) -> bool:
    """Adds what torch reaches where that is not known yet; whether anything was added."""
    version = f"torch {torch.__version__}"
    # The machine's ceiling, not the program's: a program may compute with fewer threads.
    threads = _processors()
    devices = {"cpu": ""}
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            devices[f"cuda:{index}"] = torch.cuda.get_device_name(index)
    added = False
    for device, name in devices.items():
        how = f"{version} on {name or f'{threads} threads'}"
        if known._knows(device, how):
            continue
        added = True
        known._published(device, name)
        fresh = known._empty()
        with torch.no_grad(), _Threads(torch, threads if device == "cpu" else None):
            _products(fresh, torch, device, threads, how)
            if device != "cpu":
                _copies(fresh, torch, device, how)
        known._take(fresh)
    return added


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return os.cpu_count() or 1


class _Threads:
    """torch computes with so many threads within, and with the program's own number after it."""

    def __init__(self, torch: Any, threads: int | None) -> None:
        self._torch = torch
        self._threads = threads
        self._before = torch.get_num_threads()

    def __enter__(self) -> None:
        self._set(self._threads)

    def __exit__(self, *_: object) -> None:
        self._set(self._before if self._threads else None)

    def _set(self, threads: int | None) -> None:
        if threads and threads != self._torch.get_num_threads():
            self._torch.set_num_threads(threads)


def _products(known: Ceilings, torch: Any, device: str, threads: int, how: str) -> None:
    """Products of square matrices of every type, in rounds: large ones while they are quick."""
    on_cpu = device == "cpu"
    launches = 1 if on_cpu else _LAUNCHES
    dtypes = list(_DTYPES)
    for _ in range(_ROUNDS):
        for dtype in tuple(dtypes):
            for size in _SIZES if on_cpu else (_DEVICE_SIZE,):
                work = 2.0 * size**3 * launches
                rate = known.flop_per_s(dtype, device)
                if rate and work / rate > _LONGEST_S * launches:
                    break
                try:
                    call = _product(torch, device, dtype, size)
                    what = f"{how}, products of {size}x{size}"
                    known._sample(device, dtype, what, work, threads if on_cpu else None, call)
                except (RuntimeError, NotImplementedError, TypeError) as error:
                    reason = str(error).strip().split("\n")[0]
                    known._absent(f"{dtype} matmul peak of {device}", f"torch says: {reason}")
                    dtypes.remove(dtype)
                    break


def _product(torch: Any, device: str, dtype: str, size: int) -> Callable[[], None]:
    kind = getattr(torch, dtype)
    a = torch.ones(size, size, device=device).to(kind)
    b = torch.ones(size, size, device=device).to(kind)
    if dtype == "int8":
        out = torch.empty(size, size, device=device, dtype=torch.int32)
        multiply = torch._int_mm
    else:
        out = torch.empty(size, size, device=device, dtype=kind)
        multiply = torch.mm
    if device == "cpu":
        return lambda: multiply(a, b, out=out)

    def call() -> None:
        for _ in range(_LAUNCHES):
            multiply(a, b, out=out)
        torch.cuda.synchronize(device)

    return call


def _copies(known: Ceilings, torch: Any, device: str, how: str) -> None:
    """Copies within a device's memory: each byte is read and written."""
    size = 1 << 30
    a = torch.zeros(size, device=device, dtype=torch.uint8)
    b = torch.empty_like(a)

    def call() -> None:
        for _ in range(_LAUNCHES):
            b.copy_(a)
        torch.cuda.synchronize(device)

    known._sample(device, None, f"{how}, copies of 1 GiB", 2.0 * size * _LAUNCHES, None, call)
