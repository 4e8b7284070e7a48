"""How many tokens a call makes: told, or read from what `generate` returns."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from ..device.tensors import tensors

if TYPE_CHECKING:
    from collections.abc import Callable


def check_tokens(tokens: Any) -> None:
    """Refuses what is neither a number nor a function."""
    if tokens is None or callable(tokens):
        return
    if isinstance(tokens, bool) or not isinstance(tokens, Real):
        raise TypeError(
            "tokens are a number for each sample, or a function that counts those of an output, "
            f"not {tokens!r}"
        )
    if not 0 < float(tokens) < float("inf"):
        raise ValueError(f"tokens of a sample are a finite number above 0, not {tokens}")


def counter(
    model: Any, tokens: float | Callable[[Any], int] | None, x: Any, size: int
) -> Callable[[Any], int] | None:
    """What counts the tokens of an output; None where it isn't known how."""
    if callable(tokens):
        return tokens
    if tokens is not None:
        count = round(tokens * size)
        return lambda _output: count
    while isinstance(model, partial):
        model = cast("Any", model).func
    if getattr(model, "__name__", None) != "generate":
        return None
    config = getattr(getattr(model, "__self__", None), "config", None)
    return _Generated(x, bool(getattr(config, "is_encoder_decoder", False)))


class _Generated:
    """Counts new tokens: columns of the output that are no prompt and no start token."""

    def __init__(self, x: Any, has_start: bool) -> None:
        self._prompt = next((one for one in tensors(x) if _is_ids(one)), None)
        self._old: int | None = 1 if has_start else None

    def __call__(self, output: Any) -> int:
        ids = getattr(output, "sequences", output)
        if not _is_ids(ids):
            return 0
        rows, length = ids.shape
        if self._old is None:
            self._old = self._prompt_in(ids)
        return max(int(rows * (length - self._old)), 0)

    def _prompt_in(self, ids: Any) -> int:
        """Columns of the prompt, where the output begins with it."""
        prompt = self._prompt
        if prompt is None:
            return 0
        rows, columns = prompt.shape
        if ids.shape[1] < columns or ids.shape[0] % rows:
            return 0
        # Several sequences may be made of one prompt.
        begin = ids[:: ids.shape[0] // rows, :columns]
        return int(columns) if bool((begin == prompt.to(begin.device)).all()) else 0


def _is_ids(value: Any) -> bool:
    is_table = len(getattr(value, "shape", ())) == 2
    return is_table and "int" in str(getattr(value, "dtype", ""))
