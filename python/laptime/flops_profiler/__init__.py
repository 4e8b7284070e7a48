"""`flops_profiler` with numbers that are right: `FlopsProfiler` and `get_model_profile`."""

from ..compat import made_public
from ..compat.flops_profiler import *  # noqa: F403
from ..compat.flops_profiler import __all__ as __all__

made_public(__name__)
