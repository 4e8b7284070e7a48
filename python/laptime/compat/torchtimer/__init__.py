"""A stand-in for torchtimer: the same methods, the same table, without its synchronising.

    from laptime.torchtimer import ProfilingTimer

On a GPU the time is that of event pairs on the current stream, and `stop` returns a real number
that waits for its own end event when it is used. Without one, time is host time and the memory
columns are what the segment's thread allocates; both is said on the logger `laptime`.
"""

from ._timer import History, ProfilingTimer

__all__ = ["History", "ProfilingTimer"]
