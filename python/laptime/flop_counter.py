"""PyTorch's `FlopCounterMode` with numbers that are right."""

from .compat.flop_counter import *  # noqa: F403
from .compat.flop_counter import __all__ as __all__
