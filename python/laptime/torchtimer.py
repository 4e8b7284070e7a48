"""A stand-in for torchtimer: `from laptime.torchtimer import ProfilingTimer`."""

from .compat import made_public
from .compat.torchtimer import *  # noqa: F403
from .compat.torchtimer import __all__ as __all__

made_public(__name__)
