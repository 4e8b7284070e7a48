"""Inputs for a model of one's own that takes tokens, and says so by its parameters' names."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

from .inputs import tensor
from .request import Failure, Input

#: How a forward names the tokens that it takes.
_NAMES = ("input_ids", "token_ids", "tokens", "idx", "ids")


def of(model: Any, sequence: int | None) -> tuple[Sequence[Any], dict[str, Any]]:
    """Tokens, where the model takes some and their number is known."""
    transformers = sys.modules.get("transformers")
    if transformers is not None and isinstance(model, transformers.PreTrainedModel):
        from .pretrained_model import keywords

        return [], keywords(model, model.config, sequence)
    if sequence is None:
        raise Failure(
            "no input was given, and the model does not tell its inputs",
            "give their sizes, such as --input 1,3,224,224 or --input 1,128:int64",
            code=2,
        )
    found = _takes(model)
    if not found or found[0] not in _NAMES:
        takes = f"takes {', '.join(found)}" if found else "does not tell what it takes"
        raise Failure(
            f"--seq is not used: {type(model).__name__} {takes}, and Laptime can't tell whether "
            "that is tokens",
            f"give its input: --input 1,{sequence}:int64",
            code=2,
        )
    return [tensor(Input([1, sequence], "int64"))], {}


def _takes(model: Any) -> list[str]:
    """The parameters of a model's forward, or of a function."""
    try:
        return list(inspect.signature(getattr(model, "forward", model)).parameters)
    except (TypeError, ValueError):
        return []
