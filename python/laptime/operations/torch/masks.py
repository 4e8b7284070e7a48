"""Which mask a model of transformers makes: that of a real run, where values are known.

On fake tensors transformers takes itself to be traced, and then makes a mask for whatever may
come, where a real run of unpadded sequences would leave it to the kernel's causal mode. With
the positions' values known it can look, as it does on real tensors.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from torch._subclasses.fake_tensor import FakeTensor


@contextlib.contextmanager
def as_in_a_real_run() -> Iterator[None]:
    """Within it, transformers looks at masks and positions whose values are known."""
    module: Any = sys.modules.get("transformers.masking_utils")
    before = getattr(module, "is_tracing", None)
    if before is None:
        yield
        return

    def is_tracing(tensor: Any = None) -> bool:
        if isinstance(tensor, FakeTensor) and tensor.constant is not None:
            return bool(before())
        return bool(before(tensor))

    module.is_tracing = is_tracing
    try:
        yield
    finally:
        module.is_tracing = before
