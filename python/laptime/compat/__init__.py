"""Stand-ins for what people time and count with: a program moves over by its imports.

Programs import them as `laptime.torchtimer`, `laptime.timing`, `laptime.thop`,
`laptime.flop_counter`, `laptime.flops_profiler` and `laptime.flops_profiler.deepspeed`: modules
that have the names of these here, and nothing of their own. `laptime.flops_profiler.profiler` is
where flops-profiler has the same.
"""

from __future__ import annotations

import sys


def made_public(name: str) -> None:
    """Has the classes and functions of a module that programs import say that they are its own.

    Pickles, help and tracebacks then name it, and not the place in here.
    """
    public = sys.modules[name]
    for each in public.__all__:
        one = getattr(public, each)
        if getattr(one, "__module__", "").startswith(__name__):
            one.__module__ = name
