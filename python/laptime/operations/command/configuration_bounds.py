"""What holds while a configuration is read, built and counted: its file alone, and its budget.

Whatever goes wrong within becomes an error of one or two lines that names the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..._core import LaptimeError
from .budget import Bounds, Budget
from .configuration_file import ConfigurationFile
from .other_files import causes, none_opened, refusal
from .request import Failure, Request

#: Longest message of others that is shown.
_MOST_LETTERS = 300
#: How the hub's client says that something is not on this machine, or could not be.
_NOT_FOUND = ("OfflineModeIsEnabled", "LocalEntryNotFoundError", "HFValidationError")
_WHOLE = (
    "weights aren't needed: give what it names in this file, "
    "such as the fields of a backbone in backbone_config"
)


@contextlib.contextmanager
def bounded(file: ConfigurationFile, request: Request) -> Iterator[None]:
    """Within it only this file is opened, and its bounds are kept."""

    def refused(what: str, limit: str) -> Failure:
        error = file.refused(what, limit)
        return Failure(f"{error}{file.largest()}", error.hint)

    try:
        with none_opened(file.path), Budget(Bounds.of(request), refused).kept():
            yield
    except Exception as error:
        other = refusal(error)
        if other is not None:
            said = f"{file.path} leads to another file, which isn't opened: {other.filename}"
            raise Failure(said, _WHOLE) from error
        if any(type(one).__name__ in _NOT_FOUND for one in causes(error)):
            said = f"{file.path} names a checkpoint, which isn't looked for{file.checkpoints()}"
            raise Failure(said, _WHOLE) from error
        if isinstance(error, Failure | LaptimeError):
            raise
        hint = vars(error).get("way_out") or "check the fields of the configuration"
        said = f"{type(error).__name__}: {first_lines(error)}"
        raise Failure(f"{file.path} cannot be counted: {said}", hint) from error


def first_lines(error: BaseException) -> str:
    """An error's message in a line: its first one, and what that announces."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    return said if len(said) <= _MOST_LETTERS else f"{said[:_MOST_LETTERS]}…"
