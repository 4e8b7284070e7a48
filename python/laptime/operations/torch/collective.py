"""How many ranks take part in a collective: the operators don't say it, their groups do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..._core import Feed, Shape

#: The argument that formulas look for.
RANKS = "group_size"
_GROUPS = ("process_group", "group_name", "group")


def lacks_ranks(name: str, arguments: Sequence[str]) -> bool:
    """Whether it is a collective whose group must be asked."""
    return "c10d" in name.split("::")[0] and RANKS not in arguments


def ranks(schema: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> int | None:
    """The size of the group that is passed; `None` where it can't be told."""
    passed = {argument.name: value for argument, value in zip(schema.arguments, arguments)}
    passed.update(keywords)
    group = next((passed[name] for name in _GROUPS if passed.get(name) is not None), None)
    distributed: Any = torch.distributed
    try:
        if isinstance(group, str):
            group = distributed.distributed_c10d._resolve_process_group(group)
        elif isinstance(group, torch.ScriptObject):
            group = distributed.ProcessGroup.unbox(group)
        return int(group.size()) if group is not None else None
    except Exception:  # a group that is gone, or of a kind of its own
        return None


def reduce_gradients(feed: Feed, parameters: Sequence[torch.Tensor], among: int) -> None:
    """Adds what DistributedDataParallel does with gradients: their all-reduce."""
    wanted = [it for it in parameters if it.requires_grad]
    if among < 2 or not wanted:
        return
    operator = feed.operator("c10d::allreduce_", ["tensors", RANKS])
    shapes = [Shape(tuple(it.shape), str(it.dtype)) for it in wanted]
    feed.add(operator, [shapes, among], shapes, phase="backward")
