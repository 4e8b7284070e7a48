"""Which mask a model of transformers makes: that of a real run, where values are known.

On fake tensors transformers takes itself to be traced, and then makes a mask for whatever may
come, where a real run of unpadded sequences would leave it to the kernel's causal mode. With
the positions' values known it can look, as it does on real tensors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from ...world import World


def look_as_in_a_real_run(world: World, standing: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Lets transformers look at masks and positions whose values are known, until the end.

    `standing` has a tensor's stand-in.
    """
    module: Any = sys.modules.get("transformers.masking_utils")
    before = getattr(module, "is_tracing", None)
    if before is None:
        return

    def is_tracing(tensor: Any = None) -> bool:
        if isinstance(tensor, torch.Tensor):
            tensor = standing(tensor)
            if isinstance(tensor, FakeTensor) and tensor.constant is not None:
                return bool(before())
        return bool(before(tensor))

    world.put(module, "is_tracing", is_tracing)
