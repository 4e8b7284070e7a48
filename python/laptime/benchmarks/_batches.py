"""Batches of a wanted size from an example: its samples repeated, or the first of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

from ..device.tensors import tensors


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same, with every tensor in dictionaries, lists and tuples changed."""
    if isinstance(value, Mapping):
        named = cast("Mapping[Any, Any]", value)
        return {name: each(one, change) for name, one in named.items()}
    if isinstance(value, (list, tuple)):
        changed = [each(one, change) for one in cast("list[Any]", value)]
        if isinstance(value, list):
            return changed
        kind: Any = type(cast("Any", value))
        return kind(*changed) if hasattr(kind, "_fields") else tuple(changed)
    return change(value) if hasattr(value, "shape") else value


def size_of(x: Any) -> int:
    """Samples in an example: the first dimension of each of its tensors."""
    sizes: dict[str, int] = {}
    for where, one in _named(x, "x"):
        shape = tuple(one.shape)
        if not shape:
            raise ValueError(f"{where} has no dimension; the first one is to be the batch")
        sizes[where] = int(shape[0])
    if not sizes:
        raise TypeError(
            "x is a tensor, or a tuple, list or dictionary of tensors, whose first dimension is "
            f"the batch; found {type(x).__name__} without a tensor"
        )
    (first, size), *others = sizes.items()
    for where, other in others:
        if other != size:
            raise ValueError(
                f"{first} has {size} samples and {where} has {other}: the first dimension of every "
                "tensor is to be the batch"
            )
    if size == 0:
        raise ValueError(f"{first} has no sample; a batch is made of one or more")
    return size


def batch_of(x: Any, size: int) -> Any:
    """The example with so many samples, in memory of its own: a model may write into its input."""
    given = size_of(x)
    if given == size:
        return copied(x)
    if given > size:
        return _each_once(x, lambda one: _copy(one[:size]))
    full, rest = divmod(size, given)
    return _each_once(x, lambda one: _joined([one] * full + ([one[:rest]] if rest else [])))


def copied(x: Any) -> Any:
    """The same, with a copy of every tensor that can be written into."""
    return _each_once(x, _copy)


def _each_once(x: Any, change: Callable[[Any], Any]) -> Any:
    """As `each`, and a tensor that stands in several places still does."""
    made: dict[int, Any] = {}

    def once(one: Any) -> Any:
        if id(one) not in made:
            made[id(one)] = change(one)
        return made[id(one)]

    return each(x, once)


def is_changed(now: Any, before: Any) -> bool:
    """Whether any tensor holds something else. JAX's never do."""
    pairs = zip(tensors(now), tensors(before), strict=True)
    return any(_is_other(one, other) for one, other in pairs)


def _copy(one: Any) -> Any:
    """Of those that can be written into; others stay."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(one, torch.Tensor):
        clone = getattr(one.detach(), "clone", None) if hasattr(one, "detach") else None
        return one if clone is None else clone().requires_grad_(one.requires_grad)
    return one.copy() if _is_array(one) else one


def _is_other(now: Any, before: Any) -> bool:
    torch: Any = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(now, torch.Tensor)
    if now is before or not (is_tensor or _is_array(now)):
        return False
    try:
        if now.shape != before.shape:
            return True
        is_same = (now == before) | ((now != now) & (before != before))  # not a number, in both
        return not bool(is_same.all())
    except (RuntimeError, NotImplementedError, TypeError, AttributeError):
        return False  # a kind of tensor that isn't compared


def _is_array(one: Any) -> bool:
    array: Any = getattr(sys.modules.get("numpy"), "ndarray", ())
    return isinstance(one, array)


def arguments(x: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """How an example is passed: a tuple by position, a dictionary by name."""
    if isinstance(x, Mapping):
        return (), dict(cast("Mapping[str, Any]", x))
    if isinstance(x, tuple) and not hasattr(cast("Any", x), "_fields"):
        return cast("tuple[Any, ...]", x), {}
    return (x,), {}


def _joined(parts: list[Any]) -> Any:
    """One after the other, by the library that the tensors are of."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(parts[0], torch.Tensor):
        if not hasattr(parts[0], "detach"):
            return torch.cat(parts)
        joined = torch.cat([one.detach() for one in parts])
        return joined.requires_grad_(parts[0].requires_grad)
    name = type(parts[0]).__module__.partition(".")[0]
    library: Any = sys.modules.get("jax.numpy" if name in ("jax", "jaxlib") else name)
    join = getattr(library, "concatenate", None)
    if join is None:
        raise TypeError(
            f"a {type(parts[0]).__name__} can't be repeated to a larger batch: "
            "give an x with as many samples as the largest batch size"
        )
    return join(parts)


def _named(value: Any, where: str) -> list[tuple[str, Any]]:
    """Every tensor with the expression that leads to it."""
    if isinstance(value, Mapping):
        items = list(cast("Mapping[Any, Any]", value).items())
    elif isinstance(value, (list, tuple)):
        items = list(enumerate(cast("list[Any]", value)))
    else:
        return [(where, value)] if hasattr(value, "shape") else []
    return [found for name, one in items for found in _named(one, f"{where}[{name!r}]")]
