"""Keeps a configuration from leading to other files: checkpoints, caches, the network.

A configuration may name a checkpoint in many fields, and libraries find more. So it isn't its
fields that are looked at but what is opened: the code of Python and its libraries, the named file,
nothing else. Readers that open files outside of Python's own `open` are closed one by one.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...world.libraries import libraries

#: What the system says about itself.
_SYSTEM = ("/dev/", "/proc/", "/sys/")
_FILES = ("open", "os.listdir", "os.scandir")
_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
#: What loads weights by code that isn't Python's: a module, and what of it.
_READERS = (
    ("transformers", "PreTrainedModel.from_pretrained"),
    ("safetensors", "safe_open"),
    ("safetensors.torch", "safe_open"),
    ("safetensors.torch", "load_file"),
)


class OtherFile(PermissionError):
    """What was to be opened beside the named file. To libraries it is a file they can't have."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.EACCES, "not opened for a configuration", what)


class _Door:
    """What may be opened while a configuration is read, built and counted."""

    def __init__(self, named: Path) -> None:
        self.named = os.path.realpath(named)
        folders = [*libraries(), *(f"{place}{os.sep}" for place in sys.path)]
        folders = [folder for folder in folders if os.path.isabs(folder)]
        real = [os.path.realpath(folder) + os.sep for folder in folders]
        self.folders = (*_SYSTEM, *folders, *real)
        #: Temporary files that were made meanwhile.
        self.made: set[str] = set()

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """**Errors** where something else is opened."""
        if event in _NETWORK:
            raise OtherFile(f"network: {arguments[-1] if event != _NETWORK[1] else arguments[0]}")
        path = arguments[0]
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a descriptor, which is open already
        shown = os.fsdecode(path)
        whole = os.path.abspath(shown)
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_EXCL:
            self.made.add(whole)
        is_code = f"{whole}{os.sep}".startswith(self.folders)
        if not is_code and whole not in self.made and os.path.realpath(whole) != self.named:
            raise OtherFile(shown)


#: The door that is shut; a hook can't be taken away, so it looks here.
_shut: list[_Door] = []


@functools.cache
def _listen() -> None:
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _shut and (event in _FILES or event in _NETWORK):
        _shut[-1].check(event, arguments)


@contextlib.contextmanager
def none_opened(named: Path) -> Iterator[None]:
    """Within it no file but the named one and libraries' code is opened, nor a socket."""
    _listen()
    with contextlib.ExitStack() as within:
        for module, path in _READERS:
            within.enter_context(_closed(module, path))
        _shut.append(_Door(named))
        within.callback(_shut.pop)
        yield


@contextlib.contextmanager
def _closed(module: str, path: str) -> Iterator[None]:
    """A reader of files that says no."""
    *owners, name = path.split(".")
    owner: Any = sys.modules.get(module)
    for one in owners:
        owner = getattr(owner, one, None)
    if not hasattr(owner, name):
        yield
        return
    before = vars(owner)[name]

    def refuse(file: Any = "a checkpoint", *_: Any, **__: Any) -> Any:
        raise OtherFile(str(file))

    setattr(owner, name, staticmethod(refuse) if isinstance(owner, type) else refuse)
    try:
        yield
    finally:
        setattr(owner, name, before)


def refusal(error: BaseException) -> OtherFile | None:
    """The refusal that an error came of."""
    return next((one for one in causes(error) if isinstance(one, OtherFile)), None)


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that it came of."""
    seen: set[int] = set()
    open_ones: list[BaseException | None] = [error]
    while open_ones:
        one = open_ones.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            open_ones += [one.__context__, one.__cause__]
