"""DeepSpeed's profiler, with its defaults and its way to write numbers."""

from ..compat import made_public
from ..compat.flops_profiler.deepspeed import *  # noqa: F403
from ..compat.flops_profiler.deepspeed import __all__ as __all__

made_public(__name__)
