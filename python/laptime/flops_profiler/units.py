"""Numbers with units, as `flops_profiler` writes them."""

from __future__ import annotations


def number(value: float, precision: int = 2) -> str:
    """`4.09 G`; a small one is followed by a blank."""
    return _scaled(value, ((10**9, " G"), (10**6, " M"), (10**3, " K")), " ", precision)


def total(value: float, precision: int = 2) -> str:
    """`4.09 G`; a small one stands alone."""
    return _scaled(value, ((10**9, " G"), (10**6, " M"), (10**3, " K")), "", precision)


def macs(value: float, precision: int = 2) -> str:
    """`4.09 GMACs`."""
    units = ((10**9, " GMACs"), (10**6, " MMACs"), (10**3, " KMACs"))
    return _scaled(value, units, " MACs", precision)


def params(value: float, precision: int = 2) -> str:
    """`25.56 M`."""
    return _scaled(value, ((10**6, " M"), (10**3, " k")), "", precision)


def _scaled(
    value: float, units: tuple[tuple[int, str], ...], otherwise: str, precision: int
) -> str:
    for size, unit in units:
        if value // size > 0:
            return str(round(value / size, precision)) + unit
    return str(value) + otherwise
