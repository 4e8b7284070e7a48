"""The module that flops-profiler has its functions in: `from laptime.flops_profiler.profiler …`."""

from ..compat.flops_profiler import *  # noqa: F403
from ..compat.flops_profiler import __all__ as __all__
