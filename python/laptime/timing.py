"""The timing helpers people write by hand: `from laptime.timing import track_time`."""

from .compat import made_public
from .compat.timing import *  # noqa: F403
from .compat.timing import __all__ as __all__

made_public(__name__)
