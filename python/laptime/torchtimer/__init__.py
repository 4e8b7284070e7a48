"""A stand-in for torchtimer: the same methods, the same table, without its synchronising.

    from laptime.torchtimer import ProfilingTimer

On a GPU the time is that of event pairs on the current stream, and `stop` returns a real number
that waits for its own end event when it is used. Without one, time is host time and the memory
columns are the process's resident memory; both is said once on the logger `laptime`.
"""

from ._timer import History, ProfilingTimer

__all__ = ["History", "ProfilingTimer"]
