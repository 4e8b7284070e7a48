"""`lt.ceilings()`: what arithmetic and memory reach on this machine at most.

The processor is measured by kernels of Laptime's own. Where the program has imported torch, its
matrix products are measured too, by type and device: they are what a model can reach.
"""

from __future__ import annotations

import sys

from ._core import Ceilings, kept_or_measured_ceilings, measure_ceilings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Of products on the processor: the first is the quickest to show that a type is slow there.
_SIZES = (512, 1024, 2048, 4096)
# A product that takes longer is measured no larger.
_LONGEST_S = 0.5
# Products of one call on a device: launching is hidden behind them, and one wait ends them.
_LAUNCHES = 10
_DEVICE_SIZE = 8192
_DTYPES = ("float32", "float64", "bfloat16", "float16", "int8")


def ceilings(*, refresh: bool = False) -> Ceilings:
    """Measures this machine's ceilings, or reads what was measured before.

    FLOP/s of matrix products by type, bytes/s of memory, for the processor and for each device
    that torch sees; published dense peaks of common accelerators beside them, with their source.
    Kept in the user's cache folder, by processor; `refresh=True` measures anew, and what was
    measured while something else ran is measured again. torch is asked only where the program has
    imported it already.

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
    devices = {"cpu": ""}
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            devices[f"cuda:{index}"] = torch.cuda.get_device_name(index)
    added = False
    for device, name in devices.items():
        how = f"{version} on {name or f'{torch.get_num_threads()} threads'}"
        if known._knows(device, how):
            continue
        added = True
        known._published(device, name)
        with torch.no_grad():
            for dtype in _DTYPES:
                _products(known, torch, device, dtype, how)
            if device != "cpu":
                _copies(known, torch, device, how)
    return added


def _products(known: Ceilings, torch: Any, device: str, dtype: str, how: str) -> None:
    """Products of square matrices: larger ones as long as they are quick."""
    sizes = _SIZES if device == "cpu" else (_DEVICE_SIZE,)
    for size in sizes:
        try:
            call = _product(torch, device, dtype, size)
            launches = 1 if device == "cpu" else _LAUNCHES
            work = 2.0 * size**3 * launches
            what = f"{how}, products of {size}x{size}"
            known._sample(device, dtype, what, work, device == "cpu", call)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            reason = str(error).strip().split("\n")[0]
            known._absent(f"{dtype} matmul peak of {device}", f"torch says: {reason}")
            return
        rate = known.flop_per_s(dtype, device)
        if rate and 2.0 * (2 * size) ** 3 / rate > _LONGEST_S:
            return


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

    known._sample(device, None, f"{how}, copies of 1 GiB", 2.0 * size * _LAUNCHES, False, call)
