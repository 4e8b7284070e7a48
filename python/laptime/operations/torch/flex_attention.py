"""Flex attention: how many blocks of scores its mask leaves."""

from __future__ import annotations

from typing import Any

from torch._subclasses.fake_tensor import unset_fake_temporarily

from .fakes import values

OPERATORS = ("flex_attention", "flex_attention_backward")
ARGUMENTS = ["query", "key", "value", "active_blocks", "all_blocks"]


def sizes(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """Query, key and value, the blocks of all heads that the mask leaves, and all of them."""
    mask = keywords.get("block_mask")
    if mask is None:
        mask = arguments[9 if name.endswith("_backward") else 4]
    active = all_blocks = 0
    columns = -(-int(mask[1]) // int(mask[-2]))
    for counts in (mask[2], mask[4]):  # blocks left in part, blocks left whole
        if counts is None:
            continue
        known = values(counts)
        if known is None:
            return (*arguments[:3], "data")
        with unset_fake_temporarily():
            active += int(known.sum())
            all_blocks = max(all_blocks, known.numel() * columns)
    return (*arguments[:3], active, all_blocks)
