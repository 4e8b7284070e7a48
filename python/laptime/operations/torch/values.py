"""Whether a call failed because fake tensors have no values, and what is said of it."""

from __future__ import annotations

import linecache
import os
import traceback

from torch._subclasses import fake_tensor

from ...world.libraries import libraries
from .copies import HasNoMemory
from .fakes import NeedsValues

#: What torch raises where an operator's result depends on values.
_KINDS = tuple(
    getattr(fake_tensor, name)
    for name in (
        "DataDependentOutputException",
        "DynamicOutputShapeException",
        "UnsupportedFakeTensorException",
        "UnsupportedOperatorException",
    )
    if hasattr(fake_tensor, name)
)
#: What its kernels say, in errors of other classes.
_SAID = ("FakeTensor", "data pointer", "tensor subclasses")


def needs_values(error: object) -> bool:
    """Whether an error says that fake tensors have no values."""
    if isinstance(error, (NeedsValues, HasNoMemory, *_KINDS)):
        return True
    if type(error).__name__ == "GuardOnDataDependentSymNode":
        return True
    if not isinstance(error, Exception) or _is_raised_by_the_program(error):
        return False
    return any(part in str(error) for part in _SAID)


def _is_raised_by_the_program(error: Exception) -> bool:
    """Whether the program's own code raised it: torch raises in C++, or in code of its own."""
    last = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        last = frame, line
    if last is None or last[0].f_code.co_filename.startswith(libraries()):
        return False
    code = last[0].f_code
    return "raise" in linecache.getline(code.co_filename, last[1])


def reason(error: Exception) -> str:
    """What failed, in a line."""
    function = getattr(error, "func", None)
    if isinstance(error, NeedsValues):
        return str(error)
    what = str(function) if function is not None else str(error).strip().split("\n")[0]
    if what.startswith("aten._local_scalar_dense"):
        told = "a tensor is turned into a number, by .item(), float(), int(), bool() or if"
    else:
        told = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return told + _place(error)


def _place(error: Exception) -> str:
    """The line of the program that an error came from: the innermost outside of libraries."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not frame.f_code.co_filename.startswith(libraries()):
            place = f", in {os.path.basename(frame.f_code.co_filename)}, line {line}"
    return place
