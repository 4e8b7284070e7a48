"""Which steps are profiled, as users write them."""

from __future__ import annotations


def steps_of(kernels: object) -> range | None:
    """The steps that `kernels=` names: a range, a slice or text such as `10:13`."""
    if kernels is None:
        return None
    steps = kernels
    if isinstance(steps, str):
        ends = steps.split(":")
        if len(ends) == 2 and all(end.strip().isdecimal() for end in ends):
            steps = range(int(ends[0]), int(ends[1]))
    if isinstance(steps, slice) and steps.step in (None, 1) and isinstance(steps.stop, int):
        steps = range(steps.start or 0, steps.stop)
    if isinstance(steps, range) and steps.step == 1 and 0 <= steps.start < steps.stop < 2**32:
        return steps
    raise ValueError(
        "kernels takes steps counted from 0, without the last: range(10, 13), slice(10, 13) or "
        f"'10:13', not {kernels!r}"
    )
