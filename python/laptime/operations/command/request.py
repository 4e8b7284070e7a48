"""What the command asks for, what it may be told instead of counts, and what a target is."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor by its sizes."""

    sizes: list[int]
    dtype: str | None
    label: str = ""


@dataclasses.dataclass(frozen=True)
class Request:
    """What was typed, by meaning."""

    kind: str
    target: str
    inputs: list[Input]
    kwargs: list[Input]
    sequence: int | None
    backward: bool
    mode: str
    roofline: bool

    @classmethod
    def read(cls, text: str) -> Request:
        """From the command's JSON."""
        fields = json.loads(text)
        for name in ("inputs", "kwargs"):
            fields[name] = [Input(**one) for one in fields[name]]
        return cls(**fields)


class Failure(Exception):
    """Why there are no counts, and what would help. Code 2 is for what was typed wrongly."""

    def __init__(self, message: str, hint: str | None = None, *, code: int = 1) -> None:
        super().__init__(message)
        self.hint = hint
        self.code = code

    def answer(self) -> str:
        """As the command reads it."""
        hint = None if self.hint is None else _encodable(self.hint)
        return json.dumps({"error": _encodable(str(self)), "hint": hint, "code": self.code})


def _encodable(text: str) -> str:
    """A text without halves of characters, which a file's name or JSON may have."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclasses.dataclass(frozen=True)
class Target:
    """Something to count."""

    name: str
    #: Makes the model, or gives it if it is there.
    build: Callable[[], Any]
    #: Arguments for the model where none were typed.
    defaults: Callable[[Any], tuple[Sequence[Any], dict[str, Any]]]
    #: Whether it is made here, so that its mode may be chosen and its weights left out.
    is_made: bool = True
    #: What else there is to say about how it was counted.
    notes: Sequence[str] = ()
    #: What holds while it is built and counted.
    within: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
