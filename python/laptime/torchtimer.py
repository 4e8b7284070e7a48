"""A stand-in for torchtimer: `from laptime.torchtimer import ProfilingTimer`."""

from .compat.torchtimer import *  # noqa: F403
from .compat.torchtimer import __all__ as __all__
