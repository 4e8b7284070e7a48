"""Numbers with units, as the package flops-profiler writes them: `4.09 GMACs`, `25.56 M`.

Each takes the unit to write the number in (by default the one that fits it) and the digits behind
the point.
"""

from __future__ import annotations

_SIZES = {"T": 10**12, "G": 10**9, "M": 10**6, "K": 10**3, "k": 10**3}
_SECONDS = {"s": 1, "ms": 10**3, "us": 10**6}


def number_to_string(num: float, units: str | None = None, precision: int = 2) -> str:
    """`4.09 G`; a small one is followed by a blank."""
    return _scaled(num, "GMK", "", units, precision) or f"{num} "


def num_to_string(num: float, precision: int = 2) -> str:
    """`4.09 G`; a small one stands alone."""
    return _scaled(num, "GMK", "", None, precision) or str(num)


def macs_to_string(macs: float, units: str | None = None, precision: int = 2) -> str:
    """`4.09 GMACs`."""
    return _scaled(macs, "GMK", "MACs", units, precision) or f"{macs} MACs"


def flops_to_string(flops: float, units: str | None = None, precision: int = 2) -> str:
    """A rate, FLOP/s by its older name: `1.83 TFLOPS`."""
    text = _scaled(flops, "TGMK", "FLOPS", units, precision)
    return text or f"{round(flops, precision)} FLOPS"


def params_to_string(params_num: float, units: str | None = None, precision: int = 2) -> str:
    """`25.56 M`."""
    letters = "Mk" if units is None else "MK"
    return _scaled(params_num, letters, "", units, precision) or str(params_num)


def duration_to_string(duration: float, units: str | None = None, precision: int = 2) -> str:
    """Seconds: `12.22 ms`."""
    if units is None:
        units = next((unit for unit, each in _SECONDS.items() if duration * each > 1), None)
        if units is None:
            return str(duration)
    elif units not in _SECONDS:
        units = "s"
    return f"{round(duration * _SECONDS[units], precision)} {units}"


def _scaled(value: float, letters: str, unit: str, wanted: str | None, precision: int) -> str:
    """The number in the wanted unit, or in the largest that it fills; nothing if it fills none."""
    if wanted is None:
        found = next((letter for letter in letters if value >= _SIZES[letter]), "")
    else:
        found = next((letter for letter in letters if letter + unit == wanted), "")
    return f"{round(value / _SIZES[found], precision)} {found}{unit}" if found else ""
