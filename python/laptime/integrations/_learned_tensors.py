"""What a program learns: its parameters, and other tensors that it updates.

Gradients with respect to these are training. Others are part of whatever goes on: of an evaluation,
of a penalty, of a physical law.
"""

from __future__ import annotations

import weakref
from typing import Any

#: What holds several tensors and may be gone through as often as one likes.
SEVERAL = (list, tuple, type({}.values()))
GENERATOR: Any = type(_ for _ in ())


class Learned:
    """Tells whether gradients are asked for with respect to something that is learned."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._leaves: dict[int, _Leaf] = {}

    def among(self, inputs: Any, calls_modules: bool) -> bool:
        """Whether `torch.autograd.grad(outputs, inputs)` asks for what is learned.

        A tensor that was updated between two gradients is learned. So is any, as long as the
        program has called no module.
        """
        nn = self._torch.nn
        if type(inputs) is GENERATOR:  # which could be gone through only once
            return bool(inputs.gi_code is nn.Module.parameters.__code__)
        several = inputs if type(inputs) in SEVERAL else [inputs]
        if any(issubclass(type(one), nn.Parameter) for one in several):
            return True
        with self._torch._C.DisableTorchFunction():
            leaves = [one for one in several if self._is_leaf(one)]
            if not calls_modules:
                return bool(leaves)
            updated = [self._is_updated(leaf) for leaf in leaves]  # each is to be remembered
            return any(updated)

    def of_function(self, argnums: Any, args: Any, calls_modules: bool) -> bool:
        """Whether `torch.func.grad(function, argnums)(*args)` asks for what is learned.

        Several tensors together are learned, and the first of several arguments: weights stand
        before what they are applied to.
        """
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        known = (one for one in numbers if isinstance(one, int) and -len(args) <= one < len(args))
        given = [args[number] for number in known]
        if any(isinstance(one, (dict, list, tuple, self._torch.nn.Parameter)) for one in given):
            return True
        leads = argnums == 0 and len(args) > 1
        return bool(given) and (leads or not calls_modules)

    def _is_leaf(self, value: Any) -> bool:
        is_tensor = issubclass(type(value), self._torch.Tensor)
        return is_tensor and bool(value.is_leaf and value.requires_grad)

    def _is_updated(self, leaf: Any) -> bool:
        known = self._leaves.get(id(leaf))
        if known is None or known.tensor() is not leaf:
            self._leaves[id(leaf)] = known = _Leaf(leaf, self._leaves)
        known.is_updated = known.is_updated or leaf._version != known.version
        return known.is_updated


class _Leaf:
    """A tensor that gradients were asked for with respect to."""

    def __init__(self, tensor: Any, leaves: dict[int, _Leaf]) -> None:
        key = id(tensor)
        self.tensor = weakref.ref(tensor, lambda _: leaves.pop(key, None))
        self.version: int = tensor._version
        self.is_updated = False
