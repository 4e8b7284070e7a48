"""PyTorch's `FlopCounterMode` with numbers that are right."""

from .compat import made_public
from .compat.flop_counter import *  # noqa: F403
from .compat.flop_counter import __all__ as __all__

made_public(__name__)
