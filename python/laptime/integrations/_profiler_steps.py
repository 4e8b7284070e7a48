"""Which steps are profiled, as users write them."""

from __future__ import annotations


def steps_of(kernels: object) -> range | None:
    """The steps that `kernels=` names: a range, a slice or text such as `10:13`."""
    if kernels is None:
        return None
    steps = kernels
    if isinstance(steps, str):
        steps = _slice_of(steps)
    if isinstance(steps, (range, slice)):
        if steps.step not in (None, 1):
            raise ValueError(f"kernels takes every step from the first to the end, not {kernels!r}")
        if steps.stop is None:
            raise ValueError(
                f"kernels={kernels!r} has no end: it is the step after the last, as in '10:13'"
            )
    if isinstance(steps, slice) and isinstance(steps.stop, int):
        steps = range(steps.start or 0, steps.stop)
    if isinstance(steps, range) and 0 <= steps.stop <= steps.start:
        raise ValueError(
            f"kernels={kernels!r} holds no step, as the end isn't profiled: it must be larger than "
            "the first"
        )
    if isinstance(steps, range) and steps.start >= 0 and steps.stop < 2**32:
        return steps
    raise ValueError(
        "kernels takes steps counted from 0, without the last: range(10, 13), slice(10, 13) or "
        f"'10:13', not {kernels!r}"
    )


def _slice_of(typed: str) -> object:
    """The slice that is written so; the text itself where it is none."""
    ends = [end.strip() for end in typed.split(":")]
    are_numbers = all(end.isdecimal() or not end for end in ends)
    if not are_numbers or len(ends) not in (2, 3) or not ends[0]:
        return typed
    return slice(*(int(end) if end else None for end in ends))
