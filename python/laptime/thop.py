"""`thop` with numbers that are right: `from laptime.thop import clever_format, profile`."""

from .compat import made_public
from .compat.thop import *  # noqa: F403
from .compat.thop import __all__ as __all__

made_public(__name__)
